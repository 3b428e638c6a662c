import { retryIdOf, type MessageView } from "../../../../core/model/message.ts";
import type { Note } from "./api.ts";

/** Entry of the thread; the list begins with the oldest. */
export type TimelineItem =
  | { type: "day"; key: string; date: string; label: string }
  | { type: "unread"; key: "unread" }
  | { type: "message"; key: string; message: MessageView; retried: boolean }
  | { type: "note"; key: string; note: Note }
  | { type: "changes"; key: string; notes: Note[] };

interface TimelineFacts {
  /** Newest first, as loaded. */
  messages: MessageView[];
  notes: Note[];
  /** True where older messages are not loaded yet. */
  moreMessages: boolean;
  moreNotes: boolean;
  /** True where newer messages are not loaded: then notes after the newest loaded one wait. */
  isPast?: boolean;
  /** The first unread message at the time when the conversation was opened. */
  firstUnreadId: number | null;
  /** The day of a moment, `2026-03-01`, and its name. */
  dayOf: (moment: string) => { key: string; label: string };
}

/**
 * Messages and notes in the order of their creation, with a line before each new day and before
 * unread messages. Changes in a row become one entry. Where older pages of a kind exist, entries older than its oldest loaded row are
 * left out. So no gap shows.
 */
export function buildTimeline(facts: TimelineFacts): TimelineItem[] {
  const { messages, notes, firstUnreadId } = facts;
  const known = Math.max(
    facts.moreMessages ? momentOf(messages.at(-1)) : 0,
    facts.moreNotes ? momentOf(notes.at(-1)) : 0,
  );
  const until = facts.isPast === true ? momentOf(messages[0]) : Infinity;
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
  ].filter(({ at }) => {
    const moment = new Date(at).getTime();
    return moment >= known && moment <= until;
  });
  // A note of the same moment as a message explains the message, so the note comes first.
  entries.sort(
    (one, other) =>
      pending(one) - pending(other) || one.at.localeCompare(other.at) || order(one) - order(other),
  );
  const items: TimelineItem[] = [];
  let changes: Extract<Entry, { type: "note" }>[] = [];
  const endRun = (): void => {
    items.push(...foldRun(changes));
    changes = [];
  };
  let day = "";
  for (const { at, ...entry } of entries) {
    const { key, label } = facts.dayOf(at);
    if (key !== day) {
      endRun();
      items.push({ type: "day", key: `day-${key}`, date: key, label });
    }
    day = key;
    if (entry.type === "note" && isChange(entry.note)) {
      changes.push(entry);
      continue;
    }
    endRun();
    if (entry.type === "message" && entry.message.id === firstUnreadId) {
      items.push({ type: "unread", key: "unread" });
    }
    items.push(entry);
  }
  endRun();
  return items;
}

/** Number of changes in a row from which they fold. Two lines need no click. */
const foldedFrom = 3;

function foldRun(run: Extract<Entry, { type: "note" }>[]): TimelineItem[] {
  const [first] = run;
  if (first === undefined || run.length < foldedFrom) return run;
  return [{ type: "changes", key: `changes-${first.key}`, notes: run.map(({ note }) => note) }];
}

/** Notes of people and lines about a handoff are read one by one. */
const neverFolded = new Set<Note["kind"]>(["note", "handed_off", "bot_enabled", "bot_reason"]);

function isChange({ kind }: Note): boolean {
  return !neverFolded.has(kind);
}

type Entry = Extract<TimelineItem, { type: "note" | "message" }>;

/**
 * A reply that is being sent has a negative id. It is the newest entry, whatever the clock of this
 * machine says.
 */
function pending(entry: Entry): number {
  return entry.type === "message" && entry.message.id < 0 ? -entry.message.id : 0;
}

/**
 * Orders entries of the same moment. Ids grow with time within a kind; notes come before messages.
 */
function order(entry: Entry): number {
  return entry.type === "note" ? entry.note.id / 1e15 - 1 : entry.message.id;
}

function momentOf(row: { created_at: string } | undefined): number {
  return row === undefined ? 0 : new Date(row.created_at).getTime();
}

/** Id of the first of the newest `count` inbound messages; null where `count` is 0. */
export function firstUnread(newestFirst: MessageView[], count: number): number | null {
  const inbound = newestFirst.filter(({ direction }) => direction === "inbound");
  return count === 0 ? null : (inbound.slice(0, count).at(-1)?.id ?? null);
}
