import { retryIdOf, type MessageView } from "../../../../core/model/message.ts";
import type { Note } from "./api.ts";

/** What the thread shows, from the oldest. */
export type TimelineItem =
  | { type: "day"; key: string; label: string }
  | { type: "unread"; key: "unread" }
  | { type: "message"; key: string; message: MessageView; retried: boolean }
  | { type: "note"; key: string; note: Note };

interface TimelineFacts {
  /** Newest first, as read. */
  messages: MessageView[];
  notes: Note[];
  /** Whether there are older ones that were not read yet. */
  moreMessages: boolean;
  moreNotes: boolean;
  /** The first message that had not been seen when the conversation was opened. */
  firstUnreadId: number | null;
  dayOf: (moment: string) => { key: string; label: string };
}

/**
 * Messages and notes in the order in which they came, with a line at each new day and before what is
 * new. What is older than the oldest of a kind that has more to read waits, so that no gap shows.
 */
export function buildTimeline(facts: TimelineFacts): TimelineItem[] {
  const { messages, notes, firstUnreadId } = facts;
  const known = Math.max(
    facts.moreMessages ? momentOf(messages.at(-1)) : 0,
    facts.moreNotes ? momentOf(notes.at(-1)) : 0,
  );
  const externalIds = new Set(messages.map((message) => message.external_id));
  const entries = [
    ...notes.map((note) => ({
      type: "note" as const,
      key: `note-${note.id}`,
      note,
      at: note.created_at,
    })),
    ...messages.map((message) => ({
      type: "message" as const,
      key: `message-${message.id}`,
      message,
      retried: externalIds.has(retryIdOf(message.id)),
      at: message.created_at,
    })),
  ].filter(({ at }) => new Date(at).getTime() >= known);
  // A note of the same moment as a message tells what led to it: it comes first.
  entries.sort(
    (one, other) =>
      pending(one) - pending(other) || one.at.localeCompare(other.at) || order(one) - order(other),
  );
  const items: TimelineItem[] = [];
  let day = "";
  for (const { at, ...entry } of entries) {
    const { key, label } = facts.dayOf(at);
    if (key !== day) items.push({ type: "day", key: `day-${key}`, label });
    day = key;
    if (entry.type === "message" && entry.message.id === firstUnreadId) {
      items.push({ type: "unread", key: "unread" });
    }
    items.push(entry);
  }
  return items;
}

type Entry = Extract<TimelineItem, { type: "note" | "message" }>;

/** A reply under way has no id of the API yet; it is the newest, whatever this machine's clock says. */
function pending(entry: Entry): number {
  return entry.type === "message" && entry.message.id < 0 ? -entry.message.id : 0;
}

/** Ids grow with time within a kind. */
function order(entry: Entry): number {
  return entry.type === "note" ? entry.note.id / 1e15 - 1 : entry.message.id;
}

function momentOf(row: { created_at: string } | undefined): number {
  return row === undefined ? 0 : new Date(row.created_at).getTime();
}

/** The first of the newest `count` messages of the customer, or null where nothing is unseen. */
export function firstUnread(newestFirst: MessageView[], count: number): number | null {
  const inbound = newestFirst.filter(({ direction }) => direction === "inbound");
  return count === 0 ? null : (inbound.slice(0, count).at(-1)?.id ?? null);
}
