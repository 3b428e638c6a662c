import { expect, test } from "vitest";
import { resumeHeldDeliveries } from "../../core/services/deliveries/delivery-holds.ts";
import { claimDue } from "../support/outbox.ts";
import { asSystem } from "../support/accounts.ts";
import {
  answerWith,
  createAttemptFixture,
  queueDelivery,
  readDelivery,
  readRow,
  type Queued,
} from "./attempt-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);

const sql = async (text: string, values: unknown[]) =>
  await fixture.database.dataSource.query(text, values);

const setState = async ({ subscriptionId }: Queued, state: string) =>
  await sql("UPDATE subscriptions SET state = ?, account_id = ? WHERE id = ?", [
    state,
    fixture.account.accountId,
    subscriptionId,
  ]);

const of = ({ subscriptionId }: Queued) => ({
  accountId: fixture.account.accountId,
  subscriptionId,
});

const hold = async (queued: Queued) => await fixture.activities.holdDeliveriesBatch(of(queued));
const resume = async (queued: Queued) => await fixture.activities.resumeDeliveriesBatch(of(queued));

/** A delivery whose first attempts failed, on a paused subscription. */
async function pausedAfter(attempts: number): Promise<Queued> {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  for (let seq = 1; seq <= attempts; seq += 1) await queued.attempt({ seq });
  await sql("DELETE FROM outbox", []);
  await setState(queued, "paused");
  return queued;
}

const readRun = async ({ deliveryId }: Queued) =>
  await readRow<Record<string, unknown>>(
    fixture,
    `SELECT run, first_number, state, reason, attempts_made, next_attempt_at, discard_at, workflow_id
       FROM deliveries WHERE id = ?`,
    [deliveryId],
  );

test("held in a wait, resumed before its end: the same number, at the same time", async () => {
  const queued = await pausedAfter(2);
  const before = await readDelivery(fixture, queued);
  expect(await hold(queued)).toEqual({ held: 1, done: true });
  expect(await readRun(queued)).toMatchObject({
    state: "held",
    reason: "subscription_paused",
    attempts_made: 2,
    next_attempt_at: before?.next_attempt_at,
  });
  expect(await resume(queued)).toEqual({ resumed: 0, done: true });
  await setState(queued, "active");
  expect(await hold(queued)).toEqual({ held: 0, done: true });
  expect(await resume(queued)).toEqual({ resumed: 1, done: true });
  expect(await readRun(queued)).toEqual({
    run: 2,
    first_number: 3,
    state: "waiting",
    reason: null,
    attempts_made: 0,
    next_attempt_at: before?.next_attempt_at,
    discard_at: null,
    workflow_id: `delivery-${queued.eventId}-${queued.subscriptionId}-r2`,
  });
  const rows = await asSystem(fixture.database.dataSource, 0, (tx) => claimDue(tx, 10));
  expect(rows).toMatchObject([{ delivery_id: queued.deliveryId, run: 2, first_number: 3 }]);
});

test("resumed two days later it goes at once, with the number that was next", async () => {
  const queued = await pausedAfter(4);
  await hold(queued);
  await sql("UPDATE deliveries SET next_attempt_at = NOW() - INTERVAL 2 DAY WHERE id = ?", [
    queued.deliveryId,
  ]);
  await setState(queued, "active");
  await resume(queued);
  expect(await readRun(queued)).toMatchObject({
    first_number: 5,
    state: "queued",
    next_attempt_at: null,
  });
  const outcome = await queued.attempt({ run: 2, seq: 1, number: 5 });
  expect(outcome).toMatchObject({ state: "waiting", waitMs: 6 * 3_600_000 });
});

test("held again before its run made an attempt, the number stays", async () => {
  const queued = await pausedAfter(2);
  for (const run of [2, 3]) {
    await setState(queued, "disabled");
    await hold(queued);
    expect(await readRun(queued)).toMatchObject({ state: "held", reason: "subscription_disabled" });
    await setState(queued, "active");
    await resume(queued);
    expect(await readRun(queued)).toMatchObject({ run, first_number: 3 });
  }
});

