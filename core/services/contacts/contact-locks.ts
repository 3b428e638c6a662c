import type { Tx } from "../../../db/transaction.ts";
import { WriteConflict } from "../../errors.ts";
import { placeholders } from "../sql.ts";
import { getContactRow, loadRecord, type ContactRecord } from "./contact-records.ts";

// The rule of all locks on contacts: a transaction locks several contacts in the order of their
// ids. In any other order two transactions could deadlock.

/**
 * Locks a contact that was just found, so that its first conversation is opened once.
 * @throws WriteConflict if the contact was erased or merged in between.
 */
export async function lockContact(tx: Tx, id: number): Promise<ContactRecord> {
  const known = await tx.manager.query<unknown[]>(
    "SELECT id FROM contacts WHERE id = ? AND merged_into_id IS NULL FOR UPDATE",
    [id],
  );
  if (known.length === 0) throw new WriteConflict();
  return await loadRecord(tx, await getContactRow(tx, id));
}

/** Locks contacts in the order of ids. Merged ones are locked too, and erased ones are left out. */
export async function lockContacts(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.manager.query(
    `SELECT id FROM contacts WHERE id IN (${placeholders(ids)}) AND account_id = ?
      ORDER BY id FOR UPDATE`,
    [...ids, tx.actor.accountId],
  );
}

/** Locks the row of one contact, merged or not. Without such a row there is no lock. */
export async function lockContactRow(tx: Tx, id: number): Promise<void> {
  await tx.manager.query("SELECT id FROM contacts WHERE account_id = ? AND id = ? FOR UPDATE", [
    tx.actor.accountId,
    id,
  ]);
}
