import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { createAttempts } from "../../activities/attempt-delivery.ts";
import { createPoster } from "../../activities/http/post.ts";
import { retryWaitsMs } from "../../core/model/workflow/delivery.ts";
import { eventually } from "../support/eventually.ts";
import {
  createAttemptFixture,
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

afterEach(() => void vi.restoreAllMocks());

const slots = () => fixture.deps.hostLimiter.available(new URL(fixture.sink.url).host);

/**
 * Another transaction with the attempt's row, and with so many others that MySQL ends the attempt's
 * transaction in a deadlock. @returns a function that causes the deadlock, and ends the transaction.
 */
async function prepareDeadlock({ deliveryId }: Queued): Promise<() => Promise<void>> {
  const runner = fixture.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  const rows = Array.from({ length: 100 }, (_, n) => [1, deliveryId, 1, 1 + n, 1, new Date(), ""]);
  await runner.query(
    `INSERT INTO delivery_attempts (account_id, delivery_id, run, seq, number, started_at, request_url)
     VALUES ?`,
    [rows],
  );
  return async () => {
    const locked = runner.query("SELECT id FROM deliveries WHERE id = ? FOR UPDATE", [deliveryId]);
    await Promise.all([locked, runner.rollbackTransaction()]);
    await runner.release();
  };
}

async function waitForInsert(): Promise<void> {
  await eventually(async () => {
    const waiting = await fixture.database.dataSource.query<unknown[]>(
      `SELECT 1 FROM information_schema.processlist
        WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE 'INSERT INTO delivery_attempts%'`,
    );
    expect(waiting).toHaveLength(1);
  });
}

test("a transaction that a deadlock repeats takes no second slot", async () => {
  const queued = await queueDelivery(fixture);
  const free = slots();
  const cause = await prepareDeadlock(queued);
  const acquire = vi.spyOn(fixture.deps.hostLimiter, "acquire");
  const begun = vi.spyOn(fixture.deps.dataSource, "createQueryRunner");
  // The pause before the second try is at its longest, so the other transaction has ended by then.
  vi.spyOn(Math, "random").mockReturnValue(0.99);
  let during = Number.NaN;
  fixture.sink.answer = (_, response) => {
    during = slots();
    response.writeHead(204).end();
  };
  const outcome = queued.attempt({ seq: 1 });
  await waitForInsert();
  begun.mockClear();
  await cause();
  expect(await outcome).toEqual({ state: "delivered" });
  // The second try, and the completion. On a busy machine the second try may meet the deadlock too.
  expect(begun.mock.calls.length).toBeGreaterThanOrEqual(2);
  // Each try asks for the slot of the same run.
  expect(new Set(acquire.mock.calls.map(([run]) => run)).size).toBe(1);
  expect(during).toBe(free - 1);
  expect(slots()).toBeGreaterThanOrEqual(free);
  expect(await readAttempts(fixture, queued)).toMatchObject([{ seq: 1, posts: 1 }]);
});

test("a transaction that fails gives its slot back", async () => {
  const queued = await queueDelivery(fixture);
  const free = slots();
  // A number that the column does not hold.
  await expect(queued.attempt({ seq: 1, number: -1 })).rejects.toThrow(/number/);
  expect(slots()).toBe(free);
  expect(await readDelivery(fixture, queued)).toMatchObject({ state: "queued" });
  expect(fixture.sink.posts).toEqual([]);
});

test("an attempt that need not be made gives its slot back", async () => {
  const queued = await queueDelivery(fixture);
  await fixture.activities.cancelDelivery(queued.run);
  const free = slots();
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "cancelled" });
  expect(slots()).toBe(free);
});

test("a host whose name has no address gets no more slots, however often it is tried", async () => {
  const notFound = async () => await Promise.reject(new Error("queryA ENOTFOUND"));
  const resolver = { resolve4: notFound, resolve6: notFound, cancel: () => undefined };
  const poster = createPoster({ policy: { allowPrivate: true, ownHosts: [] }, resolver });
  const { attemptDelivery } = createAttempts({ ...fixture.deps, poster });
  const free = () => fixture.deps.hostLimiter.available("gone.example.com");
  for (let n = 0; n < 4; n += 1) {
    const { run } = await queueDelivery(fixture, { url: `https://gone.example.com/hook/${n}` });
    const step = { seq: 1, number: 1, manual: false, waitsMs: [...retryWaitsMs] };
    const outcome = await attemptDelivery({ ...run, ...step });
    expect(outcome).toMatchObject({ state: "waiting", errorClass: "dns_error" });
    // The cooldown is as short as the look-up was.
    await eventually(() => expect(free()).toBeGreaterThan(0));
  }
  expect(free()).toBe(2);
  await poster.close();
});
