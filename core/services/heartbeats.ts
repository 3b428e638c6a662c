import type { Tx } from "../../db/transaction.ts";

/** A worker process. */
export interface WorkerIdentity {
  id: string;
  version: string;
  startedAt: Date;
}

/** Says that a worker is alive and whether it reaches Temporal. */
export async function recordHeartbeat(
  tx: Tx,
  worker: WorkerIdentity,
  temporalReachable: boolean,
): Promise<void> {
  await tx.manager.query(
    `INSERT INTO worker_heartbeats (id, version, temporal_reachable, started_at, seen_at)
     VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3))
     ON DUPLICATE KEY UPDATE temporal_reachable = ?, seen_at = UTC_TIMESTAMP(3)`,
    [worker.id, worker.version, temporalReachable, worker.startedAt, temporalReachable],
  );
}

/** Workers seen in the last 20 seconds, and whether one of them reaches Temporal. */
export async function listLiveWorkers(
  tx: Tx,
): Promise<{ id: string; version: string; temporal_reachable: boolean; seen_at: string }[]> {
  const rows = await tx.manager.query<
    { id: string; version: string; temporal_reachable: number; seen_at: Date }[]
  >(
    `SELECT id, version, temporal_reachable, seen_at FROM worker_heartbeats
      WHERE seen_at > UTC_TIMESTAMP(3) - INTERVAL 20 SECOND ORDER BY id`,
  );
  return rows.map((row) => ({
    id: row.id,
    version: row.version,
    temporal_reachable: row.temporal_reachable === 1,
    seen_at: row.seen_at.toISOString(),
  }));
}
