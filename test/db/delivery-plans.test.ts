import { beforeAll, expect, onTestFinished, test } from "vitest";
import { deliveryStates, retryWaitsMs } from "../../core/model/workflow/delivery.ts";
import { beginAttempts } from "../../core/services/deliveries/begin-attempts.ts";
import { completeAttempts } from "../../core/services/deliveries/complete-attempts.ts";
import { cancelOpenDeliveries, listAttempts } from "../../core/services/deliveries/deliveries.ts";
import {
  holdOpenDeliveries,
  resumeHeldDeliveries,
} from "../../core/services/deliveries/delivery-holds.ts";
import {
  countDeliveries,
  listInOutbox,
  recoverLostRun,
} from "../../core/services/deliveries/lost-deliveries.ts";
import { signalDelivery } from "../../core/services/outbox/outbox.ts";
import { claimOutboxRows, listPartitions } from "../../core/services/outbox/outbox-claims.ts";
import { replayBatch } from "../../core/services/deliveries/replay-batches.ts";
import {
  changeReplay,
  draftReplay,
  listReplays,
  type ReplayInput,
} from "../../core/services/deliveries/replays.ts";
import { systemOf, transaction, type Tx } from "../../db/transaction.ts";
import { createTestDatabase } from "../support/database.ts";
import { explain } from "../support/query-plans.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const rows = 3_000;
/** Of account 2, as every look is. */
const subscriptionId = 7;

beforeAll(async () => {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;
  const fill = async (table: string, columns: string, select: string) =>
    await database.dataSource.query(
      `INSERT INTO ${table} (${columns}) ${numbers}
       SELECT /*+ SET_VAR(cte_max_recursion_depth = 1000000) */ ${select} FROM n`,
    );
  const account = "IF(i % 40 = 6, 2, 1 + i % 4)";
  const states = deliveryStates.map((state) => `'${state}'`).join(", ");
  const event = "UNHEX(LPAD(HEX(i), 32, '0'))";
  await fill("accounts", "name, settings", "'a', '{}'");
  await fill(
    "subscriptions",
    "account_id, name, url, events, state",
    `IF(i = ${subscriptionId}, 2, 1 + i % 4), 's', 'https://x/', '["*"]', 'active'`,
  );
  await fill(
    "subscription_secrets",
    "account_id, subscription_id, sealed, key_id",
    `${account}, i, 's', 'k'`,
  );
  await fill(
    "events",
    "id, account_id, type, body, occurred_at",
    `${event}, ${account}, 'contact.created', '{}', NOW()`,
  );
  await fill(
    "deliveries",
    "account_id, event_id, subscription_id, event_type, state",
    `${account}, ${event}, 1 + i % 40, 'contact.created', ELT(1 + i DIV 40 % ${deliveryStates.length}, ${states})`,
  );
  await fill(
    "delivery_attempts",
    "account_id, delivery_id, run, seq, number, started_at, request_url",
    `${account}, i, 1, 1, 1, NOW(), 'https://x/'`,
  );
  await fill(
    "outbox",
    "account_id, kind, delivery_id, lane, available_at",
    `${account}, 'delivery', i, CONCAT(${account}, ':h', i % 5), UTC_TIMESTAMP(3) - INTERVAL i SECOND`,
  );
  await database.dataSource.query(
    "ANALYZE TABLE accounts, subscriptions, subscription_secrets, events, deliveries, delivery_attempts, outbox",
  );
});

/** Index entries that the session has read in their order. */
async function readEntries(tx: Tx): Promise<number> {
  const [status] = await tx.manager.query<{ Value: string }[]>(
    "SHOW SESSION STATUS LIKE 'Handler_read_next'",
  );
  return Number(status?.Value);
}

const plansOf = async (work: (tx: Tx) => Promise<unknown>) =>
  await explain(database.dataSource, work);

test("what the outbox still holds of late runs is found by the deliveries", async () => {
  const found = await plansOf((tx) => listInOutbox(tx, [3, 4, 5]));
  expect(found).toMatchObject([{ table: "outbox", key: "outbox_delivery", type: "range" }]);
});

