import { expect, test } from "vitest";
import { AttemptUnderWay } from "../../activities/retry-later.ts";
import { eventually } from "../support/eventually.ts";
import {
  answerWith,
  createAttemptFixture,
  queueDelivery,
  readAttempts,
  readDelivery,
  type Queued,
} from "./attempt-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);

async function sql(statement: string, values: unknown[] = []): Promise<void> {
  await fixture.database.dataSource.query(statement, values);
}

/** As if the attempt had begun so long ago that it cannot be posting any more. */
async function letPass({ deliveryId }: Queued): Promise<void> {
  const text = "UPDATE deliveries SET updated_at = updated_at - INTERVAL 12 SECOND WHERE id = ?";
  await sql(text, [deliveryId]);
}

/** Leaves the rows as a worker leaves them that died between the POST and writing down its answer. */
async function crashInTheMiddle(queued: Queued, seq: number): Promise<void> {
  await sql("UPDATE deliveries SET state = 'sending', attempts_made = ? WHERE id = ?", [
    seq - 1,
    queued.deliveryId,
  ]);
  await letPass(queued);
  await sql(
    "UPDATE delivery_attempts SET duration_ms = NULL, status_code = NULL, error_class = NULL WHERE delivery_id = ? AND seq = ?",
    [queued.deliveryId, seq],
  );
}

/** What happens at the receiver while it holds the POST. */
function whilePosting(work: () => Promise<void>, status = 204): void {
  fixture.sink.answer = (_, response) => {
    void work().then(() => response.writeHead(status).end());
  };
}

const countChanges = async ({ deliveryId }: Queued): Promise<number> => {
  const text = "SELECT seq FROM changes WHERE delivery_id = ?";
  return (await fixture.database.dataSource.query<unknown[]>(text, [deliveryId])).length;
};

test("an attempt is written down before it leaves", async () => {
  const queued = await queueDelivery(fixture);
  let during: unknown;
  whilePosting(async () => {
    during = [await readDelivery(fixture, queued), await readAttempts(fixture, queued)];
  });
  await queued.attempt({ seq: 1 });
  expect(during).toEqual([
    expect.objectContaining({ state: "sending", attempts_made: 0 }),
    [expect.objectContaining({ seq: 1, number: 1, posts: 1, duration_ms: null })],
  ]);
});

test("an attempt that was written down is not posted again, and its outcome is the same", async () => {
  const arrived = await queueDelivery(fixture);
  const outcomes = [await arrived.attempt({ seq: 1 }), await arrived.attempt({ seq: 1 })];
  expect(outcomes).toEqual([{ state: "delivered" }, { state: "delivered" }]);
  expect(fixture.sink.posts).toHaveLength(1);

  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  const first = await queued.attempt({ seq: 1 });
  const second = await queued.attempt({ seq: 1 });
  expect(fixture.sink.posts).toHaveLength(1);
  expect({ ...second, waitMs: 30_000 }).toEqual(first);
  const waitMs = second.state === "waiting" ? second.waitMs : 0;
  expect(waitMs).toBeGreaterThan(20_000);
  expect(waitMs).toBeLessThanOrEqual(30_000);
});

test("a repeat long after its wait is over waits no more", async () => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  await queued.attempt({ seq: 1 });
  await sql("UPDATE deliveries SET next_attempt_at = '2020-01-01' WHERE id = ?", [
    queued.deliveryId,
  ]);
  expect(await queued.attempt({ seq: 1 })).toMatchObject({ state: "waiting", waitMs: 0 });
});

test("a repeat of the sixth attempt, by hand or not, waits until the discard already set", async () => {
  for (const manual of [false, true]) {
    const queued = await queueDelivery(fixture);
    answerWith(fixture.sink, 500);
    const first = await queued.attempt({ seq: 6, manual });
    const second = await queued.attempt({ seq: 6, manual });
    expect(first).toMatchObject({ state: "waiting", waitMs: 86_400_000, nextAttemptAt: null });
    expect(second).toMatchObject({ state: "waiting", nextAttemptAt: null });
    expect(second.state === "waiting" && second.waitMs > 86_300_000).toBe(true);
    expect(fixture.sink.posts).toHaveLength(1);
  }
});

