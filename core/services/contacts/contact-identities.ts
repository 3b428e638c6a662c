import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ContactIdentity } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { WriteConflict } from "../../errors.ts";
import type { IdentityKind, RestChannel } from "../../model/channels.ts";
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
  const kind = kindOf(channel, externalId);
  const facts = { accountId, channelAccountId, externalId, contactId, channel, kind };
  const row = { ...facts, createdAt: tx.now };
  await insertOrLose(() => insertRow(tx, ContactIdentity, row));
}

/** On WhatsApp a customer without a known phone has the id of a user. */
function kindOf(channel: RestChannel, externalId: string): IdentityKind {
  if (channel !== "whatsapp") return "page_scoped";
  return parsePhone(externalId) === externalId ? "phone" : "user_id";
}

/** A further id under which WhatsApp knows a customer. */
export interface IdentityAlias {
  kind: IdentityKind;
  externalId: string;
}

/**
 * The contact that has one of these ids. WhatsApp's ids of users belong to a portfolio, so they
 * count on every number of the same WhatsApp Business Account.
 */
export async function findByAliases(
  tx: Tx,
  { id, parentId }: ChannelAccount,
  aliases: readonly IdentityAlias[],
): Promise<number | null> {
  if (aliases.length === 0) return null;
  const ids = aliases.map(({ externalId }) => externalId);
  const [known] = await tx.manager.query<{ contactId: number }[]>(
    `SELECT i.contact_id AS contactId FROM contact_identities i
       JOIN channel_accounts a ON a.id = i.channel_account_id
      WHERE i.account_id = ? AND (a.id = ? OR a.parent_id = ?)
        AND i.external_id IN (${placeholders(ids)})
      ORDER BY i.kind = 'user_id' DESC, i.id DESC LIMIT 1`,
    [tx.actor.accountId, id, parentId, ...ids],
  );
  return known === undefined ? null : Number(known.contactId);
}

/** Records further ids of a locked contact. An id of another contact stays where it is. */
export async function recordAliases(
  tx: Tx,
  { id: channelAccountId, channel }: ChannelAccount,
  contactId: number,
  aliases: readonly IdentityAlias[],
): Promise<void> {
  const { accountId } = tx.actor;
  for (const { kind, externalId } of aliases) {
    const place = { accountId, channelAccountId, externalId };
    if (await tx.manager.existsBy(ContactIdentity, place)) continue;
    const row = { ...place, contactId, channel, kind, createdAt: tx.now };
    await insertOrLose(() => insertRow(tx, ContactIdentity, row));
  }
}
