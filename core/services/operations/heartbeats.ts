import type { Tx } from "../../../db/transaction.ts";

/** A worker process. */
export interface WorkerIdentity {
  id: string;
  version: string;
  startedAt: Date;
  /** `ip:port` of its doorbell; null where it has none. */
  doorbell: string | null;
}

/** A worker's result of probing Temporal. */
export interface TemporalLook {
  reachable: boolean;
  /** The server's version; null if the server did not answer. */
  version: string | null;
}

/** Records that a worker is alive, and its result of probing Temporal. */
export async function recordHeartbeat(
  tx: Tx,
  worker: WorkerIdentity,
  temporal: TemporalLook,
): Promise<void> {
  const { id, version, startedAt, doorbell } = worker;
  await tx.manager.query(
    `INSERT INTO worker_heartbeats (id, version, temporal_reachable, temporal_version, doorbell, started_at, seen_at)
     VALUES (?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3)) AS beat
     ON DUPLICATE KEY UPDATE temporal_reachable = beat.temporal_reachable, seen_at = UTC_TIMESTAMP(3),
       temporal_version = COALESCE(beat.temporal_version, worker_heartbeats.temporal_version),
       doorbell = beat.doorbell`,
    [id, version, temporal.reachable, temporal.version, doorbell, startedAt],
  );
}

/** Doorbells of workers with a heartbeat in the last 20 seconds. */
export async function listDoorbells(tx: Tx): Promise<{ workerId: string; address: string }[]> {
  return await tx.manager.query<{ workerId: string; address: string }[]>(
    `SELECT id AS workerId, doorbell AS address FROM worker_heartbeats
      WHERE seen_at > UTC_TIMESTAMP(3) - INTERVAL 20 SECOND AND doorbell IS NOT NULL ORDER BY id`,
  );
}

/** A worker with a recent heartbeat. */
export interface LiveWorker {
  id: string;
  version: string;
  temporal_reachable: boolean;
  /** Version of the Temporal server that this worker reached last. */
  temporal_version: string | null;
  started_at: string;
  seen_at: string;
}

/** Number of workers with a heartbeat in the last 20 seconds. */
export async function countLiveWorkers(tx: Tx): Promise<number> {
  const [row] = await tx.manager.query<{ n: number | string }[]>(
    `SELECT COUNT(*) AS n FROM worker_heartbeats
      WHERE seen_at > UTC_TIMESTAMP(3) - INTERVAL 20 SECOND`,
  );
  return Number(row?.n ?? 0);
}

/** Workers with a heartbeat in the last 20 seconds. */
export async function listLiveWorkers(tx: Tx): Promise<LiveWorker[]> {
  const rows = await tx.manager.query<
    (Omit<LiveWorker, "temporal_reachable" | "started_at" | "seen_at"> & {
      temporal_reachable: number;
      started_at: Date;
      seen_at: Date;
    })[]
  >(
    `SELECT id, version, temporal_reachable, temporal_version, started_at, seen_at
       FROM worker_heartbeats
      WHERE seen_at > UTC_TIMESTAMP(3) - INTERVAL 20 SECOND ORDER BY id`,
  );
  return rows.map((row) => ({
    ...row,
    temporal_reachable: row.temporal_reachable === 1,
    started_at: row.started_at.toISOString(),
    seen_at: row.seen_at.toISOString(),
  }));
}

/** Time of the newest heartbeat; null if there is none. Heartbeats are kept for a week. */
export async function findLastSeen(tx: Tx): Promise<Date | null> {
  const [row] = await tx.manager.query<{ seen_at: Date | null }[]>(
    "SELECT MAX(seen_at) AS seen_at FROM worker_heartbeats",
  );
  return row?.seen_at ?? null;
}

/** State of Temporal; `unknown` while no worker is alive. */
export type TemporalState = "reached" | "away" | "unknown";

/** State of Temporal according to the workers' heartbeats: the API itself never calls Temporal. */
export function temporalStateOf(
  workers: readonly Pick<LiveWorker, "temporal_reachable">[],
): TemporalState {
  if (workers.length === 0) return "unknown";
  return workers.some((worker) => worker.temporal_reachable) ? "reached" : "away";
}
