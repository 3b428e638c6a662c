import type { NumberedChange } from "../../core/services/outbox/changes.ts";
import {
  createEventStream,
  eventBlock,
  type EventStream,
  type EventStreamOptions,
  type StreamEnd,
} from "./event-stream.ts";

/** A person's open stream: the changes of one account. */
export interface ChangeStream extends EventStream {
  readonly userId: number;
  readonly accountId: number;
  /** All changes of the account up to this number were written. */
  cursor: number;
  /** True if the stream takes the feed's changes; else it gets pages of its own. */
  live: boolean;
  /** Writes the changes above the cursor. */
  send(changes: readonly NumberedChange[]): void;
  /** Makes the reader read everything again, and goes on after `seq`. */
  reset(seq: number): void;
}

/** Options of a person's stream. */
export interface ChangeStreamOptions extends Omit<EventStreamOptions, "onEnd"> {
  userId: number;
  accountId: number;
  /** Called once, at the end of the stream for any reason. */
  onEnd: (reason: StreamEnd, sent: number) => void;
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

/** Creates a person's stream on a response whose head is written. */
export function createChangeStream(options: ChangeStreamOptions): ChangeStream {
  const { response, userId, accountId, onDrain, onEnd } = options;
  let sent = 0;
  const events = createEventStream({ response, onDrain, onEnd: (reason) => onEnd(reason, sent) });
  const stream: ChangeStream = {
    ...events,
    userId,
    accountId,
    cursor: 0,
    live: false,
    send(changes) {
      const unseen = changes.filter(({ seq }) => seq > stream.cursor);
      stream.cursor = unseen.at(-1)?.seq ?? stream.cursor;
      sent += unseen.length;
      if (unseen.length > 0) events.write(unseen.map(changeBlock).join(""));
    },
    reset(seq) {
      stream.cursor = seq;
      events.write(eventBlock("reset", seq, {}));
    },
  };
  return stream;
}
