import type { Tx } from "../../../db/transaction.ts";
import { openImportStates } from "../../model/workflow/importing.ts";
import { placeholders } from "../sql.ts";
import { sweepTurns } from "./import-turns.ts";

/** Rows deleted by one batch, and the place of the next. */
interface Purged {
  deleted: number;
  after: string | null;
}

/**
 * Deletes a batch of rows of the import whose rows have been due for longest. An import without any
 * left is done with.
 */
export async function purgeImportRows(tx: Tx, limit: number): Promise<Purged> {
  const [due] = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM imports FORCE INDEX (imports_rows) WHERE rows_until <= ?
      ORDER BY rows_until, id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [tx.now],
  );
  if (due === undefined) return { deleted: 0, after: null };
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    "DELETE FROM import_rows WHERE import_id = ? ORDER BY number LIMIT ?",
    [due.id, limit],
  );
  if (affectedRows < limit) {
    await tx.manager.query("UPDATE imports SET rows_until = NULL WHERE id = ?", [due.id]);
  }
  // Another import may be due.
  return { deleted: affectedRows, after: "" };
}

/** Deletes a batch of the entries of old imports whose file and rows are gone, and lost turns. */
export async function purgeImports(tx: Tx, before: Date, limit: number): Promise<Purged> {
  await sweepTurns(tx);
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM imports FORCE INDEX (imports_created)
      WHERE created_at < ? AND storage_key IS NULL AND rows_until IS NULL
        AND state NOT IN ('uploaded', ${placeholders(openImportStates)})
      ORDER BY created_at, id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [before, ...openImportStates, limit],
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) {
    await tx.manager.query(`DELETE FROM imports WHERE id IN (${placeholders(ids)})`, ids);
  }
  return { deleted: ids.length, after: ids.length < limit ? null : "" };
}
