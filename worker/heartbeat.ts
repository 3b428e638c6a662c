import { hostname } from "node:os";
import type { DataSource } from "typeorm";
import type { WorkerMetrics } from "../activities/metrics.ts";
import type { Logger } from "../core/log.ts";
import {
  recordHeartbeat,
  type TemporalLook,
  type WorkerIdentity,
} from "../core/services/operations/heartbeats.ts";
import { measureOutbox } from "../core/services/outbox/outbox-claims.ts";
import { version } from "../core/version.ts";
import { systemOf, transaction } from "../db/transaction.ts";

const everyMs = 5_000;

/** Dependencies of the heartbeat. */
export interface HeartbeatDeps {
  dataSource: DataSource;
  log: Logger;
  metrics: WorkerMetrics;
  /** Probes Temporal. Never throws. */
  lookAtTemporal: () => Promise<TemporalLook>;
}

/** The heartbeat of this worker. */
export interface Heartbeat {
  /** Sends one heartbeat now, besides those of the timer. */
  beat(): void;
  stop(): void;
}

/** Stores every five seconds that this worker is alive, and measures the outbox. */
export function startHeartbeat(deps: HeartbeatDeps): Heartbeat {
  const startedAt = new Date();
  const worker: WorkerIdentity = {
    id: `${hostname()
      .replaceAll(/[^\x21-\x7e]/g, "_")
      .slice(0, 80)}:${process.pid}:${startedAt.getTime()}`,
    version,
    startedAt,
  };
  const beatNow = () => {
    beat(deps, worker).catch((error: unknown) => deps.log.warn({ err: error }, "heartbeat.failed"));
  };
  beatNow();
  const timer = setInterval(beatNow, everyMs);
  return { beat: beatNow, stop: () => clearInterval(timer) };
}

async function beat(deps: HeartbeatDeps, worker: WorkerIdentity): Promise<void> {
  const temporal = await deps.lookAtTemporal();
  const outbox = await transaction(deps.dataSource, systemOf(), async (tx) => {
    await recordHeartbeat(tx, worker, temporal);
    return await measureOutbox(tx);
  });
  // NaN instead of an old figure, which would look current.
  deps.metrics.outboxRows.set(outbox.rows ?? Number.NaN);
  deps.metrics.outboxOldestSeconds.set(outbox.oldestSeconds ?? Number.NaN);
  deps.metrics.outboxParked.set(outbox.parked ?? Number.NaN);
}
