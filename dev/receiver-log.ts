const keptEvents = 50;
const keptBodyBytes = 64 * 1024;
const rememberedIds = 10_000;

/** Which signatures fitted; `unverified` while the receiver knows no secret. */
export type Verified = "both" | "service" | "standard" | "no" | "unverified";

/** One POST as `GET /` shows it. */
export interface ReceivedEvent {
  received_at: string;
  type: string;
  id: string;
  /** `X-Service-Attempt`; null when it is missing. */
  attempt: number | null;
  verified: Verified;
  /** The event id was processed before, so this POST was answered 2xx and otherwise ignored. */
  duplicate: boolean;
  /** What was answered; null when nothing was, as `hang` asks. */
  status: number | null;
  /** Bytes of the body. */
  size: number;
  /** The parsed body; its text when it is not JSON, null above 64 KiB. */
  body: unknown;
}

/** How many POSTs came, and what became of them. */
export interface ReceivedCounts {
  posts: number;
  processed: number;
  duplicates: number;
  /** Answered 401: no signature fitted. */
  rejected: number;
  /** Answered anything else but 2xx, or not at all, because a switch asks for it. */
  failed: number;
}

/** What is known of a POST when it has been answered. */
export type Arrival = Omit<ReceivedEvent, "received_at" | "duplicate" | "size" | "body"> & {
  bytes: Buffer;
};

/** What the receiver remembers, in bounded memory. */
export interface ReceiverLog {
  /** Notes one POST, and its event as processed if it was accepted for the first time. */
  record(arrival: Arrival): ReceivedEvent;
  /** Counts one more POST of an event to a path and gives the count. */
  countPost(path: string, id: string): number;
  /** The last 50, the newest first. */
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
      // Only an event that was processed may be called a duplicate later: a failed one comes again.
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

/** One line for people. */
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

/** A body as JSON, or as text when it is none; null when it is too long to keep. */
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

/** Moves the key to the end and drops the oldest ones. */
function remember<T>(memory: Map<string, T>, key: string, value: T): void {
  memory.delete(key);
  memory.set(key, value);
  for (const oldest of memory.keys()) {
    if (memory.size <= rememberedIds) return;
    memory.delete(oldest);
  }
}

/** What a header may put on a terminal: no control codes, not a whole screen. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, "?").slice(0, 80) || "-";
}
