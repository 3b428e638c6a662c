import { expect, test } from "vitest";
import { conversationStatuses } from "../../../core/model/conversation.ts";
import {
  comparePlaces,
  inboxViews,
  isInView,
  parseQueueCursor,
  placeInView,
  presentQueueCursor,
  queuePart,
  viewParts,
  waitLevel,
  type InboxOrder,
  type InboxView,
  type PlaceFacts,
  type QueueFacts,
} from "../../../core/model/inbox-queue.ts";

const now = new Date("2026-03-02T10:00:00Z");
const before = new Date("2026-03-02T09:00:00Z");
const after = new Date("2026-03-02T11:00:00Z");
const looking = { now, userId: 7 };
const waits: QueueFacts = {
  status: "active",
  customerWaitsSince: before,
  snoozedUntil: null,
  assignedToUserId: null,
};

test.each<[string, Partial<QueueFacts>, string[]]>([
  ["waits for an answer", {}, ["needs_answer", "unassigned", "all"]],
  ["has its answer", { customerWaitsSince: null }, ["unassigned", "waiting", "all"]],
  ["is snoozed", { snoozedUntil: after }, ["unassigned", "waiting", "all"]],
  ["was snoozed until now", { snoozedUntil: now }, ["needs_answer", "unassigned", "all"]],
  ["was snoozed until before", { snoozedUntil: before }, ["needs_answer", "unassigned", "all"]],
  ["is mine", { assignedToUserId: 7 }, ["needs_answer", "mine", "all"]],
  ["is another person's", { assignedToUserId: 8 }, ["needs_answer", "all"]],
  ["is mine and snoozed", { assignedToUserId: 7, snoozedUntil: after }, ["mine", "waiting", "all"]],
  ["is resolved", { status: "resolved", assignedToUserId: 7 }, ["resolved", "all"]],
  ["is resolved, of nobody", { status: "resolved", customerWaitsSince: null }, ["resolved", "all"]],
  ["is with people", { status: "handed_off" }, ["needs_answer", "unassigned", "all"]],
  ["has the status waiting", { status: "waiting" }, ["needs_answer", "unassigned", "all"]],
])("a conversation that %s is in its views", (_, facts, views) => {
  expect(inboxViews.filter((view) => isInView(view, { ...waits, ...facts }, looking))).toEqual(
    views,
  );
});

test("every open conversation is in one part, and in a view that has the part", () => {
  for (const status of conversationStatuses) {
    for (const customerWaitsSince of [null, before]) {
      for (const snoozedUntil of [null, before, after]) {
        const facts = { ...waits, status, customerWaitsSince, snoozedUntil };
        const part = queuePart(facts, now);
        const holding = (["needs_answer", "waiting"] as const).filter((view) =>
          (viewParts[view] as readonly (typeof part)[]).includes(part),
        );
        expect(holding).toHaveLength(status === "resolved" ? 0 : 1);
        for (const view of holding) expect(isInView(view, facts, looking)).toBe(true);
      }
    }
  }
});

test("a cursor reads back as it was, and no other text is a cursor", () => {
  const cursor = { part: "due" as const, keys: [1_700_000_000_000, 1_700_000_000_001, 42] };
  expect(parseQueueCursor(presentQueueCursor(cursor))).toEqual(cursor);
  for (const text of [
    "",
    "due",
    "due_1",
    "due_1_2",
    "quiet_1_2_3",
    "new_1_2",
    "snoozed_1_x",
    "due_1_2_3_",
    "due_1_253402300800000_3",
  ]) {
    expect(parseQueueCursor(text)).toBeNull();
  }
});

test.each([
  [-1, 30, "calm"],
  [0, 30, "calm"],
  [15 * 60_000 - 1, 30, "calm"],
  [15 * 60_000, 30, "soon"],
  [30 * 60_000, 30, "soon"],
  [30 * 60_000 + 1, 30, "late"],
  [29_999, 1, "calm"],
  [30_000, 1, "soon"],
  [60_001, 1, "late"],
  [1_440 * 60_000, 1_440, "soon"],
] as const)("a wait of %d ms against a target of %d min is %s", (waitedMs, target, level) => {
  expect(waitLevel(waitedMs, target)).toBe(level);
});

/** Ids in the order of a view. */
function orderOf(view: InboxView, order: InboxOrder, rows: PlaceFacts[]): number[] {
  const places = rows.map((row) => placeInView(view, order, row, now));
  const sorted = places.toSorted((one, other) => comparePlaces(view, one, other));
  return sorted.map(({ keys }) => keys.at(-1) ?? 0);
}

test("a view orders by wait, then by the newest message, then by the end of the snooze", () => {
  const longest = { ...waits, id: 1, sortAt: now };
  const shorter = { ...waits, id: 2, sortAt: now, customerWaitsSince: now };
  const answered = { ...waits, id: 3, sortAt: before, customerWaitsSince: null };
  const justAnswered = { ...answered, id: 4, sortAt: now };
  const snoozed = { ...waits, id: 5, sortAt: now, snoozedUntil: after };
  const rows = [snoozed, answered, shorter, justAnswered, longest];
  expect(orderOf("mine", "queue", rows)).toEqual([1, 2, 4, 3, 5]);
  expect(orderOf("waiting", "queue", [answered, snoozed, justAnswered])).toEqual([5, 4, 3]);
  expect(orderOf("all", "queue", rows)).toEqual([5, 4, 2, 1, 3]);
  expect(orderOf("mine", "newest", rows)).toEqual([5, 4, 2, 1, 3]);
});
