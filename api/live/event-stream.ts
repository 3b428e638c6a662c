import type { ServerResponse } from "node:http";

/** Reason for the end of a stream, in its log line. */
export type StreamEnd =
  | "left"
  | "login_ended"
  | "visit_ended"
  | "too_many"
  | "too_slow"
  | "renumbered"
  | "stopped";

/** One open response of Server-Sent Events. */
export interface EventStream {
  /** Time of this process's clock, in ms. */
  readonly openedAt: number;
  /** `onTaken` is called once the text has left this process. */
  write(text: string, onTaken?: () => void): void;
  /** Writes an event without a number, unless the reader has much unread data. */
  tell(event: string, data: object): void;
  /**
   * Keeps the connection open and shows that it is alive. A reader who takes nothing between two
   * beats is disconnected, and reconnects for the rest. With `seq`, readers resume after it.
   */
  beat(seq?: number | null): void;
  /** True if the reader has much unread data, and so gets no more for now. */
  isCongested(): boolean;
  /** `farewell` are the last bytes for a reader who keeps up. */
  end(reason: StreamEnd, farewell?: string): void;
}

/** Options of a stream. */
export interface EventStreamOptions {
  response: ServerResponse;
  /** Called whenever the reader has taken all written data. */
  onDrain: () => void;
  /** Called once, at the end of the stream for any reason. */
  onEnd: (reason: StreamEnd) => void;
}

/**
 * Unread bytes after which no further page is written. A stream never holds much more than this and
 * one page.
 */
const congestedBytes = 64 * 1024;
/** A reader who does not take the end is disconnected after this time. */
const lingerMs = 1_000;

/** The block of one event. With `seq`, readers resume after it. */
export function eventBlock(event: string, seq: number | null, data: object): string {
  const id = seq === null ? "" : `id: ${seq}\n`;
  return `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The beat that was written last. All streams with the same number share its bytes. */
let lastBeat: { seq: number | null; block: string; chunk: Buffer } | null = null;

function beatOf(seq: number | null): { block: string; chunk: Buffer } {
  if (lastBeat?.seq === seq) return lastBeat;
  const block = eventBlock("beat", seq, {});
  // A chunk of HTTP/1.1: its length, then the bytes, which are ASCII.
  const chunk = Buffer.from(`${block.length.toString(16)}\r\n${block}\r\n`, "latin1");
  lastBeat = { seq, block, chunk };
  return lastBeat;
}

/** Creates a stream on a response whose head is written. */
export function createEventStream(options: EventStreamOptions): EventStream {
  const { response, onDrain, onEnd } = options;
  let ended = false;
  /** The reader has not caught up once since the last beat. */
  let stalled = false;
  const isCongested = () => response.writableLength > congestedBytes;
  const write = (text: string, onTaken?: () => void) => {
    if (ended) return;
    if (onTaken === undefined) response.write(text);
    else {
      response.write(text, "utf8", (error) => {
        if (!error) onTaken();
      });
    }
  };
  const end = (reason: StreamEnd, farewell = "") => {
    if (ended) return;
    ended = true;
    closeResponse(response, reason === "too_slow", farewell);
    onEnd(reason);
  };
  response.on("drain", () => {
    stalled = false;
    if (!ended) onDrain();
  });
  // Without a listener, a reader who disconnects during a write would cause an uncaught error.
  response.on("error", () => undefined);
  response.on("close", () => end("left"));
  return {
    openedAt: performance.now(),
    write,
    tell(event, data) {
      if (!isCongested()) write(eventBlock(event, null, data));
    },
    beat(seq = null) {
      if (stalled && isCongested()) end("too_slow");
      stalled = isCongested();
      if (ended) return;
      const { block, chunk } = beatOf(seq);
      // Beats are nearly all that idle streams cost, and the response would take thrice the CPU.
      if (response.chunkedEncoding && response.socket !== null) response.socket.write(chunk);
      else write(block);
    },
    isCongested,
    end,
  };
}

function closeResponse(response: ServerResponse, atOnce: boolean, farewell: string): void {
  if (atOnce) {
    response.destroy();
    return;
  }
  const cut = setTimeout(() => response.destroy(), lingerMs).unref();
  response.on("close", () => clearTimeout(cut));
  response.end(farewell);
}
