import { afterAll, beforeAll, expect, test } from "vitest";
import {
  answerWith,
  createBench,
  queueAnother,
  queueDelivery,
  readDelivery,
  readNotifications,
  type Bench,
} from "./attempt-fixture.ts";

let bench: Bench;

beforeAll(async () => {
  bench = await createBench();
});

afterAll(async () => {
  await bench.stop();
});

/** A delivery in its last wait. */
async function exhaust() {
  const queued = await queueDelivery(bench);
  answerWith(bench.sink, 500);
  for (let seq = 1; seq <= 6; seq += 1) await queued.attempt({ seq });
  return queued;
}

test("the sixth failure opens the last wait and warns", async () => {
  const queued = await exhaust();
  const row = await readDelivery(bench, queued);
  expect(row).toMatchObject({ state: "waiting", attempts_made: 6, next_attempt_at: null });
  expect(row?.discard_at?.getTime()).toBeGreaterThan(Date.now() + 86_000_000);
  expect(await readNotifications(bench, queued)).toEqual([
    {
      kind: "delivery_exhausted_warning",
      dedupe_key: expect.stringMatching(/^exhausted:\d+:\d+$/),
      delivery_id: queued.deliveryId,
      params: {
        subscription_name: expect.any(String),
        event_type: "contact.created",
        attempts: 6,
        status_code: 500,
        error_class: "http_status",
        discard_at: row?.discard_at?.toISOString(),
      },
    },
  ]);
});

test("a sixth attempt by hand opens the last wait and warns too", async () => {
  const queued = await queueDelivery(bench);
  answerWith(bench.sink, 500);
  for (let seq = 1; seq <= 5; seq += 1) await queued.attempt({ seq });
  expect(await queued.attempt({ seq: 6, manual: true })).toMatchObject({ waitMs: 86_400_000 });
  const row = await readDelivery(bench, queued);
  expect(row?.discard_at?.getTime()).toBeGreaterThan(Date.now() + 86_000_000);
  expect(await readNotifications(bench, queued)).toHaveLength(1);
});

test("a failed retry in the last wait leaves the discard where it is and does not warn again", async () => {
  const queued = await exhaust();
  const before = await readDelivery(bench, queued);
  await bench.database.dataSource.query("DELETE FROM notifications");
  const outcome = await queued.attempt({ seq: 7, number: 6, manual: true });
  expect(outcome).toMatchObject({ state: "waiting", nextAttemptAt: null });
  expect(await readDelivery(bench, queued)).toMatchObject({
    state: "waiting",
    attempts_made: 7,
    discard_at: before?.discard_at,
  });
  expect(bench.sink.posts.at(-1)?.headers["x-service-attempt"]).toBe("6");
  expect(await readNotifications(bench, queued)).toEqual([]);
});

test("a retry in the last wait that succeeds delivers", async () => {
  const queued = await exhaust();
  answerWith(bench.sink, 204);
  expect(await queued.attempt({ seq: 7, number: 6, manual: true })).toEqual({ state: "delivered" });
  expect(await readDelivery(bench, queued)).toMatchObject({ state: "delivered", discard_at: null });
  expect(await bench.activities.discardDelivery(queued.run)).toBe("delivered");
});

test("a subscription is warned of at most once an hour", async () => {
  const first = await exhaust();
  const { dataSource } = bench.database;
  const others = [await queueAnother(bench, first), await queueAnother(bench, first)];
  answerWith(bench.sink, 500);
  await Promise.all(others.map((other) => other.attempt({ seq: 6 })));
  expect(await readNotifications(bench, first)).toHaveLength(1);

  const letPass = async (minutes: number) =>
    await dataSource.query(
      `UPDATE notifications SET created_at = UTC_TIMESTAMP(3) - INTERVAL ? MINUTE,
              dedupe_key = CONCAT('exhausted:', subscription_id, ':', FLOOR(UNIX_TIMESTAMP(created_at) / 3600))
        WHERE subscription_id = ?`,
      [minutes, first.subscriptionId],
    );
  const exhaustAnother = async () => {
    const later = await queueAnother(bench, first);
    answerWith(bench.sink, 500);
    await later.attempt({ seq: 6 });
    return (await readNotifications(bench, first)).length;
  };
  // Whenever the first was: an hour of the clock may begin between the two.
  await letPass(59);
  expect(await exhaustAnother()).toBe(1);
  await letPass(60);
  expect(await exhaustAnother()).toBe(2);
});

test("a discard tells once, called twice or at once", async () => {
  const queued = await exhaust();
  const calls = Array.from({ length: 5 }, () => bench.activities.discardDelivery(queued.run));
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 5 }, () => "discarded"));
  expect(await bench.activities.discardDelivery(queued.run)).toBe("discarded");
  expect(await readDelivery(bench, queued)).toMatchObject({
    state: "discarded",
    next_attempt_at: null,
    discard_at: null,
    finished_at: expect.any(Date),
  });
  const notifications = await readNotifications(bench, queued);
  expect(notifications.filter(({ kind }) => kind === "delivery_discarded")).toEqual([
    expect.objectContaining({
      dedupe_key: `discarded:${queued.deliveryId}:1`,
      delivery_id: queued.deliveryId,
    }),
  ]);
});

test("a cancelled delivery stays cancelled: no attempt, no discard, no notification", async () => {
  const queued = await queueDelivery(bench);
  answerWith(bench.sink, 500);
  await queued.attempt({ seq: 1 });
  expect(await bench.activities.cancelDelivery(queued.run)).toBe("cancelled");
  expect(await readDelivery(bench, queued)).toMatchObject({
    state: "cancelled",
    reason: "cancelled_by_operator",
    next_attempt_at: null,
    finished_at: expect.any(Date),
  });
  expect(await queued.attempt({ seq: 2 })).toEqual({ state: "cancelled" });
  expect(await bench.activities.discardDelivery(queued.run)).toBe("cancelled");
  expect(bench.sink.posts).toHaveLength(1);
  expect(await readNotifications(bench, queued)).toEqual([]);
});

test("a delivered delivery cannot be cancelled any more", async () => {
  const queued = await queueDelivery(bench);
  await queued.attempt({ seq: 1 });
  expect(await bench.activities.cancelDelivery(queued.run)).toBe("delivered");
  expect(await readDelivery(bench, queued)).toMatchObject({ state: "delivered", reason: null });
});
