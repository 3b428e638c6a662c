import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ContactIdentity } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { WriteConflict } from "../../errors.ts";
import { parsePhone, phoneVariants } from "../../model/contact.ts";
import { insertOrLose, insertRow, placeholders } from "../sql.ts";

/** An id under which a channel account knows a contact. */
export interface KnownIdentity {
  id: number;
  contactId: number;
  externalId: string;
}

/**
 * The identity that a channel account has for this id, or null. A WhatsApp id is a phone, so its
 * national variants match too; an exact match comes first.
 */
export async function findIdentity(
  tx: Tx,
  { id, channel }: ChannelAccount,
  externalId: string,
): Promise<KnownIdentity | null> {
  const isPhone = channel === "whatsapp" && parsePhone(externalId) === externalId;
  const spellings = isPhone ? phoneVariants(externalId) : [externalId];
  const [known] = await tx.manager.query<KnownIdentity[]>(
    `SELECT id, contact_id AS contactId, external_id AS externalId FROM contact_identities
      WHERE account_id = ? AND channel_account_id = ? AND external_id IN (${placeholders(spellings)})
      ORDER BY external_id = ? DESC, id DESC LIMIT 1`,
    [tx.actor.accountId, id, ...spellings, externalId],
  );
  return known ?? null;
}

/**
 * Records the id that a customer has written from. The id replaces a national variant, because only
 * the channel's own spelling reaches the customer.
 * @param contactId its row is locked, or new in this transaction.
 * @throws WriteConflict where the id belongs to another contact by now.
 */
export async function recordIdentity(
  tx: Tx,
  channel: ChannelAccount,
  contactId: number,
  externalId: string,
): Promise<void> {
  const known = await findOfContact(tx, channel, contactId, externalId);
  if (known === null) return await insertIdentity(tx, channel, contactId, externalId);
  if (known.externalId === externalId) return;
  await insertOrLose(() => tx.manager.update(ContactIdentity, known.id, { externalId }));
}

/**
 * The id that reaches a phone on a WhatsApp number: a known spelling, else the phone itself. The
 * phone itself is then recorded as the contact's identity.
 * @param contactId its row is locked, or new in this transaction.
 * @throws WriteConflict where the phone belongs to another contact by now.
 */
export async function addressOf(
  tx: Tx,
  channel: ChannelAccount,
  contactId: number,
  phone: string,
): Promise<{ externalId: string; isNew: boolean }> {
  const known = await findOfContact(tx, channel, contactId, phone);
  if (known !== null) return { externalId: known.externalId, isNew: false };
  await insertIdentity(tx, channel, contactId, phone);
  return { externalId: phone, isNew: true };
}

async function findOfContact(
  tx: Tx,
  channel: ChannelAccount,
  contactId: number,
  externalId: string,
): Promise<KnownIdentity | null> {
  const known = await findIdentity(tx, channel, externalId);
  if (known !== null && known.contactId !== contactId) throw new WriteConflict();
  return known;
}

async function insertIdentity(
  tx: Tx,
  { id: channelAccountId, channel }: ChannelAccount,
  contactId: number,
  externalId: string,
): Promise<void> {
  const { accountId } = tx.actor;
  const row = { accountId, channelAccountId, externalId, contactId, channel, createdAt: tx.now };
  await insertOrLose(() => insertRow(tx, ContactIdentity, row));
}
