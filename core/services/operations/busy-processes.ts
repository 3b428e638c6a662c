import type { EntityManager } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";

/** A process that was busy counts as busy for so long. Longer than the pause between two reports. */
const busySeconds = 2;

/** Records that a process of the API answers requests. The clock of the database counts. */
export async function reportBusy(manager: EntityManager, processId: string): Promise<void> {
  await manager.query(
    `INSERT INTO busy_processes (process_id, busy_until)
     VALUES (?, NOW(3) + INTERVAL ${busySeconds} SECOND)
     ON DUPLICATE KEY UPDATE busy_until = NOW(3) + INTERVAL ${busySeconds} SECOND`,
    [processId],
  );
}

/** @returns true while a process of the API is busy */
export async function isApiBusy({ manager }: Tx): Promise<boolean> {
  const [row] = await manager.query<{ one: number }[]>(
    `SELECT 1 AS one FROM busy_processes FORCE INDEX (busy_processes_until)
      WHERE busy_until > NOW(3) LIMIT 1`,
  );
  return row !== undefined;
}

/** Deletes the rows of processes that were busy long ago. */
export async function purgeBusy(manager: EntityManager): Promise<void> {
  await manager.query("DELETE FROM busy_processes WHERE busy_until < NOW(3) - INTERVAL 1 HOUR");
}
