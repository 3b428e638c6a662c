import { expect, test } from "vitest";
import {
  canChangeDelivery,
  deliveryStates,
  deliveryTransitions,
  isFinishedDelivery,
  type DeliveryState,
} from "../../../../core/model/workflow/delivery.ts";
import {
  DeliveryStateError,
  setDelivered,
  setDeliveryState,
  setDeliveryStateWhere,
  type DeliveryChange,
} from "../../../../core/services/deliveries/delivery-state.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { asSystem } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const accountId = 1;
const subscriptionId = 7;
const at = new Date("2030-01-02T03:04:05.678Z");
const run = { run: 3, number: 2, workflowId: "delivery-x-7-r3" };

const changes: DeliveryChange[] = [
  { trigger: "send", path: { via: "relay", workflowId: null } },
  {
    trigger: "fail",
    attemptsMade: 2,
    nextAttemptAt: at,
    discardAt: null,
    statusCode: 500,
    errorClass: "http_status",
    workflowId: "delivery-x-7",
  },
  { trigger: "discard" },
  { trigger: "hold", reason: "subscription_paused" },
  { trigger: "cancel", reason: "erased" },
  { trigger: "restart", ...run, userId: 5 },
  { trigger: "restartLater", ...run, userId: null, at },
  { trigger: "recover", ...run },
];

/** The trigger `arrive` takes an answer for each delivery. */
const steps: { trigger: DeliveryChange["trigger"] | "arrive"; change: DeliveryChange | null }[] = [
  ...changes.map((change) => ({ trigger: change.trigger, change })),
  { trigger: "arrive", change: null },
];

let count = 0;

async function insertDelivery(state: DeliveryState): Promise<number> {
  const { insertId } = await database.dataSource.query<{ insertId: number }>(
    `INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state, updated_at, finished_at)
     VALUES (?, UNHEX(LPAD(HEX(?), 32, '0')), ?, 'contact.created', ?, '2020-01-01', ?)`,
    [accountId, (count += 1), subscriptionId, state, isFinishedDelivery(state) ? at : null],
  );
  return insertId;
}

async function readDelivery(id: number): Promise<Record<string, unknown>> {
  const [row = {}] = await database.dataSource.query<Record<string, unknown>[]>(
    "SELECT * FROM deliveries WHERE id = ?",
    [id],
  );
  return row;
}

const inAccount = async <T>(work: (tx: Tx) => Promise<T>) =>
  await asSystem(database.dataSource, accountId, work);

const set = async (ids: number[], change: DeliveryChange | null) =>
  await inAccount(async (tx) => {
    if (change === null)
      await setDelivered(
        tx,
        ids.map((id) => ({ id, seq: 1, statusCode: 204 })),
      );
    else await setDeliveryState(tx, ids, change);
  });

test.each(steps)("$trigger leads to its state from those of the table", async (step) => {
  const { to, from } = deliveryTransitions[step.trigger];
  for (const state of from) {
    const id = await insertDelivery(state);
    await set([id], step.change);
    const row = await readDelivery(id);
    expect(row).toMatchObject({ state: to });
    expect(row.updated_at).not.toEqual(new Date("2020-01-01"));
    // The retention of the log counts from the end.
    expect(row.finished_at !== null).toBe(isFinishedDelivery(to));
  }
});

test.each(steps)("a refused $trigger changes nothing", async ({ trigger, change }) => {
  const allowed = await insertDelivery(deliveryTransitions[trigger].from[0]);
  for (const state of deliveryStates.filter((one) => !canChangeDelivery(one, trigger))) {
    const refused = await insertDelivery(state);
    const before = [await readDelivery(allowed), await readDelivery(refused)];
    await expect(set([allowed, refused], change)).rejects.toThrow(DeliveryStateError);
    expect([await readDelivery(allowed), await readDelivery(refused)]).toEqual(before);
  }
});

test("a set of deliveries leaves those out that the table refuses, and counts the others", async () => {
  const ids = await Promise.all(deliveryStates.map(insertDelivery));
  const cancel: DeliveryChange = { trigger: "cancel", reason: "erased" };
  expect(await inAccount((tx) => setDeliveryStateWhere(tx, { ids }, cancel))).toBe(4);
  const states = await Promise.all(ids.map(async (id) => (await readDelivery(id)).state));
  const cancelled = ["queued", "sending", "waiting", "held"];
  expect(states).toEqual(
    deliveryStates.map((state) => (cancelled.includes(state) ? "cancelled" : state)),
  );
});

test("a set of a subscription has a limit and keeps to its account and its subscription", async () => {
  await database.dataSource.query("DELETE FROM deliveries");
  for (let n = 0; n < 3; n += 1) await insertDelivery("queued");
  const [other, foreign] = [await insertDelivery("queued"), await insertDelivery("queued")];
  await database.dataSource.query("UPDATE deliveries SET subscription_id = 8 WHERE id = ?", [
    other,
  ]);
  await database.dataSource.query("UPDATE deliveries SET account_id = 2 WHERE id = ?", [foreign]);
  const hold: DeliveryChange = { trigger: "hold", reason: "subscription_disabled" };
  const window = { after: 0, through: null, firstId: null };
  const some = { subscriptionId, limit: 2, window };
  const held = async () => await inAccount((tx) => setDeliveryStateWhere(tx, some, hold));
  expect([await held(), await held(), await held()]).toEqual([2, 1, 0]);
  expect(await readDelivery(other)).toMatchObject({ state: "queued" });
  expect(await readDelivery(foreign)).toMatchObject({ state: "queued" });
});

test("a delivery that is named twice counts once", async () => {
  const id = await insertDelivery("sending");
  await set([id, id], null);
  expect(await readDelivery(id)).toMatchObject({ state: "delivered", last_status_code: 204 });
});

test("each state keeps the columns that belong to it", async () => {
  const keep = async (from: DeliveryState, change: DeliveryChange) => {
    const id = await insertDelivery(from);
    await database.dataSource.query(
      "UPDATE deliveries SET next_attempt_at = ?, discard_at = ?, workflow_id = 'w', reason = 'r' WHERE id = ?",
      [at, at, id],
    );
    await set([id], change);
    return await readDelivery(id);
  };
  expect(await keep("waiting", { trigger: "hold", reason: "subscription_paused" })).toMatchObject({
    reason: "subscription_paused",
    next_attempt_at: at,
    discard_at: null,
  });
  expect(await keep("held", { trigger: "cancel", reason: "subscription_deleted" })).toMatchObject({
    reason: "subscription_deleted",
    next_attempt_at: null,
    discard_at: null,
  });
  const next = { run: 3, first_number: 2, workflow_id: run.workflowId, attempts_made: 0 };
  const begun = { ...next, via: "workflow", reason: null };
  expect(await keep("skipped", { trigger: "restart", ...run, userId: 5 })).toMatchObject({
    ...begun,
    next_attempt_at: null,
    discard_at: null,
    actor: { user_id: 5 },
  });
  expect(await keep("held", { trigger: "restartLater", ...run, userId: null, at })).toMatchObject({
    ...begun,
    next_attempt_at: at,
    discard_at: null,
    actor: null,
  });
  // The last wait keeps its end: a manual attempt does not move it.
  expect(await keep("waiting", { trigger: "recover", ...run })).toMatchObject({
    ...begun,
    next_attempt_at: null,
    discard_at: at,
  });
});
