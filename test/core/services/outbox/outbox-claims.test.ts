import { claimDue } from "../../../support/outbox.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { eventCatalogue } from "../../../../core/model/events.ts";
import {
  deleteOutboxRows,
  measureOutbox,
  parkOutboxRow,
  releaseOutboxRows,
} from "../../../../core/services/outbox/outbox-claims.ts";
import { publish } from "../../../../core/services/outbox/outbox.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let accountId: number;

beforeAll(async () => {
  ({ accountId } = await createTestAccount(database.dataSource));
  const target = { url: "https://receiver.example/hook" };
  await createTestSubscription(database.dataSource, accountId, target);
});

beforeEach(async () => {
  await database.dataSource.query("DELETE FROM outbox");
});

async function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return await asSystem(database.dataSource, accountId, work);
}

async function queue(count: number): Promise<void> {
  await inTx(async (tx) => {
    for (let n = 0; n < count; n += 1) {
      await publish(tx, "contact.created", eventCatalogue["contact.created"].sample);
    }
  });
}

async function ids(where = "TRUE"): Promise<number[]> {
  const rows = await database.dataSource.query<{ id: number }[]>(
    `SELECT id FROM outbox WHERE ${where} ORDER BY available_at, id`,
  );
  return rows.map(({ id }) => id);
}

test("a claim locks only the rows it takes, the oldest, out of 1,000 that are due", async () => {
  await queue(1_000);
  const all = await ids();
  await inTx(async (tx) => {
    const claimed = await claimDue(tx, 100);
    expect(claimed.map(({ id }) => id)).toEqual(all.slice(0, 100));
    // What another connection can still lock while the claim is not committed.
    const free = await inTx((other) =>
      other.manager.query<{ id: number }[]>(
        "SELECT id FROM outbox ORDER BY id FOR UPDATE SKIP LOCKED",
      ),
    );
    expect(free.map(({ id }) => id)).toEqual(all.slice(100).toSorted((a, b) => a - b));
  });
});

test("two claims at once take different rows, and neither waits for the other", async () => {
  await queue(30);
  await inTx(async (tx) => {
    const first = await claimDue(tx, 20);
    const second = await inTx((other) => claimDue(other, 20));
    expect(first).toHaveLength(20);
    expect(second).toHaveLength(10);
    const both = [...first, ...second].map(({ id }) => id);
    expect(new Set(both).size).toBe(30);
  });
  expect(await inTx((tx) => claimDue(tx, 20))).toEqual([]);
});

test("what has been due for longest is claimed first, whatever its id", async () => {
  await queue(3);
  const [first = 0, second = 0, third = 0] = await ids();
  await database.dataSource.query(
    "UPDATE outbox SET available_at = UTC_TIMESTAMP(3) - INTERVAL 1 HOUR WHERE id = ?",
    [third],
  );
  await database.dataSource.query(
    "UPDATE outbox SET available_at = UTC_TIMESTAMP(3) + INTERVAL 1 HOUR WHERE id = ?",
    [first],
  );
  const claimOne = async () => (await inTx((tx) => claimDue(tx, 1))).map(({ id }) => id);
  expect(await claimOne()).toEqual([third]);
  expect(await claimOne()).toEqual([second]);
  expect(await claimOne()).toEqual([]);
});

test("a claimed row tells what its run is made of", async () => {
  await queue(1);
  const [delivery] = await database.dataSource.query(
    "SELECT id, workflow_id, subscription_id FROM deliveries ORDER BY id DESC LIMIT 1",
  );
  expect(await inTx((tx) => claimDue(tx, 10))).toEqual([
    {
      id: expect.any(Number),
      account_id: accountId,
      kind: "delivery",
      partition_key: expect.stringMatching(/^\d+:receiver\.example$/),
      attempts: 0,
      taken_over: false,
      command: null,
      delivery_id: delivery.id,
      asked_run: 1,
      run: 1,
      first_number: 1,
      state: "queued",
      via: "workflow",
      attempts_made: 0,
      next_attempt_at: null,
      discard_at: null,
      last_status_code: null,
      last_error_class: null,
      workflow_id: delivery.workflow_id,
      subscription_id: delivery.subscription_id,
      max_concurrency: null,
      event_type: "contact.created",
      conversation_id: eventCatalogue["contact.created"].sample.conversation_id,
    },
  ]);
});

test("released rows come back after a pause that grows to five seconds", async () => {
  await queue(1);
  const pauses: number[] = [];
  for (let n = 1; n <= 25; n += 1) {
    await database.dataSource.query("UPDATE outbox SET available_at = '2020-01-01'");
    const [row] = await inTx((tx) => claimDue(tx, 1));
    await inTx((tx) => releaseOutboxRows(tx, [row?.id ?? 0], "GRPC_14"));
    const [left] = await database.dataSource.query<{ ms: string; last_error: string }[]>(
      "SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), available_at) / 1000 AS ms, last_error FROM outbox",
    );
    expect(left?.last_error).toBe("GRPC_14");
    pauses.push(Math.round(Number(left?.ms) / 250) * 250);
  }
  expect(pauses.slice(0, 3)).toEqual([250, 500, 750]);
  expect(pauses.slice(-6)).toEqual([5_000, 5_000, 5_000, 5_000, 5_000, 5_000]);
});

test("parked rows are neither claimed nor counted as waiting", async () => {
  await queue(2);
  const [first = 0, second = 0] = await ids();
  await inTx((tx) => parkOutboxRow(tx, first, "INVALID_ARGUMENT"));
  expect((await inTx((tx) => claimDue(tx, 10))).map(({ id }) => id)).toEqual([second]);
  expect(await inTx((tx) => measureOutbox(tx))).toMatchObject({ rows: 1, parked: 1 });
  await inTx((tx) => deleteOutboxRows(tx, [second]));
  expect(await inTx((tx) => measureOutbox(tx))).toEqual({ rows: 0, oldestSeconds: 0, parked: 1 });
});

test("the oldest row's age is measured from when it was written", async () => {
  await queue(2);
  const [first = 0] = await ids();
  await database.dataSource.query(
    "UPDATE outbox SET created_at = UTC_TIMESTAMP(3) - INTERVAL 90 SECOND WHERE id = ?",
    [first],
  );
  const { rows, oldestSeconds } = await inTx((tx) => measureOutbox(tx));
  expect(rows).toBe(2);
  expect(oldestSeconds).toBeGreaterThanOrEqual(90);
  expect(oldestSeconds).toBeLessThan(100);
});
