import { connect, createServer, type Socket } from "node:net";
import { Client } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { inject } from "vitest";
import { createPoster } from "../../../activities/http/post.ts";
import { createAttempts, type Attempts } from "../../../activities/attempt-delivery.ts";
import { createActivities, type Activities } from "../../../activities/index.ts";
import { createWorkerMetrics, type WorkerMetrics } from "../../../activities/metrics.ts";
import { createLog } from "../../../core/log.ts";
import { createRegistry } from "../../../core/metrics.ts";
import { plainNames } from "../../../core/model/installation.ts";
import { eventCatalogue } from "../../../core/model/events.ts";
import { publish } from "../../../core/services/outbox/outbox.ts";
import type { Tx } from "../../../db/transaction.ts";
import { createSendPace } from "../../../activities/limits/send-pace.ts";
import { createHostLimiter, type HostLimiter } from "../../../activities/limits/host-limiter.ts";
import { startRelay, type Relay, type RelayDeps } from "../../../worker/engine/relay.ts";
import {
  createRequestLimiter,
  type RequestLimiter,
} from "../../../worker/engine/request-limiter.ts";
import { createRunStates } from "../../../worker/run-states.ts";
import { createWorkers } from "../../../worker/run-workers.ts";
import { bundleWorkflows } from "../../../worker/workflow-bundle.ts";
import {
  asSystem,
  createTestAccount,
  createTestSubscription,
  testSecretBox,
} from "../../support/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startSink, type Sink } from "../../support/sink.ts";
import { createNamespace, installTestRuntime } from "../../support/worker.ts";
import { noServices } from "../../support/activity-deps.ts";

/** An outbox, a Temporal namespace and a receiver; relays and workers are started by the test. */
export interface RelayFixture {
  database: TestDatabase;
  accountId: number;
  subscriptionId: number;
  sink: Sink;
  namespace: string;
  client: Client;
  /** Shared by the workers and every relay that is not given another. */
  hostLimiter: HostLimiter;
  /** Attempts of the workers, which every relay makes too that is not given others. */
  attempts: Attempts;
  /** Publishes events in one transaction, one outbox row each. @returns their ids. */
  publish(count: number): Promise<string[]>;
  publishIn(tx: Tx): Promise<string>;
  /** Relays of their own until `stop`; each has its own connection and figures. */
  relay(given?: Partial<RelayDeps>): Relay & { metrics: WorkerMetrics };
  outbox(): Promise<OutboxRow[]>;
  stop(): Promise<void>;
}

export interface OutboxRow {
  id: number;
  attempts: number;
  last_error: string | null;
  parked_at: Date | null;
  lease_until: Date | null;
  available_at: Date;
}

/** Makes a fixture with a worker that has no relay. */
export async function createRelayFixture(): Promise<RelayFixture> {
  const log = createLog("test", "silent");
  installTestRuntime();
  const database = await createTestDatabase();
  const { dataSource } = database;
  const { accountId } = await createTestAccount(dataSource);
  const sink = await startSink();
  const target = { url: `${sink.url}/hook` };
  const { id: subscriptionId } = await createTestSubscription(dataSource, accountId, target);
  const namespace = await createNamespace();
  const connection = await NativeConnection.connect({ address: inject("temporalAddress") });
  const client = new Client({ connection, namespace });
  const hostLimiter = createHostLimiter();
  const requestLimiter = createRequestLimiter(plainNames);
  const { attempts, sendToChannel, stopWorkers } = await startWorkersAlone(
    database,
    connection,
    namespace,
    hostLimiter,
    requestLimiter,
  );
  const firstAttempt = "workflow";
  const sendPace = createSendPace();
  const relays: Relay[] = [];
  const publishIn = async (tx: Tx): Promise<string> => {
    const { eventId } = await publish(
      tx,
      "contact.created",
      eventCatalogue["contact.created"].sample,
    );
    return eventId;
  };
  return {
    database,
    accountId,
    subscriptionId,
    sink,
    namespace,
    client,
    hostLimiter,
    attempts,
    publishIn,
    publish: (count) =>
      asSystem(dataSource, accountId, async (tx) => {
        const ids: string[] = [];
        for (let n = 0; n < count; n += 1) ids.push(await publishIn(tx));
        return ids;
      }),
    relay(given = {}) {
      const metrics = createWorkerMetrics(createRegistry());
      const waitsMs = [1_000];
      const shared = {
        dataSource,
        log,
        client,
        naming: plainNames,
        hostLimiter,
        attempts,
        sendToChannel,
        sendPace,
        requestLimiter,
        firstAttempt,
      } as const;
      const deps = { ...shared, metrics, waitsMs, isSearchable: () => false };
      const relay = startRelay({ ...deps, ...given });
      relays.push(relay);
      return { ...relay, metrics };
    },
    outbox: () =>
      dataSource.query(
        "SELECT id, attempts, last_error, parked_at, lease_until, available_at FROM outbox ORDER BY id",
      ),
    async stop() {
      await Promise.all(relays.map((relay) => relay.stop()));
      await stopWorkers();
      await connection.close();
      await sink.stop();
      await database.stop();
    },
  };
}

async function startWorkersAlone(
  { dataSource }: TestDatabase,
  connection: NativeConnection,
  namespace: string,
  hostLimiter: HostLimiter,
  requestLimiter: RequestLimiter,
): Promise<{
  attempts: Attempts;
  sendToChannel: Activities["sendToChannel"];
  stopWorkers: () => Promise<void>;
}> {
  const poster = createPoster({ policy: { allowPrivate: true, ownHosts: [] } });
  const log = createLog("test", "silent");
  const deps = {
    dataSource,
    secretBox: testSecretBox,
    poster,
    log,
    metrics: createWorkerMetrics(createRegistry()),
    hostLimiter,
    sendPace: createSendPace(),
    ...noServices,
    retryJitter: 0,
    runStates: createRunStates(new Client({ connection, namespace }), plainNames, log),
    stopping: new AbortController().signal,
  };
  const attempts = createAttempts(deps);
  const activities = createActivities(deps, attempts);
  const workflowBundle = await bundleWorkflows();
  const slots = 100;
  const parts = {
    connection,
    namespace,
    naming: plainNames,
    activities,
    log,
    workflowBundle,
    slots,
    requestLimiter,
  };
  const workers = await createWorkers(parts);
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    attempts,
    sendToChannel: activities.sendToChannel,
    stopWorkers: async () => {
      for (const worker of workers) worker.shutdown();
      await running;
      await poster.close();
    },
  };
}

/** What a relay counted, by result. */
export async function countsOf({ outboxRelayed }: WorkerMetrics): Promise<Record<string, number>> {
  const { values } = await outboxRelayed.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels["result"]), value]));
}

/** A way to Temporal that a test can cut and mend. */
export interface CuttableLink {
  address: string;
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
}

/** Starts a wire to the run's Temporal, whole. */
export async function startWire(): Promise<CuttableLink> {
  const [host = "", port = ""] = inject("temporalAddress").split(":");
  const sockets = new Set<Socket>();
  let whole = true;
  const destroyAll = (): void => sockets.forEach((socket) => socket.destroy());
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => (near.destroy(), far.destroy(), sockets.delete(socket)));
    }
    if (whole) near.pipe(far).pipe(near);
    else destroyAll();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  return {
    address: `127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`,
    cut() {
      whole = false;
      destroyAll();
    },
    mend() {
      whole = true;
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      destroyAll();
      await closed;
    },
  };
}
