/**
 * Records the histories that `test/workflows/replay.test.ts` replays: one of every scenario a run can go,
 * made by the workflows of today on a Temporal server of its own, with activities that follow a
 * script. Run it when a new scenario or a new workflow comes. It records what is missing; files that are
 * there are recorded again only where they are named, since runs like them may be under scenario somewhere.
 *
 *     node --import tsx/esm test/histories/record.ts [name…]
 */
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client, type WorkflowHandle } from "@temporalio/client";
import type { SignalDefinition } from "@temporalio/common";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { NativeConnection, Worker } from "@temporalio/worker";
import { createLog } from "../../core/log.ts";
import type { FailedAttempt } from "../../core/model/workflow/delivery.ts";
import type { ForgetCallsInput } from "../../core/model/erasure.ts";
import { localPath, partLog } from "../../dev/local.ts";
import { startTemporal } from "../../dev/servers/temporal.ts";
import { findTimeSkippingServer } from "../../dev/servers/time-skipping.ts";
import { prepareNamespace } from "../../worker/namespace.ts";
import { bundleWorkflows } from "../../worker/workflow-bundle.ts";
import { cancel, retryNow } from "../../workflows/delivery-signals.ts";
import { eventually } from "../support/eventually.ts";
import { installTestRuntime } from "../support/worker.ts";
import {
  delivered,
  failed,
  startTimeSkippingFixture,
  withRun,
  type FakeRun,
  type WorkflowFixture,
  type Script,
} from "../workflows/fake-run.ts";
import { createScriptFixture } from "../workflows/scripted-run.ts";
import { appointmentScenarios, longAppointmentScenarios } from "./appointment-scenarios.ts";
import { conversationScenarios, longConversationScenarios } from "./conversation-scenarios.ts";
import { mailScenarios } from "./mail-scenarios.ts";
import { longMediaScenarios, mediaScenarios } from "./media-scenarios.ts";
import { reminderScenarios } from "./reminder-scenarios.ts";
import { pageScenarios } from "./page-scenarios.ts";
import { templateScenarios } from "./template-scenarios.ts";
import { calendarScenarios } from "./calendar-scenarios.ts";
import { agentScenarios } from "./agent-scenarios.ts";
import { calendlyScenarios, longCalendlyScenarios } from "./calendly-scenarios.ts";
import { importScenarios } from "./import-scenarios.ts";
import { snoozeScenarios } from "./snooze-scenarios.ts";

/** How a run of `deliverWebhook` goes: what the receiver does, and what an operator does. */
interface Scenario {
  script: Script;
  operate?: (run: FakeRun) => Promise<unknown>;
  firstNumber?: number;
  /** The first attempt was made by the relay, in vain. */
  attempted?: FailedAttempt;
  /** Comes with the start. */
  signal?: SignalDefinition<[number?]>;
  /** Milliseconds from now before which the first attempt is not made. */
  notBeforeMs?: number;
}

const untilCalls = (run: FakeRun, count: number) =>
  eventually(() => {
    if (run.calls.length < count) throw new Error(`${run.calls.length} calls`);
  });
let faults = 0;

const failedByRelay: FailedAttempt = {
  state: "waiting",
  waitMs: 20,
  nextAttemptAt: "2030-01-01T00:00:00.000Z",
  statusCode: 503,
  errorClass: "http_status",
};

