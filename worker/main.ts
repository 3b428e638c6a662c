import { Client } from "@temporalio/client";
import { createActivities, type Activities } from "../activities/index.ts";
import { createPoster } from "../activities/http.ts";
import { createWorkerMetrics } from "../activities/metrics.ts";
import { describeConfig, loadConfig, type Config } from "../core/config.ts";
import { createLog, type Logger } from "../core/log.ts";
import { createRegistry, serveMetrics } from "../core/metrics.ts";
import { retryWaitsMs } from "../core/model/delivery.ts";
import { createSecretBox } from "../core/secrets.ts";
import { failToStart, stopOnSignal } from "../core/stop.ts";
import { targetPolicyOf } from "../core/target-policy.ts";
import { openInstallation } from "../db/open-installation.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { prepareNamespace } from "./namespace.ts";
import { startRelay } from "./relay.ts";
import { bundleWorkflows, createWorkers } from "./run-workers.ts";
import { connectTemporal, installRuntime, isReachable, type TemporalLink } from "./temporal.ts";

/** Starts a worker process: Temporal's workers and the relay. Any number may run. */
async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLog("worker", config.logLevel);
  installRuntime(log);
  const secretBox = createSecretBox(config.secretKey);
  const { dataSource, warnings } = await openInstallation({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    strict: config.production,
    secretBox,
  });
  for (const warning of warnings) log.warn({ warning }, "database.risky");
  const registry = createRegistry();
  const metrics = createWorkerMetrics(registry);
  const poster = createPoster({ policy: targetPolicyOf(config) });
  const { retryJitter } = config;
  const activities = createActivities({ dataSource, secretBox, poster, log, metrics, retryJitter });
  const server =
    config.metricsPort === null
      ? null
      : await serveMetrics(registry, config.metricsHost, config.metricsPort);

  let link: TemporalLink | null = null;
  const stopHeartbeat = startHeartbeat({
    dataSource,
    log,
    metrics,
    isTemporalReachable: async () => link !== null && (await isReachable(link)),
  });
  const stopping = new AbortController();
  let stopWork = async (): Promise<void> => {};
  stopOnSignal(log, async () => {
    stopping.abort();
    await stopWork();
    stopHeartbeat();
    await poster.close();
    server?.close();
    await dataSource.destroy();
  });

  link = await connectTemporal(log, stopping.signal);
  if (link === null) return;
  stopWork = await startWork({
    config,
    log,
    link,
    activities,
    relay: { dataSource, log, metrics },
  });
  log.info({ config: describeConfig(config), namespace: link.namespace }, "worker.started");
}

/** @returns how to stop in order: no new runs, then the tasks under way, then the connection. */
async function startWork(parts: {
  config: Config;
  log: Logger;
  link: TemporalLink;
  activities: Activities;
  relay: Omit<Parameters<typeof startRelay>[0], "client" | "waitsMs" | "searchable">;
}): Promise<() => Promise<void>> {
  const { config, log, link, activities } = parts;
  const { connection, namespace } = link;
  const searchable = await prepareNamespace(connection, namespace, log);
  const workflowBundle = await bundleWorkflows();
  const slots = config.workflowSlots;
  const workers = await createWorkers({ connection, namespace, activities, workflowBundle, slots });
  const running = Promise.all(workers.map((worker) => worker.run()));
  running.catch((error: unknown) => {
    // A worker that gave up cannot be mended from inside: whoever supervises the process restarts it.
    log.fatal({ err: error }, "worker.failed");
    process.exit(1);
  });
  const relay = startRelay({
    ...parts.relay,
    client: new Client({ connection, namespace }),
    waitsMs: config.retryWaitsMs ?? retryWaitsMs,
    searchable,
  });
  return async () => {
    await relay.stop();
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
  };
}

main().catch(failToStart);
