import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { parsePhone, phoneVariants } from "../../model/contact.ts";
import { placeholders } from "../sql.ts";

/** True for two different phones. National spellings of one phone are equal, other ids are none. */
export function isOtherPhone(before: string, now: string): boolean {
  const arePhones = parsePhone(before) === before && parsePhone(now) === now;
  return arePhones && !phoneVariants(now).includes(before);
}

/** Stores the customer's id on the channel in a locked conversation. */
export async function setCustomer(tx: Tx, row: Conversation, customerExternalId: string) {
  if (row.customerExternalId === customerExternalId) return;
  Object.assign(row, { customerExternalId });
  await tx.manager.update(Conversation, row.id, { customerExternalId });
}

/**
 * Turns a locked conversation to an id of its customer. WhatsApp opens a window for each phone. So
 * the last message of the phone before is kept with it, and that of the new phone comes back.
 */
export async function turnToCustomer(tx: Tx, row: Conversation, externalId: string): Promise<void> {
  if (row.channel === "whatsapp" && isOtherPhone(row.customerExternalId, externalId)) {
    await keepLastMessage(tx, row);
    const lastCustomerMessageAt = await findLastMessage(tx, row, externalId);
    Object.assign(row, { lastCustomerMessageAt });
    await tx.manager.update(Conversation, row.id, { lastCustomerMessageAt });
  }
  await setCustomer(tx, row, externalId);
}

async function keepLastMessage(tx: Tx, row: Conversation): Promise<void> {
  const { accountId, channelAccountId, contactId, lastCustomerMessageAt: at } = row;
  if (at === null) return;
  const phones = phoneVariants(row.customerExternalId);
  await tx.manager.query(
    `UPDATE contact_identities
        SET last_customer_message_at = GREATEST(COALESCE(last_customer_message_at, ?), ?)
      WHERE account_id = ? AND channel_account_id = ? AND contact_id = ?
        AND external_id IN (${placeholders(phones)})`,
    [at, at, accountId, channelAccountId, contactId, ...phones],
  );
}

async function findLastMessage(tx: Tx, row: Conversation, phone: string): Promise<Date | null> {
  const { accountId, channelAccountId, contactId } = row;
  const phones = phoneVariants(phone);
  const [known] = await tx.manager.query<{ keptAt: Date | null }[]>(
    `SELECT MAX(last_customer_message_at) AS keptAt FROM contact_identities
      WHERE account_id = ? AND channel_account_id = ? AND contact_id = ?
        AND external_id IN (${placeholders(phones)})`,
    [accountId, channelAccountId, contactId, ...phones],
  );
  return known?.keptAt ?? null;
}
