import type { Visit } from "../../core/services/widgets/visit.ts";
import { createEventStream, type EventStream, type EventStreamOptions } from "./event-stream.ts";

/**
 * Position of a visitor's stream. `live`: it takes the feed's changes. All others wait for a part of
 * their own: `new` for its greeting, `resumes` for what it missed since an earlier stream, `behind`
 * for what it missed in this one, and `moved` for another conversation.
 */
export type Standing = "new" | "resumes" | "behind" | "moved" | "live";

/** A visitor's open stream: the content of one conversation. */
export interface VisitStream extends EventStream {
  readonly sessionId: number;
  /** The visitor whose token has opened the stream. */
  readonly visitorId: string;
  readonly accountId: number;
  contactId: number | null;
  /** Null before the first message. */
  conversationId: number | null;
  /** Changes up to this number were written, while the stream is not live. */
  cursor: number;
  standing: Standing;
}

/** Options of a visitor's stream. */
interface VisitStreamOptions extends EventStreamOptions {
  visit: Visit;
  lastEventId: string | null;
  /** Number up to which live streams were sent every change. */
  readHead: () => number | null;
}

/** Creates a visitor's stream on a response whose head is written. */
export function createVisitStream(options: VisitStreamOptions): VisitStream {
  const { visit, lastEventId, readHead, ...rest } = options;
  const { sessionId, visitorId, accountId, contactId, conversationId } = visit;
  const events = createEventStream(rest);
  const expiresAt = visit.expiresAt.getTime();
  const stream: VisitStream = {
    ...events,
    sessionId,
    visitorId,
    accountId,
    contactId,
    conversationId,
    cursor: lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1,
    standing: lastEventId === null ? "new" : "resumes",
    beat() {
      if (Date.now() >= expiresAt) {
        events.end("visit_ended");
        return;
      }
      // The number keeps a quiet stream young enough to resume. Without a conversation the place of
      // the first message is not known yet.
      const isPlaced = stream.standing === "live" && stream.conversationId !== null;
      events.beat(isPlaced ? readHead() : null);
    },
  };
  return stream;
}
