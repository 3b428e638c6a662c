import type { EntityManager } from "typeorm";
import { storedHeartbeats, type StoredHeartbeat } from "../../model/presence.ts";
import { placeholders } from "../sql.ts";

/** A row that was not written for this long holds nobody any more. Longer than any presence. */
const liveSeconds = 30;

/** Writes the heartbeats that came to one API process over its earlier ones. */
export async function storePresence(
  manager: EntityManager,
  processId: string,
  heartbeats: StoredHeartbeat[],
): Promise<void> {
  await manager.query(
    `INSERT INTO process_presence (process_id, heartbeats, updated_at) VALUES (?, ?, NOW(3))
     ON DUPLICATE KEY UPDATE heartbeats = VALUES(heartbeats), version = version + 1, updated_at = NOW(3)`,
    [processId, JSON.stringify(heartbeats)],
  );
}

/** Versions of the rows of all other processes, by process. */
export async function listPresenceVersions(
  manager: EntityManager,
  processId: string,
): Promise<Map<string, number>> {
  const rows = await manager.query<{ process_id: string; version: number }[]>(
    `SELECT process_id, version FROM process_presence
      WHERE updated_at > NOW(3) - INTERVAL ${liveSeconds} SECOND AND process_id <> ?`,
    [processId],
  );
  return new Map(rows.map((row) => [row.process_id, row.version]));
}

/** Heartbeats of some processes, with the version and the age of each row. */
export async function readPresence(
  manager: EntityManager,
  processIds: string[],
): Promise<{ processId: string; version: number; ageMs: number; heartbeats: StoredHeartbeat[] }[]> {
  if (processIds.length === 0) return [];
  const rows = await manager.query<
    { process_id: string; version: number; age_us: number; heartbeats: unknown }[]
  >(
    `SELECT process_id, version, heartbeats, TIMESTAMPDIFF(MICROSECOND, updated_at, NOW(3)) AS age_us
       FROM process_presence WHERE process_id IN (${placeholders(processIds)})`,
    processIds,
  );
  return rows.map((row) => ({
    processId: row.process_id,
    version: row.version,
    ageMs: Number(row.age_us) / 1_000,
    heartbeats: storedHeartbeats.parse(row.heartbeats),
  }));
}

/** Deletes the rows of processes that stopped long ago. */
export async function purgePresence(manager: EntityManager): Promise<void> {
  await manager.query("DELETE FROM process_presence WHERE updated_at < NOW(3) - INTERVAL 1 HOUR");
}
