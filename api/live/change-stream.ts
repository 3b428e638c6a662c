import type { ServerResponse } from "node:http";
import type { NumberedChange } from "../../core/services/outbox/changes.ts";

/** Reason for the end of a stream, in its log line. */
export type StreamEnd = "left" | "login_ended" | "too_many" | "too_slow" | "renumbered" | "stopped";

/** One open stream of Server-Sent Events. */
export interface ChangeStream {
  readonly userId: number;
  readonly accountId: number;
  /** Time of this process's clock, in ms. */
  readonly openedAt: number;
  /** All changes of the account up to this number were written. */
  cursor: number;
  /** True if the stream takes the feed's changes; else it gets pages of its own. */
  live: boolean;
  /** Writes the changes above the cursor. */
  send(changes: readonly NumberedChange[]): void;
  /** Writes an event without a number, unless the reader has much unread data. */
  tell(event: string, data: object): void;
  /** Makes the reader read everything again, and goes on after `seq`. */
  reset(seq: number): void;
  /** True if the reader has much unread data, and so gets no more for now. */
  isCongested(): boolean;
  /** `farewell` are the last bytes for a reader who keeps up. */
  end(reason: StreamEnd, farewell?: string): void;
}

/** Options of a stream. */
export interface StreamOptions {
  response: ServerResponse;
  userId: number;
  accountId: number;
  heartbeatMs: number;
  /** Called whenever the reader has taken all written data. */
  onDrain: () => void;
  /** Called once, at the end of the stream for any reason. */
  onEnd: (reason: StreamEnd, sent: number) => void;
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

function changeBlock(change: NumberedChange) {
  return eventBlock("change", change.seq, {
    kind: change.kind,
    conversation_id: change.conversation_id,
    contact_id: change.contact_id,
    message_id: change.message_id,
    delivery_id: change.delivery_id,
    subscription_id: change.subscription_id,
  });
}

/**
 * Creates a stream on a response whose head is written. A `beat` every `heartbeatMs` keeps the
 * connection open and shows that it is alive. A reader who takes nothing between two beats is
 * disconnected, and reconnects for the rest.
 */
export function createChangeStream(options: StreamOptions): ChangeStream {
  const { response, userId, accountId, heartbeatMs, onDrain, onEnd } = options;
  let ended = false;
  let sent = 0;
  const write = (text: string) => {
    if (!ended) response.write(text);
  };
  const isCongested = () => response.writableLength > congestedBytes;
  let stalled = false;
  const heartbeat = setInterval(() => {
    // The reader has not caught up once since the last heartbeat.
    if (stalled && isCongested()) end("too_slow");
    stalled = isCongested();
    write(eventBlock("beat", null, {}));
  }, heartbeatMs);
  response.on("drain", () => {
    stalled = false;
    if (!ended) onDrain();
  });
  const end = (reason: StreamEnd, farewell = "") => {
    if (ended) return;
    ended = true;
    clearInterval(heartbeat);
    closeResponse(response, reason === "too_slow", farewell);
    onEnd(reason, sent);
  };
  // Without a listener, a reader who disconnects during a write would cause an uncaught error.
  response.on("error", () => undefined);
  response.on("close", () => end("left"));
  const stream: ChangeStream = {
    userId,
    accountId,
    openedAt: performance.now(),
    cursor: 0,
    live: false,
    send(changes) {
      const unseen = changes.filter(({ seq }) => seq > stream.cursor);
      stream.cursor = unseen.at(-1)?.seq ?? stream.cursor;
      sent += unseen.length;
      if (unseen.length > 0) write(unseen.map(changeBlock).join(""));
    },
    tell(event, data) {
      if (!isCongested()) write(eventBlock(event, null, data));
    },
    reset(seq) {
      stream.cursor = seq;
      write(eventBlock("reset", seq, {}));
    },
    isCongested,
    end,
  };
  return stream;
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
