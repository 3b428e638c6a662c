import type { ServerResponse } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { runKey } from "../../../activities/limits/host-limiter.ts";
import { createLog } from "../../../core/log.ts";
import { uuidToBytes } from "../../../db/entities/columns.ts";
import {
  cancelByOperator,
  redeliver,
  retryDelivery,
} from "../../../core/services/deliveries/delivery-actions.ts";
import {
  holdOpenDeliveries,
  resumeHeldDeliveries,
} from "../../../core/services/deliveries/delivery-holds.ts";
import { claimOutboxRows } from "../../../core/services/outbox/outbox-claims.ts";
import {
  pauseSubscription,
  resumeSubscription,
} from "../../../core/services/subscriptions/subscriptions.ts";
import { asSystem, createTestSubscription } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { claimDue } from "../../support/outbox.ts";
import { startSink } from "../../support/sink.ts";
import { claimRows } from "../../../worker/engine/first-attempts.ts";
import { storyOf } from "../../workflows/scripted-run.ts";
import { countsOf, createRelayFixture, type RelayFixture } from "./relay-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(createRelayFixture);
const stops: (() => Promise<void>)[] = [];
const waitsMs = [400, 60_000, 60_000, 60_000, 60_000, 60_000];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(stops.splice(0).map((stop) => stop()));
  fixture.sink.posts.length = 0;
  fixture.sink.answer = answer(204);
  await sql("DELETE FROM outbox");
});

async function sql(text: string, values: unknown[] = []) {
  return await fixture.database.dataSource.query(text, values);
}

const inAccount = async <T>(work: Parameters<typeof asSystem<T>>[2]) =>
  await asSystem(fixture.database.dataSource, fixture.accountId, work);

const answer = (status: number) => (_: unknown, response: ServerResponse) =>
  void response.writeHead(status).end();

/** A relay that ends with the test, and that finds all there is so old that its valve opens. */
async function adaptiveRelay(given: Parameters<RelayFixture["relay"]>[0] = {}) {
  await sql("UPDATE outbox SET available_at = available_at - INTERVAL 1 SECOND");
  const started = fixture.relay({ firstAttempt: "adaptive", waitsMs, ...given });
  stops.push(() => started.stop());
  return started;
}

/** The next reads of MySQL that begin so fail. @returns a function that tells how many have failed */
function failReads(text: string, times: number): () => number {
  const { manager } = fixture.database.dataSource;
  const query = manager.query.bind(manager);
  let failed = 0;
  vi.spyOn(manager, "query").mockImplementation(async (statement, values) => {
    if (failed === times || !statement.startsWith(text)) return await query(statement, values);
    failed += 1;
    throw new Error("MySQL is away.");
  });
  return () => failed;
}

interface Line {
  id: number;
  state: string;
  via: string;
  workflow_id: string | null;
  run: number;
  attempts_made: number;
  next_attempt_at: Date | null;
}

async function deliveriesOf(eventIds: string[]): Promise<Line[]> {
  return await sql(
    `SELECT id, state, via, workflow_id, run, attempts_made, next_attempt_at FROM deliveries
      WHERE event_id IN (${eventIds.map(() => "?").join(", ")}) ORDER BY id`,
    eventIds.map(uuidToBytes),
  );
}

async function attemptsOf({ id }: Line) {
  return await sql(
    "SELECT run, seq, number, posts, status_code FROM delivery_attempts WHERE delivery_id = ? ORDER BY run, seq",
    [id],
  );
}

async function oneDelivery(eventIds: string[]): Promise<Line> {
  const [line] = await deliveriesOf(eventIds);
  if (line === undefined) throw new Error("no delivery");
  return line;
}

const arrived = () =>
  fixture.sink.posts.map(({ headers }) => String(headers["x-service-event-id"])).toSorted();
const numbers = () => fixture.sink.posts.map(({ headers }) => String(headers["x-service-attempt"]));
const emptied = async () => expect(await fixture.outbox()).toEqual([]);

async function hasRun(eventId: string): Promise<boolean> {
  const id = `delivery-${eventId}-${fixture.subscriptionId}`;
  return await fixture.client.workflow
    .getHandle(id)
    .describe()
    .then(
      () => true,
      () => false,
    );
}

