import { createHostLimiter } from "../../activities/limits/host-limiter.ts";
import { createSendPace } from "../../activities/limits/send-pace.ts";
import { Client, type WorkflowHandle } from "@temporalio/client";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createPoster } from "../../activities/http/post.ts";
import type { ActivityDeps } from "../../activities/deps.ts";
import { createWorkerMetrics } from "../../activities/metrics.ts";
import type { ReadRunStates } from "../../activities/run-state.ts";
import { createLog } from "../../core/log.ts";
import { createRegistry } from "../../core/metrics.ts";
import { deliveryStates } from "../../core/model/workflow/delivery.ts";
import { plainNames } from "../../core/model/installation.ts";
import { eventCatalogue } from "../../core/model/events.ts";
import { retryDelivery } from "../../core/services/deliveries/delivery-actions.ts";
import { listOverdue } from "../../core/services/deliveries/lost-deliveries.ts";
import { publish } from "../../core/services/outbox/outbox.ts";
import {
  deleteSubscription,
  pauseSubscription,
  resumeSubscription,
  updateSubscription,
} from "../../core/services/subscriptions/subscriptions.ts";
import { openDatabase } from "../../db/data-source.ts";
import type { Tx } from "../../db/transaction.ts";
import { createRunStates } from "../../worker/run-states.ts";
import type { reconcile } from "../../workflows/reconcile.ts";
import {
  asSystem,
  createTestAccount,
  createTestSubscription,
  testSecretBox,
} from "../support/accounts.ts";
import { createTestDatabase, whileLocked, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startSink, type Sink } from "../support/sink.ts";
import {
  connectToNewNamespace,
  createNamespace,
  startTestWorker,
  type TestWorker,
} from "../support/worker.ts";
import { createTestActivities, noServices } from "../support/activity-deps.ts";

const hourMs = 3_600_000;
const waitsMs = Array.from({ length: 6 }, () => hourMs);
const log = createLog("test", "silent");
let database: TestDatabase;
let accountId: number;
let sink: Sink;
let namespace: string;
let client: Client;
let worker: TestWorker | null = null;

beforeAll(async () => {
  client = await connectToNewNamespace();
  ({ namespace } = client.options);
});

beforeEach(async () => {
  database = await createTestDatabase();
  ({ accountId } = await createTestAccount(database.dataSource));
  sink = await startSink();
  await createTestSubscription(database.dataSource, accountId, { url: `${sink.url}/hook` });
});

afterEach(async () => {
  await stopWorker();
  await sink.stop();
  await database.stop();
});

afterAll(async () => await client.connection.close());

interface Row {
  id: number;
  state: string;
  run: number;
  first_number: number;
  attempts_made: number;
  workflow_id: string;
  discard_at: Date | null;
}

async function readDelivery(): Promise<Row> {
  const [row] = await database.dataSource.query<Row[]>("SELECT * FROM deliveries");
  if (row === undefined) throw new Error("no delivery");
  return row;
}

async function untilState(state: string): Promise<Row> {
  return await eventually(async () => {
    const row = await readDelivery();
    expect(row.state).toBe(state);
    return row;
  });
}

async function startWorker(where = namespace): Promise<void> {
  worker = await startTestWorker(database, where, { waitsMs });
}

async function stopWorker(): Promise<void> {
  await worker?.stop();
  worker = null;
}

/** Starts a worker and publishes an event whose first attempt fails. */
async function publishFailing(): Promise<Row> {
  await startWorker();
  sink.answer = (_, response) => void response.writeHead(500).end();
  await publishOne();
  const row = await untilState("waiting");
  // As long as its start is in the outbox it has not been lost.
  await eventually(async () =>
    expect(await database.dataSource.query("SELECT id FROM outbox")).toEqual([]),
  );
  return row;
}

async function publishOne(): Promise<void> {
  await asSystem(database.dataSource, accountId, (tx) =>
    publish(tx, "contact.created", eventCatalogue["contact.created"].sample),
  );
}

/** As if everything had happened `minutes` earlier. */
async function letPass(minutes: number): Promise<void> {
  const earlier = (column: string) => `${column} = ${column} - INTERVAL ${minutes} MINUTE`;
  const columns = ["updated_at", "created_at", "next_attempt_at", "discard_at"];
  await database.dataSource.query(`UPDATE deliveries SET ${columns.map(earlier).join(", ")}`);
  await database.dataSource.query(`UPDATE subscriptions SET ${earlier("updated_at")}`);
}

