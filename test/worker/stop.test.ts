import type { ServerResponse } from "node:http";
import { ScheduleClient } from "@temporalio/client";
import { Worker } from "@temporalio/worker";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { eventCatalogue } from "../../core/model/events.ts";
import { taskQueues } from "../../core/model/workflow/workflow-command.ts";
import { publish } from "../../core/services/outbox/outbox.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../support/accounts.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { holdTimers } from "../support/held-timers.ts";
import { startSink, type Sink } from "../support/sink.ts";
import { createNamespace, startTestWorker } from "../support/worker.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let namespace: string;
let sink: Sink;
let accountId: number;

beforeAll(async () => {
  namespace = await createNamespace();
  sink = await startSink();
  ({ accountId } = await createTestAccount(database.dataSource));
  await createTestSubscription(database.dataSource, accountId, { url: sink.url });
});

beforeEach(async () => {
  sink.posts.length = 0;
  await database.dataSource.query("DELETE FROM deliveries");
  await database.dataSource.query("DELETE FROM outbox");
});

afterAll(async () => {
  await sink.stop();
});

const waits = { waitsMs: [100, 100, 100, 100, 100, 100] };

test.each([
  { which: "the first attempt, inside its workflow task", number: 1 },
  { which: "a later attempt, an activity of its own", number: 2 },
])("a worker that is stopped finishes $which, and no other repeats it", async ({ number }) => {
  const held: ServerResponse[] = [];
  sink.answer = ({ headers }, response) => {
    if (Number(headers["x-service-attempt"]) < number) response.writeHead(500).end();
    else held.push(response);
  };
  const worker = await startTestWorker(database, namespace, waits);
  await asSystem(database.dataSource, accountId, (tx) =>
    publish(tx, "contact.created", eventCatalogue["contact.created"].sample),
  );
  await eventually(() => expect(held).toHaveLength(1));
  let isStopped = false;
  const stopped = worker.stop().then(() => (isStopped = true));
  const [run] = await database.dataSource.query<{ state: string }[]>(
    "SELECT state FROM deliveries",
  );
  expect(run).toEqual({ state: "sending" });
  expect(isStopped).toBe(false);
  held[0]?.writeHead(204).end();
  await stopped;
  const states = () => database.dataSource.query("SELECT state, attempts_made FROM deliveries");
  expect(await states()).toEqual([{ state: "delivered", attempts_made: number }]);

  sink.answer = (_, response) => void response.writeHead(204).end();
  const next = await startTestWorker(database, namespace, waits);
  await asSystem(database.dataSource, accountId, (tx) =>
    publish(tx, "contact.updated", eventCatalogue["contact.updated"].sample),
  );
  const postsOf = (type: string) =>
    sink.posts.filter(({ headers }) => headers["x-service-event"] === type);
  // It is at work.
  await eventually(() => expect(postsOf("contact.updated")).toHaveLength(1));
  await next.stop();
  expect(postsOf("contact.created")).toHaveLength(number);
});

test("workers are shut down while an attempt of the relay is under way, which then ends and is repeated by nobody", async ({
  onTestFinished,
}) => {
  const held: ServerResponse[] = [];
  sink.answer = (_, response) => void held.push(response);
  await asSystem(database.dataSource, accountId, (tx) =>
    publish(tx, "contact.created", eventCatalogue["contact.created"].sample),
  );
  // So old that the relay makes the attempt.
  await database.dataSource.query(
    "UPDATE outbox SET available_at = available_at - INTERVAL 1 SECOND",
  );
  const worker = await startTestWorker(database, namespace, { firstAttempt: "adaptive" });
  await eventually(() => expect(held).toHaveLength(1));
  const shutdown = vi.spyOn(Worker.prototype, "shutdown");
  onTestFinished(() => shutdown.mockRestore());
  let isStopped = false;
  const stopped = worker.stop().then(() => (isStopped = true));
  await eventually(() => expect(shutdown).toHaveBeenCalledTimes(taskQueues.length));
  expect(isStopped).toBe(false);
  const rows = () => database.dataSource.query("SELECT state, via FROM deliveries");
  expect(await rows()).toEqual([{ state: "sending", via: "relay" }]);
  held[0]?.writeHead(204).end();
  await stopped;
  expect(await rows()).toEqual([{ state: "delivered", via: "relay" }]);
  expect(await database.dataSource.query("SELECT id FROM outbox")).toEqual([]);
  expect(sink.posts).toHaveLength(1);
});

test("workers are shut down while the loops of the channels wait for MySQL", async ({
  onTestFinished,
}) => {
  const worker = await startTestWorker(database, namespace, waits);
  const runner = database.dataSource.createQueryRunner();
  await runner.query("LOCK TABLES channel_webhooks WRITE");
  const unlock = async () => await runner.query("UNLOCK TABLES");
  onTestFinished(async () => {
    await unlock();
    await runner.release();
  });
  await eventually(async () => {
    const looks = await database.dataSource.query<unknown[]>(
      `SELECT 1 FROM information_schema.processlist
        WHERE db = DATABASE() AND info LIKE '%channel_webhooks%' AND id <> CONNECTION_ID()`,
    );
    expect(looks).not.toEqual([]);
  });
  const shutdown = vi.spyOn(Worker.prototype, "shutdown");
  onTestFinished(() => shutdown.mockRestore());
  let isStopped = false;
  const stopped = worker.stop().then(() => (isStopped = true));
  await eventually(() => expect(shutdown).toHaveBeenCalledTimes(taskQueues.length));
  expect(isStopped).toBe(false);
  await unlock();
  await stopped;
});

test("what a worker prepares in Temporal when it starts, and gets no answer to, delays no stop", async ({
  onTestFinished,
}) => {
  const silent = vi.spyOn(ScheduleClient.prototype, "create");
  silent.mockReturnValue(new Promise(() => undefined));
  // It would be given up after 10 s, which never pass here.
  const limits = holdTimers(10_000);
  onTestFinished(() => {
    silent.mockRestore();
    limits.mockRestore();
  });
  const worker = await startTestWorker(database, namespace, waits);
  expect(silent).toHaveBeenCalled();
  expect(limits.mock.calls.map(([, ms]) => ms)).toContain(10_000);
  await worker.stop();
});
