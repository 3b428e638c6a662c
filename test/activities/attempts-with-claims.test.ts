import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createAttempts, type Attempts } from "../../activities/attempt-delivery.ts";
import { runKey } from "../../activities/limits/host-limiter.ts";
import { WriteConflict } from "../../core/errors.ts";
import { retryWaitsMs, type AttemptInput } from "../../core/model/workflow/delivery.ts";
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
let attempts: Attempts;

beforeAll(async () => {
  attempts = createAttempts(fixture.deps);
  // A host that has answered three is asked more than one at a time.
  for (let n = 0; n < 3; n += 1) await (await queueDelivery(fixture)).attempt({ seq: 1 });
});

beforeEach(() => void fixture.sink.posts.splice(0));
afterEach(() => void vi.restoreAllMocks());

const slots = () => fixture.deps.hostLimiter.available(new URL(fixture.sink.url).host);
const stateOf = async (queued: Queued) => (await readDelivery(fixture, queued))?.state;

function firstAttemptOf({ run }: Queued, step: Partial<AttemptInput> = {}): AttemptInput {
  const first = { seq: 1, number: 1, manual: false, via: "relay" } as const;
  return { ...run, ...first, waitsMs: [...retryWaitsMs], ...step };
}

/** Claims deliveries as a relay claims their rows. */
async function claim(queued: Queued[], step: Partial<AttemptInput> = {}) {
  return await attempts.claimAndBegin(
    async () => await Promise.resolve(queued),
    (one) => firstAttemptOf(one, step),
  );
}

/** Goes on with all attempts of a claim. @returns their outcomes, or errors */
async function finish({ started }: Awaited<ReturnType<typeof claim>>): Promise<unknown[]> {
  const outcomes = [...started.values()].map(attempts.finishAttempt);
  return await Promise.all(outcomes.map((one) => one.catch((error: unknown) => error)));
}

async function queueThree(): Promise<[Queued, Queued, Queued]> {
  const first = await queueDelivery(fixture);
  return [first, await queueAnother(fixture, first), await queueAnother(fixture, first)];
}

async function sql(text: string, values: unknown[] = []): Promise<void> {
  await fixture.database.dataSource.query(text, values);
}

test("attempts are written down in the transaction that claims them, and posted after it", async () => {
  const queued = await queueThree();
  const begun = vi.spyOn(fixture.deps.dataSource, "createQueryRunner");
  const claimed = await claim(queued);
  expect(begun).toHaveBeenCalledTimes(1);
  expect(claimed.rows).toEqual(queued);
  expect([...claimed.started.keys()]).toEqual(queued);
  expect(fixture.sink.posts).toEqual([]);
  for (const one of queued) {
    expect(await stateOf(one)).toBe("sending");
    expect(await readAttempts(fixture, one)).toMatchObject([{ seq: 1, posts: 1 }]);
  }
  const delivered = { state: "delivered" };
  expect(await finish(claimed)).toEqual([delivered, delivered, delivered]);
  expect(fixture.sink.posts).toHaveLength(3);
});

