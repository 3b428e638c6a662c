import { expect, test } from "vitest";
import {
  answerWith,
  createAttemptFixture,
  queueAnother,
  queueDelivery,
  readDelivery,
  readNotifications,
} from "./attempt-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);

/** A delivery in its last wait. */
async function exhaust() {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  for (let seq = 1; seq <= 6; seq += 1) await queued.attempt({ seq });
  return queued;
}

test("the sixth failure opens the last wait and warns", async () => {
  const queued = await exhaust();
  const row = await readDelivery(fixture, queued);
  expect(row).toMatchObject({ state: "waiting", attempts_made: 6, next_attempt_at: null });
  expect(row?.discard_at?.getTime()).toBeGreaterThan(Date.now() + 86_000_000);
  expect(await readNotifications(fixture, queued)).toEqual([
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
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  for (let seq = 1; seq <= 5; seq += 1) await queued.attempt({ seq });
  expect(await queued.attempt({ seq: 6, manual: true })).toMatchObject({ waitMs: 86_400_000 });
  const row = await readDelivery(fixture, queued);
  expect(row?.discard_at?.getTime()).toBeGreaterThan(Date.now() + 86_000_000);
  expect(await readNotifications(fixture, queued)).toHaveLength(1);
});

test("a failed retry in the last wait leaves the discard where it is and does not warn again", async () => {
  const queued = await exhaust();
  const before = await readDelivery(fixture, queued);
  await fixture.database.dataSource.query("DELETE FROM notifications");
  const outcome = await queued.attempt({ seq: 7, number: 6, manual: true });
  expect(outcome).toMatchObject({ state: "waiting", nextAttemptAt: null });
  expect(await readDelivery(fixture, queued)).toMatchObject({
    state: "waiting",
    attempts_made: 7,
    discard_at: before?.discard_at,
  });
  expect(fixture.sink.posts.at(-1)?.headers["x-service-attempt"]).toBe("6");
  expect(await readNotifications(fixture, queued)).toEqual([]);
});

test("a retry in the last wait that succeeds delivers", async () => {
  const queued = await exhaust();
  answerWith(fixture.sink, 204);
  expect(await queued.attempt({ seq: 7, number: 6, manual: true })).toEqual({ state: "delivered" });
  expect(await readDelivery(fixture, queued)).toMatchObject({
    state: "delivered",
    discard_at: null,
  });
  expect(await fixture.activities.discardDelivery(queued.run)).toBe("delivered");
});

test("a subscription is warned of at most once an hour", async () => {
  const first = await exhaust();
  const { dataSource } = fixture.database;
  const others = [await queueAnother(fixture, first), await queueAnother(fixture, first)];
  answerWith(fixture.sink, 500);
  await Promise.all(others.map((other) => other.attempt({ seq: 6 })));
  expect(await readNotifications(fixture, first)).toHaveLength(1);

  const letPass = async (minutes: number) =>
    await dataSource.query(
      `UPDATE notifications SET created_at = UTC_TIMESTAMP(3) - INTERVAL ? MINUTE,
              dedupe_key = CONCAT('exhausted:', subscription_id, ':', FLOOR(UNIX_TIMESTAMP(created_at) / 3600))
        WHERE subscription_id = ?`,
      [minutes, first.subscriptionId],
    );
  const exhaustAnother = async () => {
    const later = await queueAnother(fixture, first);
    answerWith(fixture.sink, 500);
    await later.attempt({ seq: 6 });
    return (await readNotifications(fixture, first)).length;
  };
  // Whenever the first was: an hour of the clock may begin between the two.
  await letPass(59);
  expect(await exhaustAnother()).toBe(1);
  await letPass(60);
  expect(await exhaustAnother()).toBe(2);
});

test("a discard tells once, called twice or at once", async () => {
  const queued = await exhaust();
  const calls = Array.from({ length: 5 }, () => fixture.activities.discardDelivery(queued.run));
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 5 }, () => "discarded"));
  expect(await fixture.activities.discardDelivery(queued.run)).toBe("discarded");
  expect(await readDelivery(fixture, queued)).toMatchObject({
    state: "discarded",
    next_attempt_at: null,
    discard_at: null,
    finished_at: expect.any(Date),
  });
  const notifications = await readNotifications(fixture, queued);
  expect(notifications.filter(({ kind }) => kind === "delivery_discarded")).toEqual([
    expect.objectContaining({
      dedupe_key: `discarded:${queued.deliveryId}:1`,
      delivery_id: queued.deliveryId,
    }),
  ]);
});

test("a cancelled delivery stays cancelled: no attempt, no discard, no notification", async () => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  await queued.attempt({ seq: 1 });
  expect(await fixture.activities.cancelDelivery(queued.run)).toBe("cancelled");
  expect(await readDelivery(fixture, queued)).toMatchObject({
    state: "cancelled",
    reason: "cancelled_by_operator",
    next_attempt_at: null,
    finished_at: expect.any(Date),
  });
  expect(await queued.attempt({ seq: 2 })).toEqual({ state: "cancelled" });
  expect(await fixture.activities.discardDelivery(queued.run)).toBe("cancelled");
  expect(fixture.sink.posts).toHaveLength(1);
  expect(await readNotifications(fixture, queued)).toEqual([]);
});

test("a delivered delivery cannot be cancelled any more", async () => {
  const queued = await queueDelivery(fixture);
  await queued.attempt({ seq: 1 });
  expect(await fixture.activities.cancelDelivery(queued.run)).toBe("delivered");
  expect(await readDelivery(fixture, queued)).toMatchObject({ state: "delivered", reason: null });
});