test("an attempt cut off by a crash is posted again with its number, bytes and id", async () => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  await queued.attempt({ seq: 1 });
  await queued.attempt({ seq: 2 });
  await crashInTheMiddle(queued, 2);
  await queued.attempt({ seq: 2 });
  const [, second, third] = fixture.sink.posts;
  expect(third?.headers["x-service-attempt"]).toBe("2");
  expect(third?.headers["webhook-id"]).toBe(second?.headers["webhook-id"]);
  expect(second && third?.body.equals(second.body)).toBe(true);
  expect(await readAttempts(fixture, queued)).toEqual([
    expect.objectContaining({ seq: 1, number: 1, posts: 1 }),
    expect.objectContaining({ seq: 2, number: 2, posts: 2, status_code: 500 }),
  ]);
  expect(await readDelivery(fixture, queued)).toMatchObject({ attempts_made: 2, state: "waiting" });
});

test("an attempt that may still be posting is not posted beside it; its repeat comes when that is over", async () => {
  const queued = await queueDelivery(fixture);
  let twin: unknown;
  whilePosting(async () => {
    twin = await queued.attempt({ seq: 1 }).catch((error: unknown) => error);
  });
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "delivered" });
  expect(fixture.sink.posts).toHaveLength(1);
  expect(twin).toBeInstanceOf(AttemptUnderWay);
  const { retryAfterMs } = twin as AttemptUnderWay;
  // What begins within 3 s and posts for up to 8 is over by then; its worker's death is told after 15.
  expect(retryAfterMs).toBeGreaterThan(11_000);
  expect(retryAfterMs).toBeLessThanOrEqual(12_000);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "delivered" });
  expect(await readAttempts(fixture, queued)).toEqual([
    expect.objectContaining({ seq: 1, posts: 1 }),
  ]);
});

test("a delivery cancelled while its POST was under way stays cancelled; the attempt is kept", async () => {
  for (const status of [204, 500]) {
    const queued = await queueDelivery(fixture);
    whilePosting(
      () => sql("UPDATE deliveries SET state = 'cancelled' WHERE id = ?", [queued.deliveryId]),
      status,
    );
    expect(await queued.attempt({ seq: 1 })).toEqual({ state: "cancelled" });
    expect(await readDelivery(fixture, queued)).toMatchObject({ state: "cancelled" });
    expect(await readAttempts(fixture, queued)).toMatchObject([{ seq: 1, status_code: status }]);
  }
});

test("a delivery held while its POST was under way stays held, unless it arrived", async () => {
  const queued = await queueDelivery(fixture);
  const hold = () =>
    sql("UPDATE deliveries SET state = 'held', reason = 'subscription_paused' WHERE id = ?", [
      queued.deliveryId,
    ]);
  whilePosting(hold, 500);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "held" });
  expect(await readDelivery(fixture, queued)).toMatchObject({ state: "held" });

  const arrived = await queueDelivery(fixture);
  whilePosting(() =>
    sql("UPDATE deliveries SET state = 'held', reason = 'subscription_paused' WHERE id = ?", [
      arrived.deliveryId,
    ]),
  );
  expect(await arrived.attempt({ seq: 1 })).toEqual({ state: "delivered" });
  expect(await readDelivery(fixture, arrived)).toMatchObject({ state: "delivered", reason: null });
  expect(await countChanges(arrived), "views that show it as held hear of it").toBe(1);
});

test("a delivery that runs anew while its POST was under way is left to the new run", async () => {
  const queued = await queueDelivery(fixture);
  whilePosting(() => sql("UPDATE deliveries SET run = 2 WHERE id = ?", [queued.deliveryId]));
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "superseded" });
  expect(await readDelivery(fixture, queued)).toMatchObject({ state: "sending" });
});