test("a delivery that someone has locked is claimed alone, without a slot, and delays no other", async () => {
  const [locked, ...others] = await queueThree();
  const free = slots();
  const runner = fixture.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query("SELECT id FROM deliveries WHERE id = ? FOR UPDATE", [locked.deliveryId]);
  try {
    const claimed = await claim([locked, ...others]);
    expect(claimed.rows).toHaveLength(3);
    expect([...claimed.started.keys()]).toEqual(others);
    expect(slots()).toBe(free - 2);
    await finish(claimed);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
  expect(await stateOf(locked)).toBe("queued");
  expect(await attempts.attemptDelivery(firstAttemptOf(locked))).toEqual({ state: "delivered" });
  expect(fixture.sink.posts).toHaveLength(3);
});

test("a claim that fails changes no row and gives all slots back", async () => {
  const queued = await queueThree();
  const free = slots();
  // A number that the column does not hold.
  await expect(claim(queued, { number: -1 })).rejects.toThrow(/number/);
  expect(slots()).toBe(free);
  expect(await stateOf(queued[0])).toBe("queued");
  expect(await readAttempts(fixture, queued[0])).toEqual([]);
});

test("a claim that runs again after a conflict keeps no slot of a row that it lost", async () => {
  const [lost, kept] = await queueThree();
  const free = slots();
  const { hostLimiter } = fixture.deps;
  const acquire = hostLimiter.acquire.bind(hostLimiter);
  const spied = vi.spyOn(hostLimiter, "acquire").mockImplementation((run, ...rest) => {
    if (spied.mock.calls.length === 2) throw new WriteConflict();
    return acquire(run, ...rest);
  });
  const tries = [[lost, kept], [kept]];
  const claimed = await attempts.claimAndBegin(
    async () => await Promise.resolve(tries.shift() ?? []),
    (one) => firstAttemptOf(one),
  );
  expect([...claimed.started.keys()]).toEqual([kept]);
  expect(slots()).toBe(free - 1);
  expect(await finish(claimed)).toEqual([{ state: "delivered" }]);
  expect(await stateOf(lost)).toBe("queued");
});

test("a host without a free slot leaves its rows to be claimed alone", async () => {
  const queued = await queueThree();
  vi.spyOn(fixture.deps.hostLimiter, "acquire").mockReturnValue(false);
  const claimed = await claim(queued);
  expect(claimed.rows).toHaveLength(3);
  expect(claimed.started.size).toBe(0);
  expect(await stateOf(queued[0])).toBe("queued");
});

test("a claim begins a hundred attempts at most", async () => {
  const first = await queueDelivery(fixture);
  const queued = [first];
  while (queued.length < 102) queued.push(await queueAnother(fixture, first));
  vi.spyOn(fixture.deps.hostLimiter, "acquire").mockReturnValue(true);
  const claimed = await claim(queued);
  expect(claimed.rows).toHaveLength(102);
  expect(claimed.started.size).toBe(100);
  for (const one of queued.slice(100)) expect(await stateOf(one)).toBe("queued");
});

test("one that was begun more than 3 s ago is not posted, and gives its slot back", async () => {
  const queued = await queueDelivery(fixture);
  const free = slots();
  const { started } = await claim([queued]);
  const [begun] = started.values();
  if (begun === undefined) throw new Error("nothing has started");
  const late = { ...begun, calledAt: performance.now() - 3_001 };
  await expect(attempts.finishAttempt(late)).rejects.toThrow("Too late to post.");
  expect(fixture.sink.posts).toEqual([]);
  expect(slots()).toBe(free);
});

test.each([
  { what: "paused", set: "subscriptions SET state = 'paused'", state: "held" },
  { what: "disabled", set: "subscriptions SET state = 'disabled'", state: "held" },
  { what: "deleted", set: "subscriptions SET state = 'deleted'", state: "cancelled" },
])("one whose subscription is $what ends as $state without a POST", async ({ set, state }) => {
  const queued = await queueDelivery(fixture);
  const free = slots();
  await sql(`UPDATE ${set} WHERE id = ?`, [queued.subscriptionId]);
  expect(await finish(await claim([queued]))).toEqual([{ state }]);
  expect(await stateOf(queued)).toBe(state);
  expect(fixture.sink.posts).toEqual([]);
  expect(slots()).toBe(free);
});

test("one whose event is erased is cancelled without a POST", async () => {
  const queued = await queueDelivery(fixture);
  await sql(
    "UPDATE events e JOIN deliveries d ON d.event_id = e.id SET e.body = NULL WHERE d.id = ?",
    [queued.deliveryId],
  );
  expect(await finish(await claim([queued]))).toEqual([{ state: "cancelled" }]);
  expect(fixture.sink.posts).toEqual([]);
});

test("one that was cancelled before the claim stays cancelled, without a POST", async () => {
  const queued = await queueDelivery(fixture);
  await fixture.activities.cancelDelivery(queued.run);
  expect(await finish(await claim([queued]))).toEqual([{ state: "cancelled" }]);
  expect(fixture.sink.posts).toEqual([]);
});

test("one cancelled between its claim and its answer stays cancelled", async () => {
  const queued = await queueDelivery(fixture);
  const claimed = await claim([queued]);
  await fixture.activities.cancelDelivery(queued.run);
  expect(await finish(claimed)).toEqual([{ state: "cancelled" }]);
});

test("one whose process died after the claim is repeated as the same attempt", async () => {
  const queued = await queueDelivery(fixture);
  await claim([queued]);
  // The process is gone, and its slots with it.
  fixture.deps.hostLimiter.release(runKey(queued.run), null);
  const soon = await finish(await claim([queued]));
  expect(soon, "it may still be posting").toMatchObject([{ name: "AttemptUnderWay" }]);
  expect(fixture.sink.posts).toEqual([]);
  await sql("UPDATE deliveries SET updated_at = updated_at - INTERVAL 25 SECOND WHERE id = ?", [
    queued.deliveryId,
  ]);
  expect(await finish(await claim([queued]))).toEqual([{ state: "delivered" }]);
  expect(fixture.sink.posts.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1"]);
  expect(await readAttempts(fixture, queued)).toMatchObject([{ seq: 1, number: 1, posts: 2 }]);
});

test("outcomes of the relay's attempts that end together share a transaction", async () => {
  const queued = await queueThree();
  const answers: (() => void)[] = [];
  fixture.sink.answer = (_, response) => void answers.push(() => response.writeHead(204).end());
  const outcomes = finish(await claim(queued));
  await eventually(() => expect(answers).toHaveLength(3));
  const begun = vi.spyOn(fixture.deps.dataSource, "createQueryRunner");
  for (const answer of answers) answer();
  await outcomes;
  expect(begun).toHaveBeenCalledTimes(1);
});