const scenarios: Record<string, Scenario> = {
  "delivered-at-first": { script: () => delivered },
  "delivered-at-third": { script: (input) => (input.number === 3 ? delivered : failed(input)) },
  discarded: { script: failed },
  "starts-at-its-first-wait": {
    script: (input) => (input.number === 3 ? delivered : failed(input)),
    attempted: failedByRelay,
  },
  "retry-with-its-start": {
    script: () => delivered,
    attempted: failedByRelay,
    signal: retryNow,
  },
  "starts-at-third": { script: failed, firstNumber: 3 },
  "starts-later": { script: () => delivered, firstNumber: 3, notBeforeMs: 1_500 },
  "retry-before-its-start": {
    script: () => delivered,
    firstNumber: 3,
    notBeforeMs: 60_000,
    operate: async (run) => await run.handle.signal(retryNow),
  },
  "cancel-before-its-start": {
    script: () => delivered,
    firstNumber: 3,
    notBeforeMs: 60_000,
    operate: async (run) => await run.handle.signal(cancel),
  },
  held: { script: (input) => (input.seq === 2 ? { state: "held" } : failed(input)) },
  "faults-of-ours": {
    script: (input) => {
      if (input.seq <= 2 && (faults += 1) % 4 !== 0) throw new Error("a fault of ours");
      return input.seq === 3 ? delivered : failed(input);
    },
  },
  "retry-in-a-middle-wait": {
    script: (input) => (input.manual ? delivered : failed(input, 60_000)),
    operate: async (run) => await run.handle.signal(retryNow),
  },
  "retry-told-before-the-outcome": {
    script: async (input) => {
      if (input.seq === 2) await sleep(1_000);
      return input.seq === 3 ? delivered : failed(input, input.seq === 1 ? 20 : 60_000);
    },
    operate: async (run) => {
      await untilCalls(run, 2);
      await run.handle.signal(retryNow, 1);
      await run.handle.signal(retryNow, 2);
    },
  },
  "retries-in-the-last-wait": {
    script: (input) => failed(input, input.number === 6 ? 3_000 : 20),
    operate: async (run) => {
      await untilCalls(run, 6);
      await run.handle.signal(retryNow);
      await untilCalls(run, 7);
    },
  },
  "retry-in-the-last-wait-arrives": {
    script: (input) => (input.manual ? delivered : failed(input, input.number === 6 ? 60_000 : 20)),
    operate: async (run) => {
      await untilCalls(run, 6);
      await run.handle.signal(retryNow);
    },
  },
  "cancel-signal": {
    script: (input) => failed(input, 60_000),
    operate: async (run) => await run.handle.signal(cancel),
  },
  "cancel-request": {
    script: (input) => failed(input, 60_000),
    operate: async (run) => await run.handle.cancel(),
  },
  "cancel-request-in-the-last-wait": {
    script: (input) => failed(input, input.number === 6 ? 60_000 : 20),
    operate: async (run) => {
      await untilCalls(run, 6);
      await run.handle.cancel();
    },
  },
};

async function main(): Promise<void> {
  const server = await startTemporal({
    headless: true,
    port: 0,
    // Above what any other scenario takes; the server's own 4,096 would make a history of megabytes.
    settings: { "limit.historyCount.suggestContinueAsNew": 90 },
    pidFile: localPath("test", "record-temporal.pid"),
    logFile: localPath("log", "record-temporal.log"),
    log: partLog("temporal"),
  });
  try {
    installTestRuntime();
    const connection = await NativeConnection.connect({ address: server.address });
    await prepareNamespace(
      { connection, namespace: "default" },
      { log: createLog("record", "warn"), stopping: new AbortController().signal },
    );
    const fixture: WorkflowFixture = {
      connection,
      client: new Client({ connection }),
      workflowBundle: await bundleWorkflows(),
      currentTimeMs: async () => await Promise.resolve(Date.now()),
      sleep: async () => await Promise.resolve(),
      stop: () => connection.close(),
    };
    for (const [name, scenario] of Object.entries(scenarios)) {
      if (isWanted(`deliver-webhook-${name}`)) await recordDelivery(fixture, name, scenario);
    }
    if (isWanted("deliver-webhook-begins-anew")) await recordBegunAnew(fixture);
    if (isWanted("cancel-deliveries")) await recordCancelDeliveries(fixture);
    if (isWanted("hold-deliveries")) await recordHoldDeliveries(fixture);
    if (isWanted("resume-deliveries")) await recordResumeDeliveries(fixture);
    if (isWanted("replay-deliveries")) await recordReplayDeliveries(fixture);
    if (isWanted("erase-contact-searching-calls")) await recordEraseContact(fixture);
    if (isWanted("purge")) await recordPurge(fixture);
    if (isWanted("reconcile-in-parts")) await recordReconcile(fixture);
    if (isWanted("reseal")) await recordReseal(fixture);
    await recordScenarios(fixture, { ...conversationScenarios, ...appointmentScenarios, ...reminderScenarios, ...snoozeScenarios, ...mailScenarios, ...mediaScenarios, ...pageScenarios, ...templateScenarios, ...calendlyScenarios, ...agentScenarios, ...calendarScenarios, ...importScenarios });
    const executable = await findTimeSkippingServer(partLog("skipping"));
    const long = {
      ...longConversationScenarios,
      ...longAppointmentScenarios,
      ...longCalendlyScenarios,
      ...longMediaScenarios,
    };
    await recordScenarios(await startTimeSkippingFixture(executable), long);
  } finally {
    await server.stop();
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const named = process.argv.slice(2);

function isWanted(name: string): boolean {
  return named.includes(name) || !existsSync(fileOf(name));
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`${name}.json`, import.meta.url));
}

