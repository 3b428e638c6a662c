import { randomUUID } from "node:crypto";
import { Client, type ScheduleDescription } from "@temporalio/client";
import type { NativeConnection } from "@temporalio/worker";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../core/log.ts";
import { plainNames } from "../../core/model/installation.ts";
import { prepareSchedules } from "../../worker/schedules.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import {
  createNamespace,
  installTestRuntime,
  linkTemporal,
  startTestWorker,
  type TestWorker,
} from "../support/worker.ts";

const ids = ["purge", "reconcile", "refreshPages", "refreshTemplates"];
const preparing = () => ({
  log: createLog("test", "silent"),
  stopping: new AbortController().signal,
});
let database: TestDatabase;
let connection: NativeConnection;
let client: Client;
let worker: TestWorker;

beforeAll(async () => {
  installTestRuntime();
  database = await createTestDatabase();
  const namespace = await createNamespace();
  ({ connection } = await linkTemporal("default"));
  client = new Client({ connection, namespace });
  worker = await startTestWorker(database, namespace);
});

afterAll(async () => {
  await worker.stop();
  await connection.close();
  await database.stop();
});

async function describeAll(): Promise<ScheduleDescription[]> {
  return await Promise.all(ids.map((id) => client.schedule.getHandle(id).describe()));
}

test("a worker's start makes the schedules", async () => {
  const schedules = await eventually(describeAll);
  const usual = { taskQueue: "ops", overlap: "SKIP" };
  expect(
    schedules.map(({ spec, action, policies }) => ({
      workflow: action.workflowType,
      taskQueue: action.taskQueue,
      everyMs: spec.intervals?.map(({ every }) => every),
      overlap: policies.overlap,
      limitMs: action.workflowRunTimeout,
    })),
  ).toEqual([
    { ...usual, workflow: "purge", everyMs: [3_600_000], limitMs: 21_600_000 },
    { ...usual, workflow: "reconcile", everyMs: [600_000], limitMs: 3_600_000 },
    { ...usual, workflow: "refreshPages", everyMs: [3_600_000], limitMs: 3_600_000 },
    { ...usual, workflow: "refreshTemplates", everyMs: [3_600_000], limitMs: 3_600_000 },
  ]);
});

test("further starts, and several at once, change nothing", async () => {
  const before = await eventually(describeAll);
  await Promise.all(
    Array.from({ length: 4 }, () => prepareSchedules(client, plainNames, preparing())),
  );
  const after = await describeAll();
  expect(after.map(({ info }) => info.lastUpdatedAt)).toEqual(
    before.map(({ info }) => info.lastUpdatedAt),
  );
  expect(after.map(({ spec }) => spec)).toEqual(before.map(({ spec }) => spec));
});

test("one of an older version is brought up to date, and stays paused where someone paused it", async () => {
  const schedule = client.schedule.getHandle("purge");
  await eventually(describeAll);
  const everyMs = async () => (await schedule.describe()).spec.intervals?.map(({ every }) => every);
  await schedule.update((known) => ({ ...known, spec: { intervals: [{ every: 5_000_000 }] } }));
  // Temporal answers before it has done so, and of what comes together it does the pause first.
  await eventually(async () => expect(await everyMs()).toEqual([5_000_000]));
  await schedule.pause("not now");
  await eventually(async () => expect((await schedule.describe()).state.paused).toBe(true));
  await prepareSchedules(client, plainNames, preparing());
  await eventually(async () => expect(await everyMs()).toEqual([3_600_000]));
  const { state } = await schedule.describe();
  expect(state).toMatchObject({ paused: true, note: "not now" });
  await schedule.unpause();
});

test("one of a version that set its runs no time limit gets the limit", async () => {
  const schedule = client.schedule.getHandle("reconcile");
  await eventually(describeAll);
  const limitMs = async () => (await schedule.describe()).action.workflowRunTimeout;
  await schedule.update((known) => ({
    ...known,
    action: { ...known.action, workflowRunTimeout: undefined },
  }));
  await eventually(async () => expect(await limitMs()).toBeUndefined());
  await prepareSchedules(client, plainNames, preparing());
  await eventually(async () => expect(await limitMs()).toBe(3_600_000));
});

test("a run of the schedule goes through on the worker", async () => {
  await eventually(describeAll);
  const schedule = client.schedule.getHandle("purge");
  await schedule.trigger();
  const workflowId = await eventually(async () => {
    const [action] = (await schedule.describe()).info.recentActions;
    if (action === undefined) throw new Error("not started yet");
    return action.action.workflow.workflowId;
  });
  const { deleted } = await client.workflow.getHandle(workflowId).result();
  expect(deleted).toMatchObject({ delivery_attempts: 0, events: 0, sessions: 0 });
});

test("one that is gone, as from a Temporal taken back to an earlier state, is made again", async () => {
  const stopping = new AbortController();
  await prepareSchedules(client, plainNames, {
    ...preparing(),
    stopping: stopping.signal,
    everyMs: 50,
    againMs: 50,
  });
  const schedule = client.schedule.getHandle("reconcile");
  const before = (await eventually(() => schedule.describe())).info.createdAt;
  // A try that meets the deletion half done fails, and is repeated.
  await schedule.delete();
  await eventually(async () => {
    const { info, action } = await schedule.describe();
    expect(info.createdAt.getTime()).toBeGreaterThan(before.getTime());
    expect(action.workflowType).toBe("reconcile");
  });
  stopping.abort();
});

test("where the server refuses schedules, the start goes on, and they are made once it takes them", async () => {
  const given = { ...preparing(), everyMs: 50 };
  const late = new Client({ connection, namespace: `t-late-${randomUUID()}` });
  await prepareSchedules(late, plainNames, given);
  await createNamespace(late.options.namespace);
  for (const id of ids) {
    const { action } = await eventually(() => late.schedule.getHandle(id).describe());
    expect(action.workflowType).toBe(id);
  }
});
