import { setImmediate } from "node:timers/promises";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  createAttemptFixture,
  queueAnother,
  queueDelivery,
  readAttempts,
  readDelivery,
  type Queued,
} from "./attempt-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);

beforeAll(async () => {
  // A host that has answered three is asked more than one at a time.
  for (let n = 0; n < 3; n += 1) await (await queueDelivery(fixture)).attempt({ seq: 1 });
});

beforeEach(() => void fixture.sink.posts.splice(0));

/** Three deliveries of one subscription, whose attempts go together. */
async function queueThree(): Promise<[Queued, Queued, Queued]> {
  const first = await queueDelivery(fixture);
  return [first, await queueAnother(fixture, first), await queueAnother(fixture, first)];
}

/** Another transaction that has a delivery's row in its hands. @returns what ends it. */
async function lockRow({ deliveryId }: Queued): Promise<() => Promise<void>> {
  const runner = fixture.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query("SELECT id FROM deliveries WHERE id = ? FOR UPDATE", [deliveryId]);
  return async () => {
    await runner.rollbackTransaction();
    await runner.release();
  };
}

const stateOf = async (queued: Queued) => (await readDelivery(fixture, queued))?.state;

// A lock is waited for for five seconds, and up to four times.
const atOnceMs = 2_500;

test("a delivery that someone has locked delays its own attempt, and not those that begin with it", async () => {
  const [locked, ...others] = await queueThree();
  const release = await lockRow(locked);
  const outcomes = Promise.all([locked, ...others].map((one) => one.attempt({ seq: 1 })));
  try {
    await eventually(async () => {
      expect(await Promise.all(others.map(stateOf))).toEqual(["delivered", "delivered"]);
    }, atOnceMs);
    expect(await stateOf(locked)).toBe("queued");
    expect(fixture.sink.posts).toHaveLength(2);
  } finally {
    await release();
  }
  const delivered = { state: "delivered" };
  expect(await outcomes).toEqual([delivered, delivered, delivered]);
  expect(await readAttempts(fixture, locked)).toMatchObject([
    { seq: 1, posts: 1, status_code: 204 },
  ]);
});

test("nor those that end with it, and what came of it is written down once it is free", async () => {
  const [locked, ...others] = await queueThree();
  const answers: (() => void)[] = [];
  fixture.sink.answer = (_, response) => void answers.push(() => response.writeHead(204).end());
  const outcomes = Promise.all([locked, ...others].map((one) => one.attempt({ seq: 1 })));
  await eventually(() => expect(answers).toHaveLength(3));
  const release = await lockRow(locked);
  try {
    for (const answer of answers) answer();
    await eventually(async () => {
      expect(await Promise.all(others.map(stateOf))).toEqual(["delivered", "delivered"]);
    }, atOnceMs);
    expect(await stateOf(locked)).toBe("sending");
  } finally {
    await release();
  }
  const delivered = { state: "delivered" };
  expect(await outcomes).toEqual([delivered, delivered, delivered]);
  expect(fixture.sink.posts).toHaveLength(3);
  expect(await readAttempts(fixture, locked)).toMatchObject([
    { seq: 1, posts: 1, status_code: 204 },
  ]);
});

test.each([
  { crowded: false, transactions: 2, what: "elsewhere it waits for no other" },
  { crowded: true, transactions: 1, what: "in a backlog an attempt goes with what comes after it" },
])("$what", async ({ crowded, transactions }) => {
  const [first, second] = await queueThree();
  const { dataSource, hostLimiter } = fixture.deps;
  const begun = vi.spyOn(dataSource, "createQueryRunner");
  const answers: (() => void)[] = [];
  fixture.sink.answer = (_, response) => void answers.push(() => response.writeHead(204).end());
  if (crowded) hostLimiter.markBacklog();
  const outcomes = [first.attempt({ seq: 1 })];
  await setImmediate();
  outcomes.push(second.attempt({ seq: 1 }));
  await eventually(() => expect(answers).toHaveLength(2));
  expect(begun).toHaveBeenCalledTimes(transactions);
  begun.mockRestore();
  for (const answer of answers) answer();
  expect(await Promise.all(outcomes)).toEqual([{ state: "delivered" }, { state: "delivered" }]);
});