test("one that was never attempted begins with 1, one in its last wait posts 6 once more", async () => {
  const fresh = await pausedAfter(0);
  await hold(fresh);
  await setState(fresh, "active");
  await resume(fresh);
  expect(await readRun(fresh)).toMatchObject({ run: 2, first_number: 1, state: "queued" });
  const last = await pausedAfter(6);
  await hold(last);
  await setState(last, "active");
  await resume(last);
  expect(await readRun(last)).toMatchObject({ first_number: 6, state: "queued", discard_at: null });
});

test("a POST under way when it is held is waited for, and its failure keeps its own wait", async () => {
  const queued = await pausedAfter(0);
  await setState(queued, "active");
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const posted = new Promise<void>((resolve) => {
    fixture.sink.answer = (_, response) => {
      resolve();
      void opened.then(() => response.writeHead(500).end());
    };
  });
  const attempt = queued.attempt({ seq: 1 });
  await posted;
  await setState(queued, "paused");
  expect(await hold(queued)).toEqual({ held: 1, done: true });
  await setState(queued, "active");
  expect(await resume(queued)).toMatchObject({ resumed: 0, done: false });
  open();
  expect(await attempt).toEqual({ state: "held" });
  expect(await resume(queued)).toEqual({ resumed: 1, done: true });
  const run = await readRun(queued);
  expect(run).toMatchObject({ run: 2, first_number: 2, state: "waiting" });
  expect(Number(run?.["next_attempt_at"]) - Date.now()).toBeGreaterThan(25_000);
});

test("a batch goes on behind the one before, and never behind a POST under way", async () => {
  const queued = await pausedAfter(1);
  const ids = [queued.deliveryId];
  for (let n = 0; n < 3; n += 1) {
    const next = await queueDelivery(fixture);
    ids.push(next.deliveryId);
    await sql("UPDATE deliveries SET subscription_id = ? WHERE id = ?", [
      queued.subscriptionId,
      next.deliveryId,
    ]);
  }
  await setState(queued, "paused");
  await hold(queued);
  await setState(queued, "active");
  const resumeTwo = async (after?: number) =>
    await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
      resumeHeldDeliveries(tx, queued.subscriptionId, 2, after),
    );
  const runs = "duration_ms = ?, started_at = UTC_TIMESTAMP(3) WHERE delivery_id = ?";
  await sql(`UPDATE delivery_attempts SET ${runs}`, [null, ids[0]]);
  expect(await resumeTwo()).toEqual({ changed: 1, next: 0 });
  await sql(`UPDATE delivery_attempts SET ${runs}`, [5, ids[0]]);
  expect(await resumeTwo()).toEqual({ changed: 2, next: ids[2] });
  expect(await resumeTwo(ids[2])).toEqual({ changed: 1, next: null });
});

test("an attempt that a crash left without an outcome goes again with its number", async () => {
  const queued = await pausedAfter(2);
  await hold(queued);
  await sql(
    "UPDATE delivery_attempts SET duration_ms = NULL, started_at = NOW() - INTERVAL 1 MINUTE WHERE delivery_id = ? AND seq = 2",
    [queued.deliveryId],
  );
  await setState(queued, "active");
  await resume(queued);
  expect(await readRun(queued)).toMatchObject({ run: 2, first_number: 2 });
});

test("other subscriptions, finished deliveries and other accounts stay as they are", async () => {
  const other = await pausedAfter(1);
  await setState(other, "active");
  const queued = await pausedAfter(1);
  await sql("UPDATE deliveries SET state = 'delivered' WHERE id = ?", [queued.deliveryId]);
  expect(await hold(queued)).toEqual({ held: 0, done: true });
  expect(await readRun(other)).toMatchObject({ state: "waiting", run: 1 });
  const foreign = { ...of(queued), accountId: 999_999 };
  await sql("UPDATE deliveries SET state = 'waiting' WHERE id = ?", [queued.deliveryId]);
  expect(await fixture.activities.holdDeliveriesBatch(foreign)).toEqual({ held: 0, done: true });
  expect(await readRun(queued)).toMatchObject({ state: "waiting" });
});
