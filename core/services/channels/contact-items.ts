import type { Tx } from "../../../db/transaction.ts";
import type { EraseContactInput } from "../../model/erasure.ts";
import { placeholders } from "../sql.ts";

/**
 * Gives items that name a contact's ids to the contact, before its identities are deleted. Parked
 * and waiting items have no contact yet, and the erasure must find them.
 */
export async function claimChannelItems(tx: Tx, contactIds: readonly number[]): Promise<void> {
  const [contactId] = contactIds;
  await tx.manager.query(
    `UPDATE channel_items i
       JOIN contact_identities c ON c.channel_account_id = i.channel_account_id
        AND c.external_id = i.customer
        SET i.contact_id = ?
      WHERE c.account_id = ? AND c.contact_id IN (${placeholders(contactIds)})
        AND i.contact_id IS NULL`,
    [contactId, tx.actor.accountId, ...contactIds],
  );
}

/**
 * Erases a batch of an erased contact's items, with the bytes of their webhooks.
 * @returns true if none is left.
 */
export async function eraseChannelItems(
  tx: Tx,
  { accountId, contactIds }: EraseContactInput,
  limit: number,
): Promise<boolean> {
  const rows = await tx.manager.query<{ id: number; webhook_id: number }[]>(
    `SELECT id, webhook_id FROM channel_items FORCE INDEX (channel_items_contact)
      WHERE contact_id IN (${placeholders(contactIds)}) AND account_id = ? LIMIT ? FOR UPDATE`,
    [...contactIds, accountId, limit],
  );
  if (rows.length === 0) return true;
  const webhookIds = rows.map((row) => row.webhook_id);
  const ids = rows.map(({ id }) => id);
  await tx.manager.query(
    `UPDATE channel_webhooks SET body = NULL WHERE id IN (${placeholders(webhookIds)})`,
    webhookIds,
  );
  await tx.manager.query(`DELETE FROM channel_items WHERE id IN (${placeholders(ids)})`, ids);
  return rows.length < limit;
}