/** Records scenarios of a server, and stops the server. */
async function recordScenarios(server: WorkflowFixture, listed: typeof conversationScenarios): Promise<void> {
  const fixture = await createScriptFixture(server);
  for (const [name, scenario] of Object.entries(listed)) {
    if (isWanted(name)) await save(name, await scenario(fixture));
  }
  await fixture.stop();
}

async function recordDelivery(fixture: WorkflowFixture, name: string, scenario: Scenario): Promise<void> {
  const { script, operate, firstNumber = 1, notBeforeMs, attempted, signal = null } = scenario;
  const later =
    notBeforeMs === undefined
      ? {}
      : { notBefore: new Date(Date.now() + notBeforeMs).toISOString() };
  const begun = attempted === undefined ? later : { attempted };
  const given = { waitsMs: [20, 20, 20, 20, 20, 20], searchable: true, firstNumber, ...begun };
  const use = async (run: FakeRun): Promise<void> => {
    if (notBeforeMs === undefined) await untilCalls(run, 1);
    await operate?.(run);
    await save(`deliver-webhook-${name}`, run.handle);
  };
  await withRun(fixture, script, use, given, signal);
}

/** Retries in the last wait until the history has begun anew, and saves both parts of it. */
async function recordBegunAnew(fixture: WorkflowFixture): Promise<void> {
  const script: Script = (input) => failed(input, input.number === 6 ? 3_000 : 20);
  const given = { waitsMs: [20, 20, 20, 20, 20, 20], searchable: true };
  const use = async ({ handle, calls }: FakeRun): Promise<void> => {
    const { runId } = await handle.describe();
    const part = async () => (await handle.describe()).runId;
    for (let retries = 6; (await part()) === runId; retries += 1) {
      await eventually(() => {
        if (calls.length < retries) throw new Error(`${calls.length} calls`);
      });
      await handle.signal(retryNow);
    }
    const first = fixture.client.workflow.getHandle(handle.workflowId, runId);
    await save("deliver-webhook-begins-anew", first);
    await save("deliver-webhook-begun-anew", handle);
  };
  await withRun(fixture, script, use, given);
}

async function recordCancelDeliveries({ connection, client, workflowBundle }: WorkflowFixture): Promise<void> {
  let batches = 0;
  const cancelDeliveriesBatch = async () => {
    batches += 1;
    const cancelled = batches < 3 ? 500 : 200;
    return await Promise.resolve({ cancelled, done: batches === 3 });
  };
  const worker = await Worker.create({
    connection,
    taskQueue: "ops",
    workflowBundle,
    activities: { cancelDeliveriesBatch },
  });
  await worker.runUntil(async () => {
    const handle = await client.workflow.start("cancelDeliveries", {
      workflowId: "cancel-deliveries-subscription-7",
      taskQueue: "ops",
      args: [{ accountId: 1, subscriptionId: 7 }],
    });
    await save("cancel-deliveries", handle);
  });
}

async function recordHoldDeliveries(fixture: WorkflowFixture): Promise<void> {
  let left = 1_200;
  const holdDeliveriesBatch = async () => {
    const held = Math.min(left, 500);
    left -= held;
    return await Promise.resolve({ held, done: held < 500 });
  };
  await recordOnOps(fixture, "hold-deliveries", "holdDeliveries", { holdDeliveriesBatch });
}

async function recordResumeDeliveries(fixture: WorkflowFixture): Promise<void> {
  let left = 250;
  const resumeDeliveriesBatch = async () => {
    const resumed = Math.min(left, 100);
    left -= resumed;
    return await Promise.resolve({ resumed, done: resumed < 100 });
  };
  await recordOnOps(fixture, "resume-deliveries", "resumeDeliveries", { resumeDeliveriesBatch });
}

