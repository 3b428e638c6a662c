import type { ChannelAccount } from "../../db/entities/channel-account.ts";
import { Contact } from "../../db/entities/contact.ts";
import type { Tx } from "../../db/transaction.ts";
import { parsePhone, phoneKey, phoneVariants } from "../model/contact.ts";
import { placeholders } from "./sql.ts";

/** The contact with this phone, or null. `phone` is what `parsePhone` returned. */
export async function findContactIdByPhone(tx: Tx, phone: string): Promise<number | null> {
  const row = await tx.manager.findOne(Contact, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, phoneKey: phoneKey(phone) },
  });
  return row?.id ?? null;
}

/** The contact with this email, or null. `email` is what `parseEmail` returned. */
export async function findContactIdByEmail(tx: Tx, email: string): Promise<number | null> {
  const row = await tx.manager.findOne(Contact, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, email },
  });
  return row?.id ?? null;
}

/**
 * The contact that a channel account knows by this id, or null. On WhatsApp, where the id is a phone,
 * its national variants are the same one; the very same digits go first.
 */
export async function findContactIdByIdentity(
  tx: Tx,
  { id, channel }: ChannelAccount,
  externalId: string,
): Promise<number | null> {
  const isPhone = channel === "whatsapp" && parsePhone(externalId) === externalId;
  const spellings = isPhone ? phoneVariants(externalId) : [externalId];
  const [known] = await tx.manager.query<{ contact_id: number }[]>(
    `SELECT contact_id FROM contact_identities
      WHERE account_id = ? AND channel_account_id = ? AND external_id IN (${placeholders(spellings)})
      ORDER BY external_id = ? DESC, id DESC LIMIT 1`,
    [tx.actor.accountId, id, ...spellings, externalId],
  );
  return known?.contact_id ?? null;
}
