import { ImportTurn } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ImportState } from "../../model/workflow/importing.ts";
import { request } from "../outbox/outbox.ts";
import { importCommand } from "./import-commands.ts";

/**
 * Takes the account's turn: one import at a time changes its contacts. A turn whose import works no
 * more is taken over, so that a lost one blocks nobody.
 * @returns false while another import has it
 */
export async function takeTurn(tx: Tx, importId: number): Promise<boolean> {
  const { accountId } = tx.actor;
  await tx.manager.query(
    `INSERT INTO import_turns (account_id, import_id, taken_at) VALUES (?, ?, ?)
     ON DUPLICATE KEY UPDATE import_id = import_id`,
    [accountId, importId, tx.now],
  );
  const [turn] = await tx.manager.query<{ importId: number; state: ImportState | null }[]>(
    `SELECT t.import_id AS importId, i.state FROM import_turns t
       LEFT JOIN imports i ON i.id = t.import_id
      WHERE t.account_id = ?`,
    [accountId],
  );
  if (turn === undefined || Number(turn.importId) === importId) return true;
  if (turn.state === "committing" || turn.state === "undoing") return false;
  await tx.manager.update(ImportTurn, { accountId }, { importId, takenAt: tx.now });
  return true;
}

/** Gives the turn back, and wakes the import that has waited longest. */
export async function releaseTurn(tx: Tx, importId: number): Promise<void> {
  const { accountId } = tx.actor;
  const { affected } = await tx.manager.delete(ImportTurn, { accountId, importId });
  if (affected !== 1) return;
  const [next] = await tx.manager.query<{ id: number; state: ImportState }[]>(
    `SELECT id, state FROM imports FORCE INDEX (imports_account)
      WHERE account_id = ? AND id <> ? AND state IN ('committing', 'undoing') ORDER BY id LIMIT 1`,
    [accountId, importId],
  );
  if (next !== undefined) await request(tx, importCommand({ ...next, accountId }));
}

/** The import that has the account's turn; null without one. */
export async function findTurnOwner(tx: Tx): Promise<number | null> {
  const turn = await tx.manager.findOneBy(ImportTurn, { accountId: tx.actor.accountId });
  return turn?.importId ?? null;
}

/** Deletes turns of all accounts whose import works no more. @returns their number */
export async function sweepTurns(tx: Tx): Promise<number> {
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `DELETE t FROM import_turns t LEFT JOIN imports i ON i.id = t.import_id
      WHERE i.id IS NULL OR i.state NOT IN ('committing', 'undoing')`,
  );
  return affectedRows;
}
