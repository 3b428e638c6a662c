import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { ContactFacts, ContactView } from "../../model/contact.ts";
import { placeholders, getOwned } from "../sql.ts";

/** A contact with its tags and identities. */
export interface ContactRecord {
  row: Contact;
  tags: string[];
  /**
   * The newest id on each channel; null where the contact has none there. On WhatsApp a phone comes
   * before the id of a user.
   */
  identities: Identities;
}

type Identities = Pick<ContactFacts, "whatsapp_id" | "instagram_id" | "facebook_id">;

/** Identities of a contact without any channel. */
export const noIdentities: Identities = {
  whatsapp_id: null,
  instagram_id: null,
  facebook_id: null,
};

/** Name of a contact for people: the name, else the phone, the email or `Visitor <id>`. */
export function contactName({
  id,
  name,
  phone,
  email,
}: Pick<Contact, "id" | "name" | "phone" | "email">): string {
  return name ?? phone ?? email ?? `Visitor ${id}`;
}

/**
 * The contact in every REST answer. Without a name the answer shows the phone, the email or
 * `Visitor <id>`.
 */
export function presentContact({ row, tags, identities }: ContactRecord): ContactView {
  return {
    id: row.id,
    name: contactName(row),
    phone: row.phone,
    email: row.email,
    whatsapp_id: identities.whatsapp_id,
    tags,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/**
 * @throws AppError `contact_not_found`; with `details.merged_into` for a contact that was merged
 *   into another one.
 */
export async function getContactRow(tx: Tx, id: number): Promise<Contact> {
  const row = await getOwned(tx, Contact, "contact", { id });
  if (row.mergedIntoId === null) return row;
  throw new AppError("contact_not_found", {
    message: "This contact was merged into another one.",
    details: {
      merged_into: row.mergedIntoId,
    },
  });
}

/** The contacts of these rows with tags and identities, in the order of the rows. */
export async function loadRecords(tx: Tx, rows: Contact[]): Promise<ContactRecord[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const tags = await tx.manager.query<{ contact_id: number; tag: string }[]>(
    `SELECT contact_id, tag FROM contact_tags WHERE contact_id IN (${placeholders(ids)}) ORDER BY created_at, tag`,
    ids,
  );
  const identities = await tx.manager.query<
    { contact_id: number; channel: string; external_id: string }[]
  >(
    `SELECT contact_id, channel, external_id FROM contact_identities
      WHERE contact_id IN (${placeholders(ids)}) AND kind <> 'parent_user_id'
      ORDER BY kind = 'user_id', id DESC`,
    ids,
  );
  return rows.map((row) => {
    const newest = (channel: string) =>
      identities.find((one) => one.contact_id === row.id && one.channel === channel)?.external_id ??
      null;
    return {
      row,
      tags: tags.filter((one) => one.contact_id === row.id).map(({ tag }) => tag),
      identities: {
        whatsapp_id: newest("whatsapp"),
        instagram_id: newest("instagram"),
        facebook_id: newest("facebook"),
      },
    };
  });
}

/** One contact with its tags and identities. */
export async function loadRecord(tx: Tx, row: Contact): Promise<ContactRecord> {
  const [record] = await loadRecords(tx, [row]);
  return record ?? { row, tags: [], identities: noIdentities };
}