/** A delivery that its paused subscription holds, with nobody told of what comes next. */
async function publishHeld(next: (tx: Tx, id: number) => Promise<unknown>): Promise<void> {
  const [subscription] = await database.dataSource.query<{ id: number }[]>(
    "SELECT id FROM subscriptions",
  );
  const id = subscription?.id ?? 0;
  await asSystem(database.dataSource, accountId, (tx) => pauseSubscription(tx, id));
  await publishOne();
  await asSystem(database.dataSource, accountId, (tx) => next(tx, id));
  await database.dataSource.query("DELETE FROM outbox");
}

/** The run that lets what was held go on, where no worker takes it. */
async function startResumption(): Promise<WorkflowHandle> {
  return await client.workflow.start("resumeDeliveries", {
    workflowId: await resumptionId(),
    taskQueue: "nobody's",
    args: [],
  });
}

async function resumptionId(): Promise<string> {
  const [row] = await database.dataSource.query<{ id: number; state_version: number }[]>(
    "SELECT id, state_version FROM subscriptions",
  );
  return `resume-deliveries-subscription-${row?.id}-v${row?.state_version}`;
}

async function runReconcile() {
  return await client.workflow.execute<typeof reconcile>("reconcile", {
    workflowId: `reconcile-${Math.random()}`,
    taskQueue: "ops",
    args: [],
  });
}

function found(checked: number, restarted: number, discarded: number) {
  return { checked, restarted, discarded, recovered: 0 };
}

function createDeps(runStates: ReadRunStates): ActivityDeps {
  return {
    dataSource: database.dataSource,
    secretBox: testSecretBox,
    poster: createPoster({ policy: { allowPrivate: true, ownHosts: [] } }),
    log,
    metrics: createWorkerMetrics(createRegistry()),
    hostLimiter: createHostLimiter(),
    sendPace: createSendPace(),
    ...noServices,
    retryJitter: 0,
    runStates,
    stopping: new AbortController().signal,
  };
}

test("a run that was ended from outside goes on: same id and bytes, the number that is due", async () => {
  const lost = await publishFailing();
  await client.workflow.getHandle(lost.workflow_id).terminate("an accident");
  await letPass(75);
  sink.answer = (_, response) => void response.writeHead(204).end();
  expect(await runReconcile()).toEqual(found(1, 1, 0));
  expect(await untilState("delivered")).toMatchObject({
    run: 2,
    first_number: 2,
    attempts_made: 1,
    workflow_id: `${lost.workflow_id}-r2`,
  });
  const [first, second] = sink.posts;
  expect(sink.posts).toHaveLength(2);
  expect(second?.body).toEqual(first?.body);
  for (const name of ["x-service-event-id", "webhook-id", "x-service-signature"]) {
    expect(second?.headers[name]).toBe(first?.headers[name]);
  }
  expect(sink.posts.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "2"]);
  expect(await runReconcile()).toEqual(found(0, 0, 0));
});

test.each([
  { when: "a middle wait", made: 1, number: 2 },
  { when: "the last wait", made: 6, number: 6 },
])("retry now, in $when, of a run that was ended from outside is not lost", async (given) => {
  const lost = await publishFailing();
  await client.workflow.getHandle(lost.workflow_id).terminate("an accident");
  if (given.made === 6) {
    await database.dataSource.query(
      "UPDATE deliveries SET attempts_made = 6, discard_at = next_attempt_at, next_attempt_at = NULL",
    );
  }
  sink.answer = (_, response) => void response.writeHead(204).end();
  await asSystem(database.dataSource, accountId, (tx) => retryDelivery(tx, lost.id));
  expect(await untilState("delivered")).toMatchObject({ run: 2, first_number: given.number });
  const numbers = sink.posts.map(({ headers }) => headers["x-service-attempt"]);
  expect(numbers).toEqual(["1", String(given.number)]);
  expect(sink.posts[1]?.body).toEqual(sink.posts[0]?.body);
});

test("a Temporal that has lost everything: what it was told of starts anew", async () => {
  await publishFailing();
  await stopWorker();
  const fresh = await createNamespace();
  await startWorker(fresh);
  await letPass(75);
  sink.answer = (_, response) => void response.writeHead(204).end();
  const elsewhere = new Client({ connection: client.connection, namespace: fresh });
  await elsewhere.workflow.execute("reconcile", { workflowId: "r", taskQueue: "ops", args: [] });
  expect(await untilState("delivered")).toMatchObject({ run: 2 });
  expect(sink.posts).toHaveLength(2);
  expect(sink.posts[1]?.body).toEqual(sink.posts[0]?.body);
});

