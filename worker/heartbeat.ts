import type { DataSource } from "typeorm";
import type { WorkerMetrics } from "../activities/metrics.ts";
import { hostLabel, type AnnouncedDoorbell } from "../core/doorbell/address.ts";
import type { Logger } from "../core/log.ts";
import {
  listDoorbells,
  recordHeartbeat,
  type TemporalLook,
  type WorkerIdentity,
} from "../core/services/operations/heartbeats.ts";
import { measureOutbox } from "../core/services/outbox/outbox-claims.ts";
import { systemOf, transaction } from "../db/transaction.ts";

const everyMs = 5_000;

/** Dependencies of the heartbeat. */
export interface HeartbeatDeps {
  worker: WorkerIdentity;
  dataSource: DataSource;
  log: Logger;
  metrics: WorkerMetrics;
  /** Probes Temporal. Never throws. */
  lookAtTemporal: () => Promise<TemporalLook>;
  /** Told with each heartbeat of all workers that can be rung. */
  setWorkers: (doorbells: readonly AnnouncedDoorbell[]) => void;
}

/** The heartbeat of this worker. */
export interface Heartbeat {
  /** Sends one heartbeat now, besides those of the timer. */
  beat: () => void;
  stop(): void;
}

/** Id of this start of the process: host, process id and time. */
export function newWorkerId(startedAt: Date): string {
  return `${hostLabel}:${process.pid}:${startedAt.getTime()}`;
}

/** Stores every five seconds that this worker is alive, and measures the outbox. */
export function startHeartbeat(deps: HeartbeatDeps): Heartbeat {
  const beatNow = () => {
    beat(deps).catch((error: unknown) => deps.log.warn({ err: error }, "heartbeat.failed"));
  };
  beatNow();
  const timer = setInterval(beatNow, everyMs);
  return { beat: beatNow, stop: () => clearInterval(timer) };
}

async function beat(deps: HeartbeatDeps): Promise<void> {
  const temporal = await deps.lookAtTemporal();
  const { outbox, doorbells } = await transaction(deps.dataSource, systemOf(), async (tx) => {
    await recordHeartbeat(tx, deps.worker, temporal);
    return { doorbells: await listDoorbells(tx), outbox: await measureOutbox(tx) };
  });
  deps.setWorkers(doorbells);
  // NaN instead of an old figure, which would look current.
  deps.metrics.outboxRows.set(outbox.rows ?? Number.NaN);
  deps.metrics.outboxOldestSeconds.set(outbox.oldestSeconds ?? Number.NaN);
  deps.metrics.outboxParked.set(outbox.parked ?? Number.NaN);
}