/** Answers that are given when the test says so. */
function holdAnswers(): ServerResponse[] {
  const held: ServerResponse[] = [];
  fixture.sink.answer = (_, response) => void held.push(response);
  return held;
}

test("behind by more than half a second, the relay posts once each, and no workflow is started", async () => {
  const eventIds = await fixture.publish(120);
  const { metrics } = await adaptiveRelay();
  await eventually(() => expect(arrived()).toEqual(eventIds.toSorted()));
  await eventually(emptied);
  const lines = await deliveriesOf(eventIds);
  expect(lines).toHaveLength(120);
  for (const line of lines) {
    expect(line).toMatchObject({ state: "delivered", via: "relay", workflow_id: null, run: 1 });
  }
  const [line] = lines;
  expect(line === undefined ? [] : await attemptsOf(line)).toEqual([
    { run: 1, seq: 1, number: 1, posts: 1, status_code: 204 },
  ]);
  expect(await hasRun(eventIds[0] ?? "")).toBe(false);
  expect(await countsOf(metrics)).toEqual({ attempted: 120 });
});

test("once it has caught up, each delivery gets its workflow again", async () => {
  await fixture.publish(3);
  await sql("UPDATE outbox SET available_at = available_at - INTERVAL 1 HOUR");
  // No later row becomes so old before the relay looks.
  const { metrics } = await adaptiveRelay({ enterAtMs: 600_000 });
  await eventually(emptied);
  await eventually(async () => {
    expect(await countsOf(metrics)).toEqual({ attempted: 3 });
    expect((await metrics.relayAttempting.get()).values).toMatchObject([{ value: 0 }]);
  });
  const eventIds = await fixture.publish(1);
  await eventually(() => expect(arrived()).toContain(eventIds[0]));
  await eventually(emptied);
  const line = await oneDelivery(eventIds);
  expect(line).toMatchObject({ via: "workflow", workflow_id: expect.any(String) });
  const run = fixture.client.workflow.getHandle(String(line.workflow_id));
  expect(await run.result()).toEqual({ state: "delivered" });
});

test("three relays at once post each of 200 deliveries once", async () => {
  const eventIds = await fixture.publish(200);
  await Promise.all([adaptiveRelay(), adaptiveRelay(), adaptiveRelay()]);
  await eventually(() => expect(arrived()).toEqual(eventIds.toSorted()));
  await eventually(emptied);
  expect(fixture.sink.posts).toHaveLength(200);
});

test("one that fails goes on in a workflow that begins with its first wait, and number 2 comes next", async () => {
  fixture.sink.answer = (posted, response) =>
    answer(posted.headers["x-service-attempt"] === "1" ? 503 : 204)(posted, response);
  const eventIds = await fixture.publish(1);
  const { metrics } = await adaptiveRelay();
  await eventually(() => expect(numbers()).toEqual(["1", "2"]));
  const [first, second] = fixture.sink.posts;
  expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(380);
  const line = await oneDelivery(eventIds);
  expect(line.via).toBe("relay");
  const run = fixture.client.workflow.getHandle(String(line.workflow_id));
  expect(await run.result()).toEqual({ state: "delivered" });
  const [wait, ...rest] = await storyOf(run);
  expect(wait).toMatch(/^wait \d+ ms$/);
  expect(rest).toEqual(["attemptDelivery"]);
  expect(await attemptsOf(line)).toEqual([
    { run: 1, seq: 1, number: 1, posts: 1, status_code: 503 },
    { run: 1, seq: 2, number: 2, posts: 1, status_code: 204 },
  ]);
  await eventually(async () => expect(await countsOf(metrics)).toEqual({ failed: 1, started: 1 }));
});