test("a run that is merely late, or not late yet, is left alone", async () => {
  const before = await publishFailing();
  expect(await runReconcile()).toEqual(found(0, 0, 0));
  await letPass(75);
  expect(await runReconcile()).toEqual(found(1, 0, 0));
  expect(await readDelivery()).toMatchObject({ run: 1, workflow_id: before.workflow_id });
  await client.workflow.getHandle(before.workflow_id).terminate();
});

test("a run that was lost in the last wait is discarded, with its notification and no further post", async () => {
  const lost = await publishFailing();
  await client.workflow.getHandle(lost.workflow_id).terminate();
  await database.dataSource.query(
    "UPDATE deliveries SET attempts_made = 6, next_attempt_at = NULL, discard_at = UTC_TIMESTAMP(3) - INTERVAL 11 MINUTE",
  );
  expect(await runReconcile()).toEqual(found(1, 0, 1));
  expect(await readDelivery()).toMatchObject({ state: "discarded", run: 1, discard_at: null });
  const notifications = await database.dataSource.query("SELECT kind FROM notifications");
  expect(notifications).toEqual([{ kind: "delivery_discarded" }]);
  expect(sink.posts).toHaveLength(1);
});

test("what is in the outbox has not been lost", async () => {
  await publishOne();
  await letPass(75);
  const activities = createTestActivities(createDeps(createRunStates(client, plainNames, log)));
  const nothing = { restarted: 0, discarded: 0, after: null };
  expect(await activities.reconcileDeliveries({ after: 0 })).toEqual({ checked: 1, ...nothing });
  await database.dataSource.query("DELETE FROM outbox");
  expect(await activities.reconcileDeliveries({ after: 0 })).toMatchObject({ restarted: 1 });
  await startWorker();
  expect(await untilState("delivered")).toMatchObject({ run: 2, first_number: 1 });
  expect(sink.posts).toHaveLength(1);
});

test("a look for late runs gets on where none is late, account by account in the order of ids", async () => {
  const other = await createTestAccount(database.dataSource);
  const states = ["waiting", "delivered", "queued", "held", "sending", "queued", "queued"];
  for (const [index, state] of states.entries()) {
    await database.dataSource.query(
      `INSERT INTO deliveries (id, account_id, event_id, subscription_id, event_type, state, updated_at)
       VALUES (?, ?, ?, 1, 'contact.created', ?, UTC_TIMESTAMP(3) - INTERVAL ? MINUTE)`,
      [
        10 + index,
        index % 2 === 0 ? accountId : other.accountId,
        Buffer.alloc(16, index),
        state,
        index === 5 ? 11 : 0,
      ],
    );
  }
  const look = async (after: number, size = 10) =>
    await asSystem(database.dataSource, 0, (tx) => listOverdue(tx, after, { size, looks: 2 }));
  const nothing = { late: [], stranded: [] };
  expect(await look(0)).toEqual({ ...nothing, through: 12 });
  expect(await look(12)).toEqual({ ...nothing, through: 14 });
  const late = [expect.objectContaining({ id: 15, accountId: other.accountId })];
  expect(await look(14)).toEqual({ ...nothing, late, through: 16 });
  expect(await look(14, 1)).toEqual({ ...nothing, late, through: 15 });
  expect(await look(15)).toEqual({ ...nothing, through: null });
  expect(await look(16)).toEqual({ ...nothing, through: null });
});

test("what was held goes on where the run that had to see to it was ended from outside", async () => {
  await publishHeld((tx, id) => resumeSubscription(tx, id));
  await (await startResumption()).terminate("an accident");
  await startWorker();
  await runReconcile();
  // Not yet: it may have been held a moment ago.
  expect(await database.dataSource.query("SELECT id FROM outbox")).toEqual([]);
  expect(await readDelivery()).toMatchObject({ state: "held" });
  await letPass(11);
  await runReconcile();
  expect(await untilState("delivered")).toMatchObject({ run: 2, first_number: 1 });
  expect(sink.posts).toHaveLength(1);
});

