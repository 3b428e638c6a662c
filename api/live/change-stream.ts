import type { ServerResponse } from "node:http";
import type { NumberedChange } from "../../core/services/outbox/changes.ts";

/** Why a stream ended, as its log line says it. */
export type StreamEnd = "left" | "login_ended" | "too_many" | "too_slow" | "renumbered" | "stopped";

/** One open stream of Server-Sent Events. */
export interface ChangeStream {
  readonly userId: number;
  readonly accountId: number;
  /** By the process's own clock, in ms. */
  readonly openedAt: number;
  /** All changes of the account up to this number are written. */
  cursor: number;
  /** Whether the stream takes what the feed reads; else it is given pages of its own. */
  live: boolean;
  /** Writes those above the cursor. */
  send(changes: readonly NumberedChange[]): void;
  /** Tells the reader to read everything again, and goes on after `seq`. */
  reset(seq: number): void;
  /** Whether the reader has yet to take much of what was written, and so is given nothing more. */
  isCongested(): boolean;
  /** `farewell` are the last bytes of a reader who keeps up. */
  end(reason: StreamEnd, farewell?: string): void;
}

/** What a stream is opened with. */
export interface StreamOptions {
  response: ServerResponse;
  userId: number;
  accountId: number;
  heartbeatMs: number;
  /** Called whenever the reader has taken all that was written. */
  onDrain: () => void;
  /** Called once, when the stream has ended for whatever reason. */
  onEnd: (reason: StreamEnd, sent: number) => void;
}

/** What may wait for a reader before the next page does: a stream never holds much more than both. */
const congestedBytes = 64 * 1024;
/** A reader who does not take the end is cut off. */
const lingerMs = 1_000;

/** The block of one event; with `seq` it is also where a reader resumes. */
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
 * Makes a stream of a response whose head is written. A `beat` every `heartbeatMs` keeps it open and tells
 * the reader so; one who takes nothing from one to the next is cut off, and comes back for the rest.
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
    // From one heartbeat to the next the reader has not once taken all there was.
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
  // Without a listener a reader who leaves while we write would be an uncaught error.
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