test("a host that hangs stalls no other: each of theirs arrives while its few posts hang", async () => {
  const healthy = await startSink();
  // By name, so that it is another host than the one that hangs.
  const url = `${healthy.url.replace("127.0.0.1", "localhost")}/hook`;
  const { dataSource } = fixture.database;
  const { id } = await createTestSubscription(dataSource, fixture.accountId, { url });
  const held = holdAnswers();
  const eventIds = await fixture.publish(150);
  await adaptiveRelay();
  await eventually(() => expect(healthy.posts).toHaveLength(150));
  expect(held.length).toBeGreaterThan(0);
  expect(held.length).toBeLessThanOrEqual(50);
  fixture.sink.answer = answer(204);
  for (const response of held) response.writeHead(204).end();
  await sql("UPDATE subscriptions SET state = 'deleted' WHERE id = ?", [id]);
  await eventually(() => expect(arrived()).toEqual(eventIds.toSorted()));
  await healthy.stop();
});

test("paused while posts are under way: what arrives is delivered, what fails or has not left is held", async () => {
  const held = holdAnswers();
  const eventIds = await fixture.publish(30);
  await adaptiveRelay();
  await eventually(() => expect(held.length).toBeGreaterThanOrEqual(10));
  await inAccount((tx) => pauseSubscription(tx, fixture.subscriptionId));
  await inAccount((tx) => holdOpenDeliveries(tx, fixture.subscriptionId, 500));
  // Attempts that began before the pause may still be on their way to the receiver.
  await eventually(async () => {
    const lines = await deliveriesOf(eventIds);
    const begun = await Promise.all(lines.map(attemptsOf));
    expect(held).toHaveLength(begun.flat().length);
  });
  const underWay = held.length;
  fixture.sink.answer = answer(500);
  for (const [index, response] of held.entries()) {
    response.writeHead(index % 2 === 0 ? 204 : 500).end();
  }
  await eventually(async () => {
    expect(await sql("SELECT id FROM outbox WHERE kind = 'delivery'")).toEqual([]);
  });
  const lines = await deliveriesOf(eventIds);
  expect(fixture.sink.posts, "nothing left after the pause").toHaveLength(underWay);
  expect(lines.filter(({ state }) => state === "delivered")).toHaveLength(Math.ceil(underWay / 2));
  const rest = lines.filter(({ state }) => state !== "delivered");
  expect(rest.every(({ state }) => state === "held")).toBe(true);
  expect(rest.filter(({ next_attempt_at: at }) => at !== null)).toHaveLength(
    Math.floor(underWay / 2),
  );

  fixture.sink.answer = answer(204);
  await inAccount((tx) => resumeSubscription(tx, fixture.subscriptionId));
  await eventually(async () => {
    const after = await deliveriesOf(eventIds);
    expect(after.every(({ state }) => state === "delivered")).toBe(true);
  });
  expect(
    numbers()
      .slice(underWay)
      .toSorted((a, b) => Number(a) - Number(b)),
  ).toEqual([
    ...Array.from({ length: 30 - underWay }, () => "1"),
    ...Array.from({ length: Math.floor(underWay / 2) }, () => "2"),
  ]);
});

test("cancelled and redelivered before it left, it is posted once: the older row is nobody's", async () => {
  const eventIds = await fixture.publish(1);
  const { id } = await oneDelivery(eventIds);
  await inAccount((tx) => cancelByOperator(tx, id, "wrong"));
  await inAccount((tx) => redeliver(tx, id));
  await sql("DELETE FROM outbox WHERE kind = 'request'");
  expect(await fixture.outbox()).toHaveLength(2);
  await adaptiveRelay();
  await eventually(emptied);
  expect(arrived()).toEqual(eventIds);
  expect(await oneDelivery(eventIds)).toMatchObject({ state: "delivered", run: 2, via: "relay" });
});

test("retry now while the relay's attempt is under way posts nothing more and starts no run", async () => {
  const held = holdAnswers();
  const eventIds = await fixture.publish(1);
  const { metrics } = await adaptiveRelay();
  await eventually(() => expect(held).toHaveLength(1));
  const line = await oneDelivery(eventIds);
  expect(line).toMatchObject({ state: "sending", via: "relay", workflow_id: null });
  await inAccount((tx) => retryDelivery(tx, line.id));
  await eventually(async () => expect(await countsOf(metrics)).toEqual({ known: 1 }));
  held[0]?.writeHead(204).end();
  await eventually(emptied);
  expect(arrived()).toEqual(eventIds);
  expect(await hasRun(eventIds[0] ?? "")).toBe(false);
});