test("what is held stays so while its subscription is paused, or its run is at it", async () => {
  const running = new Set<string>();
  const activities = createTestActivities(
    createDeps(async (ids) => {
      const stateOf = (id: string) => (running.has(id) ? "running" : "missing");
      return await Promise.resolve(new Map(ids.map((id) => [id, stateOf(id)])));
    }),
  );
  const asked = async (takenUp: number[] = []) => {
    await activities.reconcileDeliveries({ after: 0, takenUp });
    const rows = await database.dataSource.query<{ command: { workflowId: string } }[]>(
      "SELECT command FROM outbox ORDER BY id",
    );
    return rows.map(({ command }) => command.workflowId);
  };
  await publishHeld(async () => {});
  await letPass(75);
  expect(await asked()).toEqual([]);
  await asSystem(database.dataSource, accountId, (tx) => resumeSubscription(tx, 1));
  const id = await resumptionId();
  // What is changed beside the state leaves the run that follows it the same.
  await asSystem(database.dataSource, accountId, (tx) =>
    updateSubscription(tx, 1, { name: "Another name" }),
  );
  await database.dataSource.query("DELETE FROM outbox");
  await letPass(75);
  running.add(id);
  expect(await asked()).toEqual([]);
  running.clear();
  // Under its own id, so that Temporal has one such run at most.
  expect(await asked()).toEqual([id]);
  running.add(id);
  expect(await asked()).toEqual([id]);
  // Temporal has yet to be told of it.
  running.clear();
  expect(await asked()).toEqual([id]);
  await database.dataSource.query("DELETE FROM outbox");
  // Nor on the next page of the same round.
  expect(await asked([1])).toEqual([]);
  expect(await activities.reconcileDeliveries({ after: 0 })).toMatchObject({ takenUp: [1] });
});

test("what was held too late for the end of its subscription is cancelled", async () => {
  await publishHeld((tx, id) => deleteSubscription(tx, id));
  await letPass(75);
  await startWorker();
  await runReconcile();
  expect(await untilState("cancelled")).toMatchObject({ run: 1 });
  expect(sink.posts).toHaveLength(0);
});

test("several looks at once start one new run", async () => {
  await publishOne();
  await letPass(75);
  await database.dataSource.query("DELETE FROM outbox");
  const activities = createTestActivities(createDeps(createRunStates(client, plainNames, log)));
  const looks = Array.from({ length: 5 }, () => activities.reconcileDeliveries({ after: 0 }));
  const restarted = (await Promise.all(looks)).map((look) => look.restarted);
  expect(restarted.reduce((sum, one) => sum + one)).toBe(1);
  expect(await database.dataSource.query("SELECT id FROM outbox")).toHaveLength(1);
});

test("where Temporal does not answer, nothing is taken for lost", async () => {
  await publishOne();
  await letPass(75);
  await database.dataSource.query("DELETE FROM outbox");
  const activities = createTestActivities(
    createDeps(async () => await Promise.reject(new Error("away"))),
  );
  await expect(activities.reconcileDeliveries({ after: 0 })).rejects.toThrow("away");
  expect(await readDelivery()).toMatchObject({ run: 1 });
});

test("deliveries are counted, and their states add up to all", async () => {
  for (const [index, state] of deliveryStates.entries()) {
    await database.dataSource.query(
      `INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state)
       VALUES (?, ?, 1, 'contact.created', ?)`,
      [accountId, Buffer.alloc(16, index), state],
    );
  }
  const deps = createDeps(createRunStates(client, plainNames, log));
  await createTestActivities(deps).countDeliveries();
  const { values } = await deps.metrics.deliveries.get();
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.state, value]))).toEqual(
    Object.fromEntries(deliveryStates.map((state) => [state, 1])),
  );
});

test("a count is told for 15 minutes and then no more, should nobody count again", async () => {
  const deps = createDeps(createRunStates(client, plainNames, log));
  const timers = vi.spyOn(globalThis, "setTimeout");
  await createTestActivities(deps).countDeliveries();
  const forget = timers.mock.calls.find(([, delayMs]) => delayMs === 900_000)?.[0];
  timers.mockRestore();
  expect((await deps.metrics.deliveries.get()).values).toHaveLength(deliveryStates.length);
  forget?.();
  expect((await deps.metrics.deliveries.get()).values).toEqual([]);
});

test("a count that takes too long is ended by MySQL before the pool ends its connection", async () => {
  const dataSource = await openDatabase({ url: database.url, poolSize: 1, bounded: true });
  const readId = async () => await dataSource.query<object[]>("SELECT CONNECTION_ID() AS id");
  const deps = { ...createDeps(createRunStates(client, plainNames, log)), dataSource };
  const before = await readId();
  await whileLocked(database.dataSource, "deliveries", async () => {
    await createTestActivities(deps).countDeliveries();
    expect(await readId()).toEqual(before);
  });
  await dataSource.destroy();
  expect((await deps.metrics.deliveries.get()).values).toEqual([]);
});

test("a count that fails is given up, so that it holds up no look for lost runs", async () => {
  const deps = createDeps(createRunStates(client, plainNames, log));
  await database.dataSource.query("RENAME TABLE deliveries TO elsewhere");
  await createTestActivities(deps).countDeliveries();
  await database.dataSource.query("RENAME TABLE elsewhere TO deliveries");
  expect((await deps.metrics.deliveries.get()).values).toEqual([]);
});
