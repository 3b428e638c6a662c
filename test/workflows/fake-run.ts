import { randomUUID } from "node:crypto";
import { Client, type WorkflowHandle } from "@temporalio/client";
import type { SignalDefinition } from "@temporalio/common";
import { TestWorkflowEnvironment } from "@temporalio/testing";
import { Worker, type NativeConnection, type WorkflowBundle } from "@temporalio/worker";
import { inject } from "vitest";
import type { Activities } from "../../activities/index.ts";
import {
  retryWaitsMs,
  type AttemptInput,
  type AttemptOutcome,
  type DeliverWebhookInput,
  type DeliveryRunState,
} from "../../core/model/workflow/delivery.ts";
import { searchAttributes } from "../../core/model/workflow/search-attributes.ts";
import { bundleWorkflows } from "../../worker/workflow-bundle.ts";
import type { deliverWebhook } from "../../workflows/deliver-webhook.ts";
import { eventually } from "../support/eventually.ts";
import { createNamespace, installTestRuntime, linkTemporal } from "../support/worker.ts";

/** An activity as it was called, and when: seconds since the run's first call, down to the last 5. */
export interface Call {
  name: keyof Activities;
  at: number;
  seq?: number;
  number?: number;
  manual?: boolean;
}

/** What a receiver would do: the outcome of an attempt, or a fault of our own, thrown. */
export type Script = (attempt: AttemptInput) => AttemptOutcome | Promise<AttemptOutcome>;

