import type { ConversationStatus } from "./conversation.ts";
import { parseCursorKeys } from "./cursor-keys.ts";
import { minuteMs } from "./durations.ts";

/** Views of the inbox, in the order in which the Dashboard shows them. */
export const inboxViews = [
  "needs_answer",
  "mine",
  "unassigned",
  "waiting",
  "resolved",
  "all",
] as const;
export type InboxView = (typeof inboxViews)[number];

/**
 * Orders of a view. `queue` is the view's own order. `newest` has the newest message first, in any
 * view.
 */
export const inboxOrders = ["queue", "newest"] as const;
export type InboxOrder = (typeof inboxOrders)[number];

/** Maximum number of conversations that are counted in a view. Beyond it the count is "at least". */
export const mostInView = 1_000;

/** Maximum number of conversations in one bulk request. */
export const maxBulk = 100;

/** Facts that place a conversation in the queue. */
export interface QueueFacts {
  status: ConversationStatus;
  customerWaitsSince: Date | null;
  snoozedUntil: Date | null;
  assignedToUserId: number | null;
}

/**
 * Parts of the queue. Each open conversation is in one of them.
 *
 * - `due`: the customer waits. Longest wait first.
 * - `quiet`: nobody waits, since we spoke last or nobody has written. Newest message first.
 * - `snoozed`: a member has snoozed it. The one that comes back first is first.
 */
export type QueuePart = "due" | "quiet" | "snoozed";

/**
 * Parts of a view in its own order, one part after the other. Null for views that resolved
 * conversations are in: there the newest message is first.
 */
export const viewParts = {
  needs_answer: ["due"],
  mine: ["due", "quiet", "snoozed"],
  unassigned: ["due", "quiet", "snoozed"],
  waiting: ["snoozed", "quiet"],
  resolved: null,
  all: null,
} as const satisfies Record<InboxView, readonly QueuePart[] | null>;

/** True while a snooze lasts. It is over at its end, even if nothing has cleared it yet. */
export function isSnoozed({ snoozedUntil }: Pick<QueueFacts, "snoozedUntil">, now: Date): boolean {
  return snoozedUntil !== null && snoozedUntil > now;
}

/** The part of the queue that a conversation is in; null once it is resolved. */
export function queuePart(facts: Omit<QueueFacts, "assignedToUserId">, now: Date) {
  if (facts.status === "resolved") return null;
  if (isSnoozed(facts, now)) return "snoozed" satisfies QueuePart;
  return facts.customerWaitsSince === null ? ("quiet" as const) : ("due" as const);
}

/**
 * True if a conversation is in a view. The list of a view and its count select by the same rules in
 * SQL.
 * @param userId the member who looks.
 */
export function isInView(
  view: InboxView,
  facts: QueueFacts,
  { now, userId }: { now: Date; userId: number },
): boolean {
  const part = queuePart(facts, now);
  switch (view) {
    case "needs_answer":
      return part === "due";
    case "mine":
      return part !== null && facts.assignedToUserId === userId;
    case "unassigned":
      return part !== null && facts.assignedToUserId === null;
    case "waiting":
      return part === "quiet" || part === "snoozed";
    case "resolved":
      return part === null;
    case "all":
      return true;
  }
}

/** Longest answer target of an account: a day. */
export const maxAnswerTargetMinutes = 1_440;

/** Levels of a wait: grey, amber and red in the Dashboard. */
export type WaitLevel = "calm" | "soon" | "late";

/**
 * Level of a wait: `soon` from half of the account's answer target, `late` after the target.
 * @param waitedMs a negative wait, by a clock that is behind, is calm.
 */
export function waitLevel(waitedMs: number, answerTargetMinutes: number): WaitLevel {
  const targetMs = answerTargetMinutes * minuteMs;
  if (waitedMs > targetMs) return "late";
  return waitedMs * 2 >= targetMs ? "soon" : "calm";
}

/** Position of the last conversation on a page of a view. */
export interface QueueCursor {
  part: QueuePart | "newest";
  /** Values of the columns of the order: times in milliseconds, and the id. */
  keys: number[];
}

/** A cursor as it stands in `meta` and in queries. */
export function presentQueueCursor({ part, keys }: QueueCursor): string {
  return [part, ...keys].join("_");
}

/** Number of the moments in a cursor. */
const momentsOf = { due: 2, quiet: 1, snoozed: 1, newest: 1 };

/** The cursor in a text; null for any other text. */
export function parseQueueCursor(text: string): QueueCursor | null {
  const [, name, numbers = ""] = /^(due|quiet|snoozed|newest)_(.*)$/u.exec(text) ?? [];
  if (name === undefined) return null;
  const part = name as QueueCursor["part"];
  const keys = parseCursorKeys(numbers, momentsOf[part]);
  return keys === null ? null : { part, keys };
}

/** Facts that give a conversation its position in a view. */
export interface PlaceFacts extends Omit<QueueFacts, "assignedToUserId"> {
  id: number;
  /** Time of the newest message; of the creation before the first message. */
  sortAt: Date;
}

/** Position of a conversation in a view that it is in, as the list of the view orders by it. */
export function placeInView(
  view: InboxView,
  order: InboxOrder,
  facts: PlaceFacts,
  now: Date,
): QueueCursor {
  const newest = [facts.sortAt.getTime(), facts.id];
  const part = order === "newest" || viewParts[view] === null ? null : queuePart(facts, now);
  switch (part) {
    case null:
      return { part: "newest", keys: newest };
    case "due":
      return { part, keys: [facts.customerWaitsSince?.getTime() ?? 0, ...newest] };
    case "quiet":
      return { part, keys: newest };
    case "snoozed":
      return { part, keys: [facts.snoozedUntil?.getTime() ?? 0, facts.id] };
  }
}

/** Compares two positions in one view: negative if the first comes earlier in its list. */
export function comparePlaces(view: InboxView, one: QueueCursor, other: QueueCursor): number {
  const parts: readonly QueueCursor["part"][] = viewParts[view] ?? ["newest"];
  if (one.part !== other.part) return parts.indexOf(one.part) - parts.indexOf(other.part);
  const sign = one.part === "due" || one.part === "snoozed" ? 1 : -1;
  const at = one.keys.findIndex((key, index) => key !== other.keys[index]);
  return at < 0 ? 0 : sign * ((one.keys[at] ?? 0) - (other.keys[at] ?? 0));
}