test("the attempts of a delivery are passed over in their index, and only those shown are read", async () => {
  const steps = await plansOf((tx) => listAttempts(tx, 5, { limit: 50, offset: 500 }));
  const page = steps.filter(({ key }) => key === "delivery_attempts_seq");
  expect(page.map(({ Extra }) => Extra)).toEqual([
    expect.stringMatching(/Backward index scan; Using index/),
    expect.stringMatching(/Using index/),
  ]);
  expect(steps.filter(({ type, table }) => type === "ALL" && table !== "<derived2>")).toEqual([]);
});

test("a signal that is pending is found by its delivery", async () => {
  const steps = await plansOf((tx) =>
    signalDelivery(tx, { id: 5, run: 1 }, { signal: "retryNow", attemptsMade: 1 }),
  );
  const read = steps.filter(({ table, key }) => table === "outbox" && key !== null);
  expect(read).toMatchObject([{ key: "outbox_delivery", type: "ref" }]);
});

test("the requests of one account are claimed in the order of their index, and lock no others", async () => {
  await database.dataSource.query(
    "UPDATE outbox SET kind = 'request', lane = CONCAT('-:', account_id) WHERE id % 2 = 0",
  );
  await transaction(database.dataSource, systemOf(), async (tx) => {
    const quotas = [1, 3].map((account) => ({ key: `-:${account}`, limit: 10 }));
    const rows = await claimOutboxRows(tx, quotas);
    expect(rows.map(({ partition_key }) => partition_key).toSorted()).toEqual(
      quotas.flatMap(({ key, limit }) => Array.from({ length: limit }, () => key)),
    );
    const [locks] = await tx.manager.query<{ n: number }[]>(
      "SELECT trx_rows_locked AS n FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID()",
    );
    // Each row counts once in the index it was found by and once itself.
    expect(Number(locks?.n)).toBeLessThanOrEqual(3 * 20);
  });
});

