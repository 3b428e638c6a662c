import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import type { WorkerMetrics } from "../activities/metrics.ts";
import type { Logger } from "../core/log.ts";
import {
  claimOutboxRows,
  deleteOutboxRows,
  listDueLanes,
  parkOutboxRow,
  releaseOutboxRows,
  type ClaimedRow,
} from "../core/services/outbox-claims.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import { isUsedUp, shareOut } from "./lanes.ts";
import { startWorkflow, type StartOptions, type StartResult } from "./start-workflow.ts";

/** What the relay is made of. */
export interface RelayDeps extends StartOptions {
  dataSource: DataSource;
  log: Logger;
  metrics: WorkerMetrics;
}

/** What one look came to. */
interface Look {
  rows: number;
  /** Temporal is away. */
  faulty: boolean;
  /** There may be more rows than this look could take. */
  more: boolean;
}

/** The loop that turns outbox rows into runs. */
export interface Relay {
  /** One look: claims what is due and tells Temporal. */
  relayOnce(): Promise<Look>;
  /** Ends after the rows under way; those not yet told stay in the outbox. */
  stop(): Promise<void>;
}

/** Rows of deliveries in one look; no more may wait for their first attempt anyway. */
const batchSize = 64;
const busyPollMs = 25;
const idlePollMs = 100;
const firstBackoffMs = 250;
const maxBackoffMs = 5_000;

/**
 * Starts the relay. Any number may run, in any number of processes: a row is claimed by one at a time
 * and deleted only after Temporal has taken it, so a crash repeats a start and never loses one.
 */
export function startRelay(deps: RelayDeps): Relay {
  const stopping = new AbortController();
  const relayOnce = () => relayBatch(deps);
  const loop = runLoop(deps, relayOnce, stopping.signal);
  return {
    relayOnce,
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

async function runLoop(
  { log }: RelayDeps,
  relayOnce: Relay["relayOnce"],
  stopping: AbortSignal,
): Promise<void> {
  let pauseMs = busyPollMs;
  let backoffMs = firstBackoffMs;
  while (!stopping.aborted) {
    const { rows, faulty, more } = await relayOnce().catch((error: unknown) => {
      log.error({ err: error }, "relay.failed");
      return { rows: 0, faulty: true, more: false };
    });
    if (faulty) {
      await pause(backoffMs * (0.5 + Math.random() / 2), stopping);
      backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
      continue;
    }
    backoffMs = firstBackoffMs;
    pauseMs = rows > 0 ? busyPollMs : Math.min(pauseMs * 1.1, idlePollMs);
    if (!more) await pause(pauseMs, stopping);
  }
}

async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
}

async function relayBatch(deps: RelayDeps): Promise<Look> {
  const { dataSource, receiverSlots } = deps;
  const { rows, more } = await transaction(dataSource, systemOf(), async (tx) => {
    const quotas = shareOut(await listDueLanes(tx), (host) => receiverSlots.room(host), batchSize);
    const claimed = await claimOutboxRows(tx, quotas);
    return { rows: claimed, more: claimed.length > 0 && isUsedUp(quotas, claimed) };
  });
  if (rows.length === 0) return { rows: 0, faulty: false, more };
  const results = await Promise.all(
    rows.map(async (row) => ({ row, result: await startWorkflow(deps, row) })),
  );
  await settle(deps, results);
  const told = results.some(({ result }) => typeof result === "string");
  const faulty =
    !told && results.some(({ result }) => typeof result === "object" && result.passing);
  return { rows: rows.length, faulty, more };
}

/** Name of the workflow that a row asks for; a row without one of its own is a delivery's. */
function workflowOf({ command }: ClaimedRow): string {
  return command !== null && "workflow" in command ? command.workflow : "deliverWebhook";
}

async function settle(
  { dataSource, log, metrics }: RelayDeps,
  results: { row: ClaimedRow; result: StartResult }[],
): Promise<void> {
  const told: number[] = [];
  const released = new Map<string, number[]>();
  const parked: { id: number; error: string }[] = [];
  for (const { row, result } of results) {
    if (typeof result === "string") {
      told.push(row.id);
      metrics.outboxRelayed.inc({ result });
      if (result === "started") metrics.workflowsStarted.inc({ workflow: workflowOf(row) });
    } else if (result.passing) {
      released.set(result.error, [...(released.get(result.error) ?? []), row.id]);
      metrics.outboxRelayed.inc({ result: "retried" });
    } else {
      parked.push({ id: row.id, error: result.error });
      metrics.outboxRelayed.inc({ result: "parked" });
      log.error({ outbox_id: row.id, error: result.error }, "relay.parked");
    }
  }
  for (const [error, ids] of released) {
    log.warn({ error, rows: ids.length }, "relay.released");
  }
  await transaction(dataSource, systemOf(), async (tx) => {
    if (told.length > 0) await deleteOutboxRows(tx, told);
    for (const [error, ids] of released) await releaseOutboxRows(tx, ids, error);
    for (const { id, error } of parked) await parkOutboxRow(tx, id, error);
  });
}
