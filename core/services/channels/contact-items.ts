import type { Tx } from "../../../db/transaction.ts";
import { phoneVariants } from "../../model/contact.ts";
import type { EraseContactInput } from "../../model/erasure.ts";
import { listRetiredIdentifiers } from "../contacts/retired-identifiers.ts";
import { placeholders } from "../sql.ts";

/** States in which an item may stay for days without a contact. */
const keptStates = ["parked", "unrouted"];

/**
 * Gives items that name a contact's ids to the contact, before its identities are deleted. Parked
 * and waiting items have no contact yet, and the erasure must find them. An item that came while the
 * channel was disconnected has no channel account, but the network's id of the channel.
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
  await tx.manager.query(
    `UPDATE contact_identities c FORCE INDEX (contact_identities_contact)
       STRAIGHT_JOIN channel_accounts a ON a.id = c.channel_account_id
       STRAIGHT_JOIN channel_items i FORCE INDEX (channel_items_lane)
         ON i.state IN (${placeholders(keptStates)}) AND i.channel_account_id IS NULL
        AND i.customer = c.external_id
        SET i.contact_id = ?
      WHERE c.account_id = ? AND c.contact_id IN (${placeholders(contactIds)})
        AND i.account_id = c.account_id AND i.external_id = a.external_id
        AND i.contact_id IS NULL`,
    [...keptStates, contactId, tx.actor.accountId, ...contactIds],
  );
}

/**
 * Gives kept items of WhatsApp that name a contact's phone to the contact, also a phone from before
 * a merge. A contact that never wrote has no identity. Items of a number that another contact writes
 * from are left out.
 */
export async function claimPhoneItems(tx: Tx, contactIds: number[]): Promise<void> {
  const { accountId } = tx.actor;
  const [contactId] = contactIds;
  const named = await tx.manager.query<{ phone: string }[]>(
    `SELECT phone FROM contacts
      WHERE account_id = ? AND id IN (${placeholders(contactIds)}) AND phone IS NOT NULL
      UNION ALL
     SELECT external_id FROM contact_identities FORCE INDEX (contact_identities_contact)
      WHERE account_id = ? AND contact_id IN (${placeholders(contactIds)}) AND kind = 'phone'`,
    [accountId, ...contactIds, accountId, ...contactIds],
  );
  const retired = await listRetiredIdentifiers(tx, contactIds);
  const phones = [...named, ...retired].flatMap(({ phone }) => phone ?? []);
  if (phones.length === 0) return;
  const customers = [...new Set(phones.flatMap(phoneVariants))];
  const numbers = await tx.manager.query<{ id: number }[]>(
    "SELECT id FROM channel_accounts WHERE account_id = ? AND channel = 'whatsapp'",
    [accountId],
  );
  // No row has the id 0, which keeps the list of numbers from being empty.
  const numberIds = [0, ...numbers.map(({ id }) => id)];
  await tx.manager.query(
    `UPDATE channel_items i FORCE INDEX (channel_items_lane) SET i.contact_id = ?
      WHERE i.state IN (${placeholders(keptStates)})
        AND (i.channel_account_id IS NULL OR i.channel_account_id IN (${placeholders(numberIds)}))
        AND i.customer IN (${placeholders(customers)})
        AND i.account_id = ? AND i.network = 'whatsapp' AND i.contact_id IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM channel_accounts a
            STRAIGHT_JOIN contact_identities c FORCE INDEX (contact_identities_external)
              ON c.account_id = a.account_id AND c.channel_account_id = a.id
             AND c.external_id = i.customer
           WHERE a.account_id = ? AND a.channel = 'whatsapp'
             AND (a.id = i.channel_account_id
                  OR (i.channel_account_id IS NULL AND a.external_id = i.external_id))
             AND c.contact_id NOT IN (${placeholders(contactIds)}))`,
    [contactId, ...keptStates, ...numberIds, ...customers, accountId, accountId, ...contactIds],
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
