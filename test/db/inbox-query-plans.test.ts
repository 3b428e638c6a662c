import { expect, test } from "vitest";
import { inboxViews, type InboxView, type QueueCursor } from "../../core/model/inbox-queue.ts";
import { listConversations } from "../../core/services/read-models/conversation-list.ts";
import { countEach, countViews } from "../../core/services/read-models/inbox-counts.ts";
import { listView } from "../../core/services/read-models/inbox-views.ts";
import type { DataSource } from "typeorm";
import type { Tx } from "../../db/transaction.ts";
import { usePlans } from "../support/query-plans.ts";
import { fillForPlans } from "./plan-rows.ts";

const { plansOf } = usePlans(fill);

async function fill(dataSource: DataSource): Promise<void> {
  await fillForPlans(dataSource);
  await dataSource.query(
    `UPDATE conversations SET customer_waits_since = IF(id % 3, sort_at, NULL),
       snoozed_until = IF(id % 11, NULL, NOW(3) + INTERVAL CAST(id % 90 AS SIGNED) - 10 MINUTE)`,
  );
  await dataSource.query("ANALYZE TABLE conversations");
}

/** The member who looks at the plans; accounts of the plans have people of any id. */
function asPerson(work: (tx: Tx) => Promise<unknown>) {
  return async (tx: Tx) =>
    await work({ ...tx, actor: { type: "user", userId: 1, accountId: 2, role: "agent" } });
}

const cursors: [InboxView, QueueCursor | undefined][] = [
  ["needs_answer", undefined],
  ["needs_answer", { part: "due", keys: [Date.now() - 1_000_000, Date.now() - 1_000_000, 50] }],
  ["unassigned", { part: "due", keys: [Date.now() - 1_000_000, Date.now() - 1_000_000, 50] }],
  ["waiting", { part: "quiet", keys: [Date.now() - 1_000_000, 50] }],
  ["mine", { part: "quiet", keys: [Date.now() - 1_000_000, 50] }],
];

test.each(cursors)(
  "conversations of %s are read in the order of an index, without their rows (after %j)",
  async (view, cursor) => {
    const list = asPerson(async (tx) => await listView(tx, {}, { view, limit: 5, cursor }));
    const steps = (await plansOf(list)).filter(({ table }) => table === "c");
    // The last selection of a part holds the few whose snooze has just ended; they are sorted.
    const sorted = steps.filter(({ Extra }) => /filesort|temporary/.test(Extra ?? ""));
    expect(steps.length - sorted.length).toBeGreaterThanOrEqual(4);
    expect(sorted.length).toBeLessThanOrEqual(2);
    for (const { key, type, Extra } of steps) {
      expect(key).toMatch(/^conversations_(queue|assignee_queue)$/);
      expect(["range", "ref"]).toContain(type);
      expect(Extra).toContain("Using index");
    }
  },
);

test("snoozed conversations come in the order of the index of snoozes", async () => {
  const list = asPerson(async (tx) => await listView(tx, {}, { view: "waiting", limit: 5 }));
  const first = (await plansOf(list)).find(({ key }) => key === "conversations_snoozed");
  expect(first).toMatchObject({ table: "c", type: "range" });
  expect(first?.Extra ?? "").not.toMatch(/filesort|temporary/);
});

test("all views are counted in indexes alone, by ranges, and nothing is sorted", async () => {
  const steps = (await plansOf(asPerson(countViews))).filter(({ table }) => table === "c");
  const keys = steps.map(({ key }) => key);
  expect(keys.filter((key, index) => key !== keys[index - 1])).toEqual([
    "conversations_queue",
    "conversations_assignee_queue",
    "conversations_queue",
    "conversations_status",
    "conversations_newest",
  ]);
  for (const { type, Extra } of steps) {
    expect(["range", "ref"]).toContain(type);
    expect(Extra).toContain("Using index");
    expect(Extra).not.toMatch(/filesort|temporary/);
  }
});

test("a saved view reads no row for its channel, assignee, tag or stage", async () => {
  const filter = { channel: "web", assigned_to_user_id: 4, tag: "vip", stage_id: 4 } as const;
  const count = asPerson(async (tx) =>
    countEach(tx, [
      { view: "needs_answer", filter },
      { view: "waiting", filter },
      { view: "unassigned", filter: { tag: "vip" } },
    ]),
  );
  const steps = (await plansOf(count)).filter(({ table }) => table === "c");
  expect(steps.length).toBeGreaterThan(2);
  for (const { key, Extra } of steps) {
    expect(key).toBe("conversations_assignee_queue");
    expect(Extra).toContain("Using index");
  }
});

test.each([
  { channel: "web" as const },
  { assigned_to_user_id: 4 },
  { assigned_to_user_id: null },
  { tag: "vip" },
  { stage_id: 4 },
])("a saved view with %j scans no table", async (filter) => {
  const count = asPerson(async (tx) => {
    const counts = await countEach(
      tx,
      inboxViews.map((view) => ({ view, filter })),
    );
    expect(counts).toHaveLength(inboxViews.length);
  });
  for (const { type, Extra, table } of await plansOf(count)) {
    // No table: MySQL sees that nothing can match.
    if (table === null || table.startsWith("<")) continue;
    expect(["range", "ref", "eq_ref"]).toContain(type);
    expect(Extra ?? "").not.toMatch(/filesort|temporary/);
  }
});

test("the conversations of changed contacts are read by an index on the contact", async () => {
  const list = asPerson(async (tx) =>
    listConversations(tx, { contact_ids: [1, 2, 3], limit: 100, offset: 0 }),
  );
  const steps = (await plansOf(list)).filter(({ table }) => table === "c");
  expect(steps.length).toBeGreaterThan(0);
  for (const { key } of steps) expect(key).toBe("conversations_contact");
});
