import { randomBytes } from "node:crypto";
import { Client } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { inject } from "vitest";
import { createHostLimiter } from "../../activities/limits/host-limiter.ts";
import { createSendPace } from "../../activities/limits/send-pace.ts";
import type { CalendarPorts } from "../../activities/calendars/port.ts";
import type { Graph } from "../../activities/channels/graph.ts";
import type { ActivityDeps } from "../../activities/deps.ts";
import { createAttempts } from "../../activities/attempt-delivery.ts";
import { createActivities } from "../../activities/index.ts";
import { createPoster } from "../../activities/http/post.ts";
import type { Mailer } from "../../activities/mail/mailer.ts";
import { createWorkerMetrics } from "../../activities/metrics.ts";
import { createLog } from "../../core/log.ts";
import { plainNames, type TemporalNaming } from "../../core/model/installation.ts";
import { createRegistry } from "../../core/metrics.ts";
import type { SecretBox } from "../../core/secrets.ts";
import { retryWaitsMs } from "../../core/model/workflow/delivery.ts";
import { createRunStates } from "../../worker/run-states.ts";
import { startWork } from "../../worker/start-work.ts";
import { installRuntime, type TemporalLink } from "../../worker/temporal.ts";
import { testSecretBox } from "./accounts.ts";
import type { TestDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import { noServices } from "./activity-deps.ts";

/** A worker with its relay, in this process. */
export interface TestWorker {
  /** The metrics, as a scrape reads them. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

let runtimeInstalled = false;

/** Silences Temporal's SDK. A file whose own connection comes first calls it before that. */
export function installTestRuntime(): void {
  if (!runtimeInstalled) installRuntime(createLog("worker", "silent"));
  runtimeInstalled = true;
}

/** Makes a Temporal namespace, so that test files do not take each other's tasks. @returns its name. */
export async function createNamespace(
  namespace = `t-${process.pid}-${randomBytes(4).toString("hex")}`,
): Promise<string> {
  const connection = await NativeConnection.connect({ address: inject("temporalAddress") });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 } as never,
  });
  await eventually(() => connection.workflowService.describeNamespace({ namespace }));
  await connection.close();
  return namespace;
}

/** Connects to the private server. */
export async function linkTemporal(namespace: string): Promise<TemporalLink> {
  return {
    connection: await NativeConnection.connect({ address: inject("temporalAddress") }),
    namespace,
  };
}

/** Connects a client to a namespace of its own, which its options name. */
export async function connectToNewNamespace(): Promise<Client> {
  installTestRuntime();
  return new Client(await linkTemporal(await createNamespace()));
}

/** Starts a worker and its relay on `database`. */
export async function startTestWorker(
  database: TestDatabase,
  namespace: string,
  {
    waitsMs = retryWaitsMs,
    attemptTimeoutMs,
    secretBox = testSecretBox,
    calendarPorts = noServices.calendarPorts,
    graph = noServices.graph,
    media = noServices.media,
    firstAttempt = "workflow",
    naming = plainNames,
    mailer,
    models = noServices.models,
    pages = noServices.pages,
    publicUrl = noServices.publicUrl,
  }: {
    waitsMs?: readonly number[];
    attemptTimeoutMs?: number;
    secretBox?: SecretBox;
    calendarPorts?: CalendarPorts;
    graph?: Graph;
    media?: ActivityDeps["media"];
    firstAttempt?: "workflow" | "adaptive";
    naming?: TemporalNaming;
    mailer?: Mailer;
    models?: ActivityDeps["models"];
    pages?: ActivityDeps["pages"];
    publicUrl?: string;
  } = {},
): Promise<TestWorker> {
  const { dataSource } = database;
  const log = createLog("worker", "silent");
  installTestRuntime();
  const registry = createRegistry();
  const metrics = createWorkerMetrics(registry);
  const policy = { allowPrivate: true, ownHosts: [] };
  const poster = createPoster({
    policy,
    ...(attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs }),
  });
  const hostLimiter = createHostLimiter();
  const sendPace = createSendPace();
  const link = await linkTemporal(namespace);
  const stopping = new AbortController();
  const deps = {
    dataSource,
    secretBox,
    poster,
    log,
    metrics,
    hostLimiter,
    sendPace,
    calendly: noServices.calendly,
    calendarPorts,
    graph,
    media,
    mailer,
    models,
    pages,
    publicUrl,
    retryJitter: 0,
    runStates: createRunStates(new Client(link), naming, log),
    stopping: stopping.signal,
  };
  const attempts = createAttempts(deps);
  const parts = {
    link,
    naming,
    attempts,
    activities: createActivities(deps, attempts),
    secretBox,
    dataSource,
    log,
    metrics,
    waitsMs,
    hostLimiter,
    sendPace,
    graph,
    publicUrl: "https://parley.example",
  };
  const stop = await startWork({ ...parts, slots: 100, firstAttempt });
  return {
    metrics: async () => await registry.metrics(),
    async stop() {
      stopping.abort();
      await stop();
      await poster.close();
    },
  };
}

/** All payloads of a history as text, which its JSON holds in base64. */
export function payloadsOf(history: unknown): string {
  const found = JSON.stringify(history).matchAll(/"data":"([\w+/=]+)"/gu);
  return [...found].map(([, data = ""]) => Buffer.from(data, "base64").toString()).join("\n");
}
