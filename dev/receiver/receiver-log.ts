const keptEvents = 50;
const keptBodyBytes = 64 * 1024;
const rememberedIds = 10_000;

/** Signatures that matched; `unverified` while the receiver knows no secret. */
export type Verified = "both" | "service" | "standard" | "no" | "unverified";

/** One POST, in the shape of `GET /`. */
export interface ReceivedEvent {
  received_at: string;
  type: string;
  id: string;
  /** `X-Service-Attempt`; null when it is missing. */
  attempt: number | null;
  verified: Verified;
  /**
   * True where the event id was processed before. The POST was answered 2xx and otherwise ignored.
   */
  duplicate: boolean;
  /** Status of the answer; null where none was sent, as `hang` asks. */
  status: number | null;
  /** Size of the body in bytes. */
  size: number;
  /** The parsed body, or its text where it is not JSON. Null above 64 KiB. */
  body: unknown;
}

/** Number of POSTs, in all and by outcome. */
export interface ReceivedCounts {
  posts: number;
  processed: number;
  duplicates: number;
  /** Answered 401, because no signature matched. */
  rejected: number;
  /** Answered with another status than 2xx, or not at all, because an option asks for it. */
  failed: number;
}

/** Data of a POST after its answer. */
export type Arrival = Omit<ReceivedEvent, "received_at" | "duplicate" | "size" | "body"> & {
  bytes: Buffer;
};

/** Memory of the receiver, of bounded size. */
export interface ReceiverLog {
  /** Records a POST, and its event as processed if it was accepted for the first time. */
  record(arrival: Arrival): ReceivedEvent;
  /** Counts a POST of an event to a path and returns the count. */
  countPost(path: string, id: string): number;
  /** The counts, and the last 50 POSTs, newest first. */
  present(): { counts: ReceivedCounts; events: ReceivedEvent[] };
}

/** An empty memory. */
export function createReceiverLog(): ReceiverLog {
  const counts = { posts: 0, processed: 0, duplicates: 0, rejected: 0, failed: 0 };
  const processed = new Map<string, true>();
  const posts = new Map<string, number>();
  const events: ReceivedEvent[] = [];
  return {
    record: ({ bytes, ...arrival }) => {
      const { id, status } = arrival;
      const accepted = status !== null && status >= 200 && status < 300;
      const duplicate = accepted && processed.has(id);
      // Only an accepted event makes its next POST a duplicate. A failed event is delivered again.
      if (accepted && id !== "") remember(processed, id, true);
      counts.posts += 1;
      counts[outcomeOf(arrival, accepted, duplicate)] += 1;
      const received_at = new Date().toISOString();
      const event = {
        received_at,
        ...arrival,
        duplicate,
        size: bytes.length,
        body: readable(bytes),
      };
      events.unshift(event);
      events.splice(keptEvents);
      return event;
    },
    countPost: (path, id) => {
      const count = (posts.get(`${path} ${id}`) ?? 0) + 1;
      remember(posts, `${path} ${id}`, count);
      return count;
    },
    present: () => ({ counts, events }),
  };
}

/** One line about a POST, for people. */
export function lineOf(event: ReceivedEvent): string {
  const words = [
    event.received_at,
    printable(event.type),
    printable(event.id),
    `attempt ${event.attempt ?? "-"}`,
    event.verified === "unverified" ? "unverified" : `verified ${event.verified}`,
    ...(event.duplicate ? ["duplicate"] : []),
    `${event.size} B`,
    event.status === null ? "no answer" : `answered ${event.status}`,
  ];
  return words.join("  ");
}

/** A body as JSON, or as text where it is not JSON. Null where it is too long to store. */
export function readable(bytes: Buffer): unknown {
  if (bytes.length > keptBodyBytes) return null;
  const text = bytes.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function outcomeOf({ verified }: Pick<Arrival, "verified">, accepted: boolean, duplicate: boolean) {
  if (verified === "no") return "rejected";
  if (!accepted) return "failed";
  return duplicate ? "duplicates" : "processed";
}

/** Moves the key to the end and drops the oldest keys. */
function remember<T>(memory: Map<string, T>, key: string, value: T): void {
  memory.delete(key);
  memory.set(key, value);
  for (const oldest of memory.keys()) {
    if (memory.size <= rememberedIds) return;
    memory.delete(oldest);
  }
}

/** Text of a header, safe for a terminal: no control codes, and at most 80 characters. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, "?").slice(0, 80) || "-";
}
