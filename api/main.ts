import {
  describeConfig,
  describeRiskyConfig,
  loadConfig,
  refuseUnsafeProduction,
} from "../core/config.ts";
import { describeFileLimit, readFileLimit } from "../core/file-limit.ts";
import { createLog } from "../core/log.ts";
import { createRegistry, serveMetrics } from "../core/metrics.ts";
import { createSecretBox } from "../core/secrets.ts";
import { failToStart, stopOnSignal } from "../core/stop.ts";
import { openInstallation } from "../db/open-installation.ts";
import { createApp } from "./app.ts";
import { startBusyReports } from "./busy-reports.ts";
import { createDeps } from "./create-deps.ts";
import { keepChanges } from "./live/keep-changes.ts";
import { listen } from "./http/listen.ts";
import { startRinging } from "./ring-workers.ts";
import { minuteMs } from "../core/model/durations.ts";

const flushUsesMs = minuteMs;
const keepChangesMs = minuteMs;
const flushCallsMs = 5_000;

/** Starts an API process. Any number may run on one database. */
async function main(): Promise<void> {
  const config = loadConfig();
  refuseUnsafeProduction(config);
  const log = createLog("api", config.logLevel);
  const fileWarnings = describeFileLimit(readFileLimit(), config.widgetMaxStreams);
  for (const warning of [...describeRiskyConfig(config), ...fileWarnings]) {
    log.warn({ warning }, "config.risky");
  }
  const { dataSource, installation, warnings } = await openInstallation({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    strict: config.production,
    secretBox: createSecretBox(config.secretKey),
  });
  for (const warning of warnings) log.warn({ warning }, "database.risky");
  const registry = createRegistry(config);
  const deps = createDeps({ config, dataSource, installation, log, registry });
  const metrics = await serveMetrics(registry, config);
  const listening = await listen(createApp(deps), config.host, config.port);
  const flush = setInterval(() => {
    deps.apiKeyAuth
      .flushUses()
      .catch((error: unknown) => log.warn({ err: error }, "api_keys.not_flushed"));
  }, flushUsesMs);
  const keep = setInterval(() => {
    keepChanges(dataSource).catch((error: unknown) => log.warn({ err: error }, "changes.not_kept"));
  }, keepChangesMs);
  const flushCalls = setInterval(() => void deps.limitedCalls.flush(), flushCallsMs);
  const stopReports = startBusyReports(dataSource, deps.requestCount);
  const stopRinging = startRinging(deps);
  log.info({ config: describeConfig(config), port: listening.port }, "api.started");

  stopOnSignal(log, async () => {
    clearInterval(flush);
    clearInterval(keep);
    clearInterval(flushCalls);
    stopReports();
    const streamsStopped = deps.liveStreams.stop();
    await listening.stop();
    stopRinging();
    await streamsStopped;
    await deps.apiKeyAuth.flushUses();
    await deps.limitedCalls.flush();
    await Promise.all([deps.badSignatures.flush(), deps.graph.close()]);
    metrics?.close();
    await dataSource.destroy();
  });
}

main().catch(failToStart);
