import { Import } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import { dayMs, hourMs } from "../../model/durations.ts";
import { hasWaitingFiles } from "./chat-files.ts";

/** No upload takes so long: its process was killed. */
const abandonedMs = hourMs;
/** A chat keeps its file for so much longer while files of the chat are not stored. */
const waitingFilesMs = 6 * dayMs;

/**
 * Imports of all accounts whose file is due to go, and uploads that a crash has cut off. The end of
 * the rows is the end of the file, too: an erasure waits for no file.
 */
export async function listOldFilesOfImports(
  tx: Tx,
  limit: number,
): Promise<{ id: number; accountId: number }[]> {
  return await tx.manager.query(
    `(SELECT id, account_id AS accountId FROM imports FORCE INDEX (imports_file)
       WHERE file_until <= ?
         AND (file_until <= ? OR rows_until <= ? OR NOT ${hasWaitingFiles.sql})
       ORDER BY file_until, id LIMIT ?)
     UNION ALL
     (SELECT id, account_id AS accountId FROM imports FORCE INDEX (imports_state)
       WHERE state = 'uploaded' AND created_at < ? ORDER BY id LIMIT ?) LIMIT ?`,
    [
      tx.now,
      new Date(tx.now.getTime() - waitingFilesMs),
      tx.now,
      ...hasWaitingFiles.values,
      limit,
      new Date(tx.now.getTime() - abandonedMs),
      limit,
      limit,
    ],
  );
}

/** Records that the storage has the file no more. An upload that a crash has cut off is gone whole. */
export async function forgetFile(tx: Tx, id: number): Promise<void> {
  const own = { id, accountId: tx.actor.accountId };
  const { affected } = await tx.manager.delete(Import, { ...own, state: "uploaded" });
  if (affected === 0) await tx.manager.update(Import, own, { storageKey: null, fileUntil: null });
}

/** @returns true for an import whose bytes the storage is not known to have */
export async function isAnnounced(tx: Tx, id: number): Promise<boolean> {
  return await tx.manager.existsBy(Import, { id, state: "uploaded" });
}