test("an answer that cannot be written down for a moment is written without a second POST", async () => {
  const queued = await queueDelivery(fixture);
  whilePosting(() => sql("RENAME TABLE delivery_attempts TO elsewhere"));
  const outcome = queued.attempt({ seq: 1 });
  await eventually(() => expect(fixture.sink.posts).toHaveLength(1));
  await eventually(() => sql("SELECT 1 FROM elsewhere LIMIT 1"));
  await sql("RENAME TABLE elsewhere TO delivery_attempts");
  expect(await outcome).toEqual({ state: "delivered" });
  expect(fixture.sink.posts).toHaveLength(1);
  expect(await readAttempts(fixture, queued)).toMatchObject([{ posts: 1, status_code: 204 }]);
});

test("an answer that cannot be written down for 8 s is a fault of ours, and the attempt goes again", async () => {
  const queued = await queueDelivery(fixture);
  whilePosting(() => sql("RENAME TABLE delivery_attempts TO elsewhere"), 500);
  const startedAt = performance.now();
  await expect(queued.attempt({ seq: 1 })).rejects.toThrow("doesn't exist");
  expect(performance.now() - startedAt).toBeGreaterThan(8_000);
  expect(performance.now() - startedAt).toBeLessThan(11_000);
  await sql("RENAME TABLE elsewhere TO delivery_attempts");
  expect(fixture.sink.posts).toHaveLength(1);
  answerWith(fixture.sink, 204);
  await letPass(queued);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "delivered" });
  expect(await readAttempts(fixture, queued)).toMatchObject([{ number: 1, posts: 2 }]);
});

test("an attempt that waited too long to be written down is not posted: another may have taken it", async () => {
  const queued = await queueDelivery(fixture);
  const runner = fixture.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query("SELECT id FROM deliveries WHERE id = ? FOR UPDATE", [queued.deliveryId]);
  const startedAt = performance.now();
  const attempt = queued.attempt({ seq: 1 });
  attempt.catch(() => undefined);
  await eventually(() => expect(performance.now() - startedAt).toBeGreaterThan(3_200));
  await runner.rollbackTransaction();
  await runner.release();
  await expect(attempt).rejects.toThrow("Too late to post.");
  expect(fixture.sink.posts).toEqual([]);
  await letPass(queued);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "delivered" });
});

test("the same attempt called twice at once ends as one", async () => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  const outcomes = await Promise.all([queued.attempt({ seq: 1 }), queued.attempt({ seq: 1 })]);
  expect(outcomes.map(({ state }) => state)).toEqual(["waiting", "waiting"]);
  expect(await readAttempts(fixture, queued)).toMatchObject([{ seq: 1, number: 1 }]);
  expect(await readDelivery(fixture, queued)).toMatchObject({ attempts_made: 1 });
});

test("an answer of 2xx counts though a twin of the attempt was written down as failed before it", async () => {
  const queued = await queueDelivery(fixture);
  const answers: ((status: number) => void)[] = [];
  fixture.sink.answer = (_, response) => {
    answers.push((status) => void response.writeHead(status).end());
  };
  const slow = queued.attempt({ seq: 1 });
  await eventually(() => expect(answers).toHaveLength(1));
  await letPass(queued);
  const slower = queued.attempt({ seq: 1 });
  await eventually(() => expect(answers).toHaveLength(2));
  answers[0]?.(500);
  expect(await slow).toMatchObject({ state: "waiting" });
  expect(await countChanges(queued)).toBe(1);
  answers[1]?.(204);
  expect(await slower).toEqual({ state: "delivered" });
  expect(await readDelivery(fixture, queued)).toMatchObject({
    state: "delivered",
    attempts_made: 1,
    next_attempt_at: null,
  });
  expect(await countChanges(queued), "views that show it as waiting hear of it").toBe(2);
});
