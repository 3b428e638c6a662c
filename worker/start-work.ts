import { Client } from "@temporalio/client";
import type { Activities } from "../activities/index.ts";
import type { SecretBox } from "../core/secrets.ts";
import { prepareNamespace } from "./namespace.ts";
import type { ChannelCheckDeps } from "./engine/channel-checks.ts";
import { startChannelChores } from "./engine/channel-chores.ts";
import { startDrain, type DrainDeps } from "./engine/channel-drain.ts";
import { startRelay, type RelayDeps } from "./engine/relay.ts";
import { createRequestLimiter } from "./engine/request-limiter.ts";
import { createWorkers } from "./run-workers.ts";
import { loadWorkflows } from "./workflow-bundle.ts";
import { startReseal } from "./start-reseal.ts";
import { prepareSchedules } from "./schedules.ts";
import type { TemporalLink } from "./temporal.ts";

/** Parts of the work of a worker process. */
export interface WorkParts
  extends
    Omit<RelayDeps, "client" | "isSearchable" | "sendToChannel" | "requestLimiter">,
    Pick<ChannelCheckDeps, "graph" | "publicUrl">,
    Pick<DrainDeps, "channelBell"> {
  link: TemporalLink;
  activities: Activities;
  secretBox: SecretBox;
  /** Workflow tasks at once. */
  slots: number;
}

/**
 * Starts the loops of the channels, and Temporal's workers and the relay on one shared connection.
 * Only a shared connection lets a run's first task come back with its start.
 * @returns a function that stops in order: no new runs, then the tasks and attempts in flight, then
 * the connection. The loops of the channels stop beside them.
 */
export async function startWork(parts: WorkParts): Promise<() => Promise<void>> {
  const { link, naming, activities, slots, log } = parts;
  const { connection, namespace } = link;
  const { sendToChannel } = activities;
  const stopping = new AbortController();
  const preparing = { log, stopping: stopping.signal };
  const isSearchable = await prepareNamespace(link, preparing);
  const workflowBundle = await loadWorkflows();
  const requestLimiter = createRequestLimiter(naming);
  const workers = await createWorkers({
    connection,
    namespace,
    naming,
    activities,
    log,
    workflowBundle,
    slots,
    requestLimiter,
  });
  const running = Promise.all(workers.map((worker) => worker.run()));
  running.catch((error: unknown) => {
    // A failed worker cannot recover, so the process exits and its supervisor restarts it.
    log.fatal({ err: error }, "worker.failed");
    process.exit(1);
  });
  const client = new Client({ connection, namespace });
  const drain = startDrain(parts);
  const chores = startChannelChores(parts);
  const relay = startRelay({ ...parts, sendToChannel, client, isSearchable, requestLimiter });
  // Both calls swallow errors. On shutdown they stop early, and the next start repeats them.
  void prepareSchedules(client, naming, preparing);
  void startReseal(client, parts, preparing);
  const stopWorkers = async (): Promise<void> => {
    await relay.stopStarting();
    for (const worker of workers) worker.shutdown();
    await running;
  };
  return async () => {
    stopping.abort();
    // The relay's attempts and the channels need no worker. One after the other would exceed the
    // stop timeout.
    await Promise.all([stopWorkers(), relay.stop(), drain.stop(), chores.stop()]);
    await connection.close();
  };
}
