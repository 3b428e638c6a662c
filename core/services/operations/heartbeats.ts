import type { Tx } from "../../../db/transaction.ts";

/** A worker process. */
export interface WorkerIdentity {
  id: string;
  version: string;
  startedAt: Date;
}

/** What a worker knows of Temporal. */
export interface TemporalLook {
  reachable: boolean;
  /** The server's version; null where it did not say. */
  version: string | null;
}

/** Says that a worker is alive and whether it reaches Temporal. */
export async function recordHeartbeat(
  tx: Tx,
  worker: WorkerIdentity,
  temporal: TemporalLook,
): Promise<void> {
  await tx.manager.query(
    `INSERT INTO worker_heartbeats (id, version, temporal_reachable, temporal_version, started_at, seen_at)
     VALUES (?, ?, ?, ?, ?, UTC_TIMESTAMP(3)) AS beat
     ON DUPLICATE KEY UPDATE temporal_reachable = beat.temporal_reachable, seen_at = UTC_TIMESTAMP(3),
       temporal_version = COALESCE(beat.temporal_version, worker_heartbeats.temporal_version)`,
    [worker.id, worker.version, temporal.reachable, temporal.version, worker.startedAt],
  );
}

/** A worker that was seen lately. */
export interface LiveWorker {
  id: string;
  version: string;
  temporal_reachable: boolean;
  /** Of the server that it has spoken to last. */
  temporal_version: string | null;
  started_at: string;
  seen_at: string;
}

/** Workers seen in the last 20 seconds, and whether one of them reaches Temporal. */
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

/** When a worker was last seen; null: none within the week that heartbeats are kept. */
export async function findLastSeen(tx: Tx): Promise<Date | null> {
  const [row] = await tx.manager.query<{ seen_at: Date | null }[]>(
    "SELECT MAX(seen_at) AS seen_at FROM worker_heartbeats",
  );
  return row?.seen_at ?? null;
}

/** Whether Temporal answers; `unknown` where no worker is there to say so. */
export type TemporalState = "reached" | "away" | "unknown";

/** What the workers' heartbeats say of Temporal: the API itself never talks to it. */
export function temporalStateOf(
  workers: readonly Pick<LiveWorker, "temporal_reachable">[],
): TemporalState {
  if (workers.length === 0) return "unknown";
  return workers.some((worker) => worker.temporal_reachable) ? "reached" : "away";
}