test("a lost run is taken up by the ids of its delivery and its subscription", async () => {
  const steps = await plansOf(async (tx) => {
    const now = new Date(tx.now.getTime() + 3_600_000);
    await tx.manager.query("UPDATE deliveries SET state = 'waiting' WHERE id = 5");
    expect(await recoverLostRun({ ...tx, now }, { id: 5, run: 1 })).toBe("restarted");
  });
  expect(steps.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
});

test("deliveries are counted by reading one index in its order, and no row", async () => {
  const steps = await plansOf((tx) => countDeliveries(tx));
  const count = steps.find(({ table }) => table === "deliveries");
  expect(count).toMatchObject({ key: "deliveries_state", type: "index", Extra: "Using index" });
});

test("due partitions are found by one dive into the index for each", async () => {
  const [partitions] = await plansOf((tx) => listPartitions(tx));
  expect(partitions).toMatchObject({ table: "outbox", key: "outbox_lane", type: "range" });
  expect(partitions?.Extra).toMatch(/Using index for group-by/);
});

test("an attempt finds its delivery, subscription, event, secret and health by their keys", async () => {
  const attempt = { accountId: 2, deliveryId: 5, run: 1, seq: 1, number: 1, manual: false };
  const steps = await plansOf(async (tx) => {
    await tx.manager.query("UPDATE deliveries SET state = 'queued' WHERE id = 5");
    const input = { ...attempt, waitsMs: [...retryWaitsMs] };
    const begun = await beginAttempts(tx, [input], () => true);
    expect(begun).toMatchObject([{ go: true }]);
    const record = {
      ok: false,
      durationMs: 1,
      statusCode: 500,
      errorClass: "http_status",
      requestHeaders: {},
      responseHeaders: null,
      responseExcerpt: null,
      ip: null,
      waitMs: 30_000,
    };
    await completeAttempts(tx, [{ input, record }]);
  });
  expect(steps.map(({ table }) => table)).toContain("h");
  // A null type is a row that a key did not lead to: this receiver has not failed before.
  const byKey = [null, "const", "eq_ref", "ref", "range"];
  // What was sent along with the statement is derived, and read whole.
  const read = steps.filter(({ table }) => !table?.startsWith("<derived"));
  expect(read.filter(({ type }) => !byKey.includes(type))).toEqual([]);
  expect(steps.filter(({ Extra }) => /temporary/.test(Extra ?? ""))).toEqual([]);
});

/** As MySQL takes it for until it has counted again: in a young installation that is often so. */
async function takeForEmpty(table: string): Promise<void> {
  const { dataSource } = database;
  await dataSource.query(
    "UPDATE mysql.innodb_table_stats SET n_rows = 0 WHERE database_name = DATABASE() AND table_name = ?",
    [table],
  );
  await dataSource.query(`FLUSH TABLE ${table}`);
}

test.each([
  ["all tables are counted", async () => {}],
  ["events are taken for none", async () => await takeForEmpty("events")],
])(
  "a replay counts and takes its subscription's deliveries in the order of their index where %s",
  async (_, before) => {
    await before();
    onTestFinished(async () => void (await database.dataSource.query("ANALYZE TABLE events")));
    const steps = await plansOf(async (tx) => {
      const wish = { since: null, states: ["discarded", "skipped"] } satisfies ReplayInput;
      const { id } = await draftReplay(tx, subscriptionId, wish, 20);
      await changeReplay(tx, id, "start");
      const bounds = { size: 5, looks: 30 };
      expect(await replayBatch(tx, { replayId: id, run: 1 }, bounds)).toMatchObject({ queued: 5 });
      await listReplays(tx, subscriptionId, { limit: 50, offset: 0 });
    });
    // Where the count and the batch end, and what of it fits.
    const own = steps.filter(({ key }) => key === "deliveries_subscription");
    expect(own).toHaveLength(4);
    expect(own.filter(({ Extra }) => /filesort|temporary/.test(Extra ?? ""))).toEqual([]);
    const others = steps.filter(({ table }) => table === "d" || table === "deliveries");
    const byId = others.filter((step) => !own.includes(step));
    expect(new Set(byId.map(({ key }) => key))).toEqual(new Set(["PRIMARY"]));
    // Where the count ends is derived, and read whole.
    const read = steps.filter(({ table }) => !table?.startsWith("<derived"));
    expect(read.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
  },
);

test("a batch of a replay reads no more than it looks at, though nothing there fits", async () => {
  await plansOf(async (tx) => {
    const { id } = await draftReplay(tx, subscriptionId, { since: null, states: ["skipped"] });
    await changeReplay(tx, id, "start");
    // As if all had been sent again meanwhile.
    await tx.manager.query("UPDATE deliveries SET state = 'delivered' WHERE state = 'skipped'");
    const before = await readEntries(tx);
    const batch = await replayBatch(tx, { replayId: id, run: 1 }, { size: 5, looks: 10 });
    expect(batch).toMatchObject({ done: false, queued: 0 });
    // Once for where the look ends, once for what fits; the subscription has 75.
    expect((await readEntries(tx)) - before).toBeLessThanOrEqual(2 * 10);
  });
});

test("the batches of a resumed subscription read the held deliveries of others once", async () => {
  await plansOf(async (tx) => {
    // No attempt is under way.
    await tx.manager.query("UPDATE delivery_attempts SET duration_ms = 5");
    const [count] = await tx.manager.query<{ held: number }[]>(
      "SELECT COUNT(*) AS held FROM deliveries WHERE account_id = 2 AND state = 'held'",
    );
    const before = await readEntries(tx);
    let batches = 0;
    for (let after: number | null = 0; after !== null && batches < 100; batches += 1) {
      ({ next: after } = await resumeHeldDeliveries(tx, subscriptionId, 1, after));
    }
    expect(batches).toBeGreaterThan(5);
    // Some more entries for each delivery that was resumed.
    expect((await readEntries(tx)) - before).toBeLessThan(2 * Number(count?.held));
  });
});

test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ["held", (tx) => holdOpenDeliveries(tx, subscriptionId, 20)],
  ["resumed", (tx) => resumeHeldDeliveries(tx, subscriptionId, 20)],
  ["cancelled", (tx) => cancelOpenDeliveries(tx, subscriptionId, 20)],
])("a batch that is %s reads open or held deliveries alone, and sorts none", async (what, work) => {
  const steps = await plansOf(async (tx) => {
    const state = what === "held" ? "paused" : "active";
    await tx.manager.query("UPDATE subscriptions SET state = ? WHERE id = ?", [
      state,
      subscriptionId,
    ]);
    await work(tx);
  });
  const own = steps.filter(({ key }) => key === "deliveries_state");
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter(({ Extra }) => /filesort/.test(Extra ?? ""))).toEqual([]);
  // What a batch has read itself is derived, and read whole.
  const read = steps.filter(({ table }) => !table?.startsWith("<derived"));
  expect(read.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
});
