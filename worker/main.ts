import { Client } from "@temporalio/client";
import { createAttempts } from "../activities/attempt-delivery.ts";
import { createActivities } from "../activities/index.ts";
import { createCalendly } from "../activities/calendars/calendly.ts";
import { createGoogleCalendar } from "../activities/calendars/google.ts";
import { createGraph } from "../activities/channels/graph.ts";
import { createPageReader } from "../activities/pages/page-reader.ts";
import { createPoster } from "../activities/http/post.ts";
import { openMediaWork } from "../activities/media/open-media-work.ts";
import { createMailer } from "../activities/mail/mailer.ts";
import { createModels } from "../activities/provider-models.ts";
import { createHostLimiter } from "../activities/limits/host-limiter.ts";
import { createSendPace } from "../activities/limits/send-pace.ts";
import { createWorkerMetrics } from "../activities/metrics.ts";
import { describeConfig, loadConfig, refuseUnsafeProduction, type Config } from "../core/config.ts";
import { createLog } from "../core/log.ts";
import { createRegistry, serveMetrics } from "../core/metrics.ts";
import { retryWaitsMs } from "../core/model/workflow/delivery.ts";
import { namingOf, type Installation } from "../core/model/installation.ts";
import { createSecretBox, type SecretBox } from "../core/secrets.ts";
import { failToStart, stopOnSignal } from "../core/stop.ts";
import { modelTargetPolicyOf, targetPolicyOf } from "../core/target-policy.ts";
import { version } from "../core/version.ts";
import { openInstallation } from "../db/open-installation.ts";
import { claimNamespace, type Claiming } from "./claim-namespace.ts";
import { openDoorbell, type DoorbellDeps } from "./doorbell.ts";
import { limitHeapGrowth } from "./heap-growth.ts";
import { newWorkerId, startHeartbeat, type HeartbeatDeps } from "./heartbeat.ts";
import { createRunStates } from "./run-states.ts";
import { startWork } from "./start-work.ts";
import { connectTemporal, installRuntime, lookAtTemporal, type TemporalLink } from "./temporal.ts";
import { warmUp } from "./warm-up.ts";

/** Starts a worker process: Temporal's workers and the relay. Any number may run. */
async function main(): Promise<void> {
  const config = loadConfig();
  refuseUnsafeProduction(config);
  const log = createLog("worker", config.logLevel);
  installRuntime(log);
  const secretBox = createSecretBox(config.secretKey);
  const { dataSource, installation, warnings } = await openInstallation({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    strict: config.production,
    secretBox,
  });
  for (const warning of warnings) log.warn({ warning }, "database.risky");
  const registry = createRegistry(config);
  const metrics = createWorkerMetrics(registry);
  const poster = createPoster({ policy: targetPolicyOf(config), dnsServers: config.dnsServers });
  const google = createGoogleCalendar(config.google);
  const calendly = createCalendly(config.calendly);
  const graph = createGraph(config.meta);
  const mailer = config.mail === null ? undefined : createMailer(config.mail, config.publicUrl);
  let ready = false;
  const server = await serveMetrics(registry, config, () => ready);

  let link: TemporalLink | null = null;
  const parts = { config, secretBox, dataSource, log, metrics };
  const presence = await announce(parts, async () => await lookAtTemporal(link));
  const stopping = new AbortController();
  let stopWork = async (): Promise<void> => {};
  stopOnSignal(log, async () => {
    stopping.abort();
    await stopWork();
    presence.stop();
    await Promise.all([poster.close(), google.close(), calendly.close(), graph.close()]);
    server?.close();
    await dataSource.destroy();
  });

  const claiming = { log, stopping: stopping.signal, takeFrom: config.takeNamespaceFrom };
  link = await openNamespace(installation, claiming);
  if (link === null) return;
  const naming = namingOf(installation);
  const { retryJitter, firstAttempt, workflowSlots: slots, publicUrl } = config;
  const runStates = createRunStates(new Client(link), naming, log);
  const limits = createLimits(config);
  const readers = openReaders(config, secretBox, stopping.signal);
  const senders = { poster, mailer, calendarPorts: { google }, calendly, graph, ...readers };
  const stores = { dataSource, secretBox, log, metrics, retryJitter, runStates };
  const deps = { ...stores, ...senders, ...limits, stopping: stopping.signal };
  const attempts = createAttempts(deps);
  const activities = createActivities(deps, attempts);
  const waitsMs = config.retryWaitsMs ?? retryWaitsMs;
  const own = { link, naming, activities, waitsMs, slots, firstAttempt, graph, publicUrl };
  stopWork = await startWork({ ...parts, ...limits, ...own, attempts, ...presence.bells });
  await warmUp(new Client(link), naming, log);
  if (stopping.signal.aborted) return;
  ready = true;
  presence.beat();
  const names = { namespace: link.namespace, installation: installation.id };
  log.info({ config: describeConfig(config), ...names }, "worker.started");
}

/** Limits that the relay and the activities share. */
function createLimits({ receiverMaxConcurrency: maxLimit }: Config) {
  return { hostLimiter: createHostLimiter({ maxLimit }), sendPace: createSendPace() };
}

/** Opens the doorbell, and starts the heartbeat that tells its address. */
async function announce(
  parts: Omit<DoorbellDeps, "workerId">,
  lookAtTemporal: HeartbeatDeps["lookAtTemporal"],
) {
  const startedAt = new Date();
  const id = newWorkerId(startedAt);
  const opened = await openDoorbell({ ...parts, workerId: id });
  const { bell, channelBell, address, setWorkers, stop } = opened;
  const worker = { id, version, startedAt, doorbell: address };
  const heartbeat = startHeartbeat({ ...parts, worker, lookAtTemporal, setWorkers });
  return {
    bells: { bell, channelBell },
    beat: heartbeat.beat,
    stop() {
      heartbeat.stop();
      stop();
    },
  };
}

/** Readers of models, pages and files, each behind the guard of targets. */
function openReaders(config: Config, secretBox: SecretBox, stopping: AbortSignal) {
  const { dnsServers, media, meta } = config;
  const policy = targetPolicyOf(config);
  const { graphUrl } = meta;
  return {
    models: createModels(secretBox, { policy: modelTargetPolicyOf(config), dnsServers }),
    pages: createPageReader({ policy, dnsServers }),
    publicUrl: config.publicUrl,
    media: openMediaWork({ media, graphUrl, policy, dnsServers, stopping }),
  };
}

/** Connects to the namespace of this installation. @returns null if the process stops first. */
async function openNamespace(
  installation: Installation,
  claiming: Claiming,
): Promise<TemporalLink | null> {
  const link = await connectTemporal(claiming.log, claiming.stopping);
  if (link === null) return null;
  return (await claimNamespace(link, installation, claiming)) ? link : null;
}

// Before Temporal's threads begin, which share the limit.
limitHeapGrowth();
main().catch(failToStart);