test("retry now in the first wait of one that the relay tried posts number 2 at once", async () => {
  fixture.sink.answer = answer(503);
  const eventIds = await fixture.publish(1);
  await adaptiveRelay({ waitsMs: [60_000, 60_000, 60_000, 60_000, 60_000, 60_000] });
  await eventually(async () =>
    expect(await oneDelivery(eventIds)).toMatchObject({ state: "waiting", attempts_made: 1 }),
  );
  await eventually(emptied);
  fixture.sink.answer = answer(204);
  const { id, workflow_id: workflowId } = await oneDelivery(eventIds);
  await inAccount((tx) => retryDelivery(tx, id));
  await eventually(() => expect(numbers()).toEqual(["1", "2"]));
  const run = fixture.client.workflow.getHandle(String(workflowId));
  expect(await run.result()).toEqual({ state: "delivered" });
});

test.each([
  ["", 0],
  [", also where MySQL fails once", 1],
])(
  "retry now of a queued delivery whose run was ended begins the next run at once%s",
  async (_, failures) => {
    const eventIds = await fixture.publish(1);
    const { id } = await oneDelivery(eventIds);
    // Temporal has taken it, and an operator has ended its run before the first attempt.
    await sql("DELETE FROM outbox");
    const workflowId = `delivery-${eventIds[0] ?? ""}-${fixture.subscriptionId}`;
    const options = { workflowId, taskQueue: "nobody", args: [] };
    const ended = await fixture.client.workflow.start("deliverWebhook", options);
    await ended.terminate();
    await inAccount((tx) => retryDelivery(tx, id));
    const failed = failReads("SELECT 1 FROM deliveries d", failures);
    await adaptiveRelay();
    await eventually(() => expect(arrived()).toEqual(eventIds));
    expect(failed()).toBe(failures);
    await eventually(async () =>
      expect(await oneDelivery(eventIds)).toMatchObject({ state: "delivered", run: 2 }),
    );
  },
);

test("retry now of one that goes on after a pause is its workflow's: the relay posts it no second time", async () => {
  const held = holdAnswers();
  const eventIds = await fixture.publish(1);
  const { id } = await oneDelivery(eventIds);
  await sql("DELETE FROM outbox");
  await sql(
    "UPDATE deliveries SET state = 'waiting', attempts_made = 1, next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 HOUR WHERE id = ?",
    [id],
  );
  await inAccount((tx) => pauseSubscription(tx, fixture.subscriptionId));
  await inAccount((tx) => holdOpenDeliveries(tx, fixture.subscriptionId, 500));
  await inAccount((tx) => resumeSubscription(tx, fixture.subscriptionId));
  await sql("DELETE FROM outbox");
  await inAccount((tx) => resumeHeldDeliveries(tx, fixture.subscriptionId, 500));
  await inAccount((tx) => retryDelivery(tx, id));
  expect(await oneDelivery(eventIds)).toMatchObject({ state: "waiting", run: 2, attempts_made: 0 });
  // Its row was not taken until its time had come.
  await sql("UPDATE deliveries SET next_attempt_at = UTC_TIMESTAMP(3) WHERE id = ?", [id]);
  await adaptiveRelay();
  await eventually(() => expect(held).toHaveLength(1));
  await eventually(emptied);
  held[0]?.writeHead(204).end();
  await eventually(async () =>
    expect(await oneDelivery(eventIds)).toMatchObject({ state: "delivered", via: "workflow" }),
  );
  expect(await attemptsOf(await oneDelivery(eventIds))).toEqual([
    { run: 2, seq: 1, number: 1, posts: 1, status_code: 204 },
  ]);
});

test("cancelled while the relay's attempt is under way: it stays cancelled, and no run is started", async () => {
  const held = holdAnswers();
  const eventIds = await fixture.publish(1);
  await adaptiveRelay();
  await eventually(() => expect(held).toHaveLength(1));
  const { id } = await oneDelivery(eventIds);
  await inAccount((tx) => cancelByOperator(tx, id, "wrong"));
  held[0]?.writeHead(500).end();
  await eventually(emptied);
  expect(await oneDelivery(eventIds)).toMatchObject({ state: "cancelled", workflow_id: null });
  expect(await hasRun(eventIds[0] ?? "")).toBe(false);
});