async function recordReplayDeliveries(fixture: WorkflowFixture): Promise<void> {
  let queued = 0;
  const replayDeliveriesBatch = async () => {
    queued = Math.min(queued + 100, 250);
    const done = queued === 250;
    const state = done ? "completed" : "running";
    return await Promise.resolve({ done, state, queued, total: 250 });
  };
  const input = { accountId: 1, replayId: 3, run: 1 };
  await recordOnOps(fixture, "replay-deliveries", "replayDeliveries", { replayDeliveriesBatch }, input);
}

/** A workflow about subscription 7. */
async function recordOnOps(
  { connection, client, workflowBundle }: WorkflowFixture,
  name: string,
  workflow: string,
  activities: object,
  input: object = { accountId: 1, subscriptionId: 7 },
): Promise<void> {
  const taskQueue = "ops";
  const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities });
  await worker.runUntil(async () => {
    const workflowId = `${name}-subscription-7`;
    const args = [input];
    await save(name, await client.workflow.start(workflow, { workflowId, taskQueue, args }));
  });
}

async function recordEraseContact({ connection, client, workflowBundle }: WorkflowFixture): Promise<void> {
  const after = ["0a", "0b"];
  let batches = 0;
  const worker = await Worker.create({
    connection,
    taskQueue: "ops",
    workflowBundle,
    activities: {
      eraseContactRows: async () => await Promise.resolve({ done: (batches += 1) > 1 }),
      eraseContactEvents: async () =>
        await Promise.resolve({ erased: 1_000, after: after.shift() ?? null }),
      forgetRefusedCalls: async ({ after: last }: ForgetCallsInput) =>
        await Promise.resolve({ after: last + 9, done: last > 0 }),
      endContactErasure: async () => await Promise.resolve(),
    },
  });
  await worker.runUntil(async () => {
    const handle = await client.workflow.start("eraseContact", {
      workflowId: "erase-contact-7",
      taskQueue: "ops",
      args: [{ accountId: 1, contactIds: [7, 5], conversationIds: [3], waitMs: 20 }],
    });
    await save("erase-contact-searching-calls", handle);
  });
}

async function recordPurge({ connection, client, workflowBundle }: WorkflowFixture): Promise<void> {
  const places = [null, "a", "b"];
  const worker = await Worker.create({
    connection,
    taskQueue: "ops",
    workflowBundle,
    activities: {
      purgeOld: async () => await Promise.resolve({ deleted: 500, after: places.shift() ?? null }),
    },
  });
  await worker.runUntil(async () => {
    const options = { workflowId: "purge", taskQueue: "ops", args: [] };
    await save("purge", await client.workflow.start("purge", options));
  });
}

async function recordReconcile({ connection, client, workflowBundle }: WorkflowFixture): Promise<void> {
  const places = [100, 200];
  const recoveries = [
    { restarted: 1, next: { kind: "message", after: 7 } },
    { restarted: 0, next: null },
  ];
  const worker = await Worker.create({
    connection,
    taskQueue: "ops",
    workflowBundle,
    activities: {
      reconcileDeliveries: async () => {
        const found = { checked: 100, restarted: 2, discarded: 1 };
        return await Promise.resolve({ ...found, after: places.shift() ?? null });
      },
      recoverRuns: async () => await Promise.resolve(recoveries.shift()),
      countDeliveries: async () => await Promise.resolve(),
    },
  });
  await worker.runUntil(async () => {
    const options = { workflowId: "reconcile", taskQueue: "ops", args: [] };
    await save("reconcile-in-parts", await client.workflow.start("reconcile", options));
  });
}

async function recordReseal({ connection, client, workflowBundle }: WorkflowFixture): Promise<void> {
  const states = ["other_key", "more", "more"];
  const worker = await Worker.create({
    connection,
    taskQueue: "ops",
    workflowBundle,
    activities: {
      resealBatch: async () =>
        await Promise.resolve({ resealed: 1, state: states.shift() ?? "done" }),
    },
  });
  await worker.runUntil(async () => {
    const options = { workflowId: "reseal-k2", taskQueue: "ops", args: [{ keyId: "k2" }] };
    await save("reseal", await client.workflow.start("reseal", options));
  });
}

async function save(name: string, handle: WorkflowHandle): Promise<void> {
  await handle.result();
  const json = historyToJSON(await handle.fetchHistory());
  // Stack traces name files by where this clone happens to be.
  writeFileSync(fileOf(name), `${json.replaceAll(root, "")}\n`);
  process.stdout.write(`${name}\n`);
}

await main();
