import { IsNull } from "typeorm";
import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ContactIdentity } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { WriteConflict } from "../../errors.ts";
import type { IdentityKind, RestChannel } from "../../model/channels.ts";
import { parsePhone, phoneVariants } from "../../model/contact.ts";
import { recordChange } from "../outbox/changes.ts";
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

interface SharedIdentity {
  id: number;
  contactId: number;
  channelAccountId: number;
  externalId: string;
  sameAsContactId: number | null;
}

/**
 * The contact that has one of these ids. WhatsApp's ids of users belong to a portfolio, so they
 * count on all its numbers, and on every number of the same WhatsApp Business Account.
 */
export async function findByAliases(
  tx: Tx,
  channel: ChannelAccount,
  aliases: readonly IdentityAlias[],
): Promise<number | null> {
  const [known] = await listShared(tx, channel, aliases);
  return known?.contactId ?? null;
}

/** Identities with these ids on the channel account and its siblings, the best match first. */
async function listShared(
  tx: Tx,
  { id, parentId, portfolioId }: ChannelAccount,
  aliases: readonly IdentityAlias[],
): Promise<SharedIdentity[]> {
  if (aliases.length === 0) return [];
  const { accountId } = tx.actor;
  const ids = aliases.map(({ externalId }) => externalId);
  const rows = await tx.manager.query<SharedIdentity[]>(
    `SELECT i.id, i.contact_id AS contactId, i.channel_account_id AS channelAccountId,
            i.external_id AS externalId, i.same_as_contact_id AS sameAsContactId
       FROM channel_accounts a JOIN contact_identities i ON i.channel_account_id = a.id
      WHERE a.account_id = ? AND i.account_id = ?
        AND (a.id = ? OR (a.channel = 'whatsapp' AND (a.parent_id = ? OR a.portfolio_id = ?)))
        AND i.external_id IN (${placeholders(ids)})
      ORDER BY i.kind = 'user_id' DESC, i.id DESC`,
    [accountId, accountId, id, parentId, portfolioId, ...ids],
  );
  return rows.map((row) => ({
    ...row,
    id: Number(row.id),
    contactId: Number(row.contactId),
    channelAccountId: Number(row.channelAccountId),
  }));
}

/**
 * Records further ids of a locked contact. An id of another contact stays where it is, and both
 * contacts are then shown as possible duplicates.
 */
export async function recordAliases(
  tx: Tx,
  channel: ChannelAccount,
  contactId: number,
  aliases: readonly IdentityAlias[],
): Promise<void> {
  const shared = await listShared(tx, channel, aliases);
  for (const { kind, externalId } of aliases) {
    const same = shared.filter((one) => one.externalId === externalId);
    const foreign = same.find((one) => one.contactId !== contactId);
    if (foreign !== undefined && foreign.sameAsContactId === null) {
      await recordSamePerson(tx, foreign, contactId);
    }
    if (same.some((one) => one.channelAccountId === channel.id)) continue;
    await insertAlias(tx, channel, contactId, { kind, externalId });
  }
}

async function insertAlias(
  tx: Tx,
  { id: channelAccountId, channel }: ChannelAccount,
  contactId: number,
  { kind, externalId }: IdentityAlias,
): Promise<void> {
  const { accountId } = tx.actor;
  const facts = { accountId, channelAccountId, externalId, contactId, channel, kind };
  await insertOrLose(() => insertRow(tx, ContactIdentity, { ...facts, createdAt: tx.now }));
}

/** Shows two contacts as possible duplicates: the channel has named them as one person. */
async function recordSamePerson(
  tx: Tx,
  { id, contactId }: Pick<SharedIdentity, "id" | "contactId">,
  sameAsContactId: number,
): Promise<void> {
  await tx.manager.update(ContactIdentity, id, { sameAsContactId });
  await recordChange(tx, { kind: "contact.updated", contactId });
  await recordChange(tx, { kind: "contact.updated", contactId: sameAsContactId });
}

/** The same for the contact that owns a number which a locked contact has moved to. */
export async function recordSameOwner(tx: Tx, contactId: number, ownerId: number): Promise<void> {
  const [identity] = await tx.manager.find(ContactIdentity, {
    where: { accountId: tx.actor.accountId, contactId, sameAsContactId: IsNull() },
    order: { id: "DESC" },
    take: 1,
  });
  if (identity !== undefined) await recordSamePerson(tx, identity, ownerId);
}

/** Stores the public name under which a channel account shows a locked contact. */
export async function recordUsername(
  tx: Tx,
  { id: channelAccountId }: ChannelAccount,
  contactId: number,
  username: string | null,
): Promise<void> {
  if (username === null) return;
  await tx.manager.query(
    `UPDATE contact_identities SET username = ?
      WHERE contact_id = ? AND account_id = ? AND channel_account_id = ?
        AND (username IS NULL OR username <> ?)`,
    [username, contactId, tx.actor.accountId, channelAccountId, username],
  );
}