test("a fault of ours gives the delivery to a workflow, which makes the same attempt", async () => {
  const eventIds = await fixture.publish(1);
  const fail = async () => await Promise.reject(new Error("a fault of ours"));
  const attempts = { ...fixture.attempts, claimAndBegin: fail, attemptDelivery: fail };
  const { metrics } = await adaptiveRelay({ attempts });
  await eventually(() => expect(arrived()).toEqual(eventIds));
  await eventually(emptied);
  expect(numbers()).toEqual(["1"]);
  await eventually(async () =>
    expect(await oneDelivery(eventIds)).toMatchObject({ state: "delivered", via: "workflow" }),
  );
  expect(await countsOf(metrics)).toMatchObject({ retried: 1 });
});

test("where attempts cannot begin with their claim, each begins by itself, and the relay still makes it", async () => {
  const eventIds = await fixture.publish(3);
  const claimAndBegin = async () => await Promise.reject(new Error("a fault of one of them"));
  const { metrics } = await adaptiveRelay({ attempts: { ...fixture.attempts, claimAndBegin } });
  await eventually(() => expect(arrived()).toEqual(eventIds.toSorted()));
  await eventually(emptied);
  expect(await countsOf(metrics)).toEqual({ attempted: 3 });
});

test("otherwise each begins with its claim, and none by itself", async () => {
  const eventIds = await fixture.publish(20);
  const attemptDelivery = async () => await Promise.reject(new Error("begun by itself"));
  const { metrics } = await adaptiveRelay({ attempts: { ...fixture.attempts, attemptDelivery } });
  await eventually(() => expect(arrived()).toEqual(eventIds.toSorted()));
  await eventually(emptied);
  expect(await countsOf(metrics)).toEqual({ attempted: 20 });
});

test("a relay that dies after a claim keeps its lease, and another one then makes the same attempt", async () => {
  const eventIds = await fixture.publish(1);
  const { database, hostLimiter, attempts } = fixture;
  const { dataSource } = database;
  const deps = { dataSource, hostLimiter, attempts, waitsMs, log: createLog("test", "silent") };
  const quotas = [{ key: `${fixture.accountId}:${fixture.sink.url.slice(7)}`, limit: 1 }];
  const { started } = await claimRows(deps, quotas, { deliveries: true, messages: false });
  // The process is gone, and its slots with it.
  for (const { input } of started.values()) hostLimiter.release(runKey(input), null);
  expect(await oneDelivery(eventIds)).toMatchObject({ state: "sending", via: "relay" });
  expect(await inAccount((tx) => claimDue(tx, 10))).toEqual([]);
  await sql("UPDATE outbox SET available_at = available_at - INTERVAL 25 SECOND");
  await sql("UPDATE deliveries SET updated_at = updated_at - INTERVAL 25 SECOND");
  await adaptiveRelay();
  await eventually(() => expect(arrived()).toEqual(eventIds));
  await eventually(emptied);
  expect(numbers()).toEqual(["1"]);
  expect(await attemptsOf(await oneDelivery(eventIds))).toEqual([
    { run: 1, seq: 1, number: 1, posts: 2, status_code: 204 },
  ]);
});

test("a row that Temporal may know of is never attempted by the relay", async () => {
  const eventIds = await fixture.publish(2);
  await inAccount((tx) =>
    claimOutboxRows(tx, [{ key: `${fixture.accountId}:${fixture.sink.url.slice(7)}`, limit: 1 }]),
  );
  await sql(
    "UPDATE outbox SET lease_until = UTC_TIMESTAMP(3), available_at = UTC_TIMESTAMP(3) WHERE lease_until IS NOT NULL",
  );
  const { metrics } = await adaptiveRelay();
  await eventually(() => expect(arrived()).toEqual(eventIds.toSorted()));
  await eventually(emptied);
  expect(await countsOf(metrics)).toEqual({ attempted: 1, started: 1 });
});