/** A server to run workflows on, and the workflows. */
export interface WorkflowFixture {
  connection: NativeConnection;
  client: Client;
  workflowBundle: WorkflowBundle;
  /** The server's time. */
  currentTimeMs(): Promise<number>;
  /** Lets the server's time go on. */
  sleep(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** A server that jumps over every wait. One per test file: its clock is shared by all that runs on it. */
export async function startTimeSkippingFixture(
  executable = inject("timeSkippingExecutable"),
): Promise<WorkflowFixture> {
  installTestRuntime();
  const workflowBundle = await bundleWorkflows();
  // The SDK gives its server five seconds to start, which a busy machine may not do.
  const env = await eventually(
    () => TestWorkflowEnvironment.createTimeSkipping({ server: { executable } }),
    60_000,
  );
  await env.connection.operatorService.addSearchAttributes({
    namespace: "default",
    searchAttributes: Object.fromEntries(
      Object.entries(searchAttributes).map(([name, type]) => [name, attributeTypes[type]]),
    ),
  });
  return {
    connection: env.nativeConnection,
    client: env.client,
    workflowBundle,
    currentTimeMs: () => env.currentTimeMs(),
    sleep: (ms) => env.sleep(ms),
    stop: () => env.teardown(),
  };
}

/** Temporal's own server, for what the one that skips time does not know. */
export async function startRealTimeFixture(): Promise<WorkflowFixture> {
  installTestRuntime();
  const { connection, namespace } = await linkTemporal(await createNamespace());
  return {
    connection,
    client: new Client({ connection, namespace }),
    workflowBundle: await bundleWorkflows(),
    currentTimeMs: async () => await Promise.resolve(Date.now()),
    sleep: () => raise("Real time passes by itself."),
    stop: () => connection.close(),
  };
}

/** Temporal's numbers for the types of search attributes. */
const attributeTypes = { KEYWORD: 2, INT: 3, DATETIME: 6 } as const;

type Run = typeof deliverWebhook;

/** A run whose activities are fakes that keep the calls. */
export interface FakeRun {
  handle: WorkflowHandle<Run>;
  input: DeliverWebhookInput;
  taskQueue: string;
  calls: Call[];
  /** Lets the run's time go on until `seconds` after its start, waits jumped over. */
  until(seconds: number): Promise<void>;
}

/** An attempt that failed as the contract's schedule has it, at `now`. */
export function failed({ number, waitsMs }: AttemptInput, left?: number): AttemptOutcome {
  const waitMs = left ?? waitsMs[number - 1] ?? 0;
  const nextAttemptAt =
    number < waitsMs.length ? new Date(Date.UTC(2030, 0, number)).toISOString() : null;
  return { state: "waiting", waitMs, nextAttemptAt, statusCode: 500, errorClass: "http_status" };
}

export const delivered: AttemptOutcome = { state: "delivered" };

/** What a fake activity may wait at until the test lets it go on. */
export function createGate(): { passed: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

/** The waits of a run in milliseconds, as its history has them. */
export async function waitsOf({
  handle,
}: {
  handle: Pick<WorkflowHandle, "fetchHistory">;
}): Promise<number[]> {
  const { events } = await handle.fetchHistory();
  const timers = (events ?? []).flatMap((event) => event.timerStartedEventAttributes ?? []);
  return timers.map(({ startToFireTimeout: wait }) => {
    return Number(wait?.seconds ?? 0) * 1_000 + (wait?.nanos ?? 0) / 1e6;
  });
}

/** Starts a run, with a signal where one is given, hands it to `use`, and stops its worker afterwards. */
export async function withRun<T>(
  fixture: WorkflowFixture,
  script: Script,
  use: (run: FakeRun) => Promise<T>,
  given: Partial<DeliverWebhookInput> = {},
  signal: SignalDefinition<[number?]> | null = null,
): Promise<T> {
  const taskQueue = randomUUID();
  const calls: Call[] = [];
  let startedAt: number | null = null;
  // The server's clock also counts what the machine itself takes: `waitsOf` has the waits to the ms.
  const note = async (call: Omit<Call, "at">): Promise<void> => {
    const now = await fixture.currentTimeMs();
    startedAt ??= now;
    calls.push({ ...call, at: Math.floor((now - startedAt + 500) / 5_000) * 5 });
  };
  const worker = await Worker.create({
    connection: fixture.connection,
    namespace: fixture.client.options.namespace,
    taskQueue,
    workflowBundle: fixture.workflowBundle,
    activities: fakeActivities(note, script),
  });
  const input: DeliverWebhookInput = {
    accountId: 1,
    deliveryId: 2,
    run: 1,
    firstNumber: 1,
    waitsMs: [...retryWaitsMs],
    searchable: false,
    ...given,
  };
  return await worker.runUntil(async () => {
    const workflowId = `delivery-${taskQueue}`;
    const options = { workflowId, taskQueue, args: [input] as [DeliverWebhookInput] };
    const { workflow } = fixture.client;
    if (signal === null) await workflow.start<Run>("deliverWebhook", options);
    else {
      const told = { ...options, signal, signalArgs: [] as [] };
      await workflow.signalWithStart<Run, [number?]>("deliverWebhook", told);
    }
    const handle = workflow.getHandle<Run>(workflowId);
    const until = async (seconds: number): Promise<void> => {
      const end = await eventually(() => (startedAt ?? raise("not called yet")) + seconds * 1_000);
      await fixture.sleep(end - (await fixture.currentTimeMs()));
    };
    return await use({ handle, input, taskQueue, calls, until });
  });
}

function raise(message: string): never {
  throw new Error(message);
}

function fakeActivities(
  note: (call: Omit<Call, "at">) => Promise<void>,
  script: Script,
): Pick<
  Activities,
  "attemptDelivery" | "discardDelivery" | "cancelDelivery" | "cancelDeliveriesBatch"
> {
  // As in MySQL, what has ended stays as it ended.
  let ended: DeliveryRunState | null = null;
  return {
    async attemptDelivery(input) {
      const { seq, number, manual } = input;
      await note({ name: "attemptDelivery", seq, number, manual });
      const outcome = await script(input);
      if (outcome.state !== "waiting") ended = outcome.state;
      return outcome;
    },
    async discardDelivery() {
      await note({ name: "discardDelivery" });
      return (ended ??= "discarded");
    },
    async cancelDelivery() {
      await note({ name: "cancelDelivery" });
      return (ended ??= "cancelled");
    },
    async cancelDeliveriesBatch() {
      await note({ name: "cancelDeliveriesBatch" });
      return { cancelled: 0, done: true };
    },
  };
}
