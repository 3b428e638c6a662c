import { In, Not } from "typeorm";
import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { phoneKey, phoneVariants } from "../../model/contact.ts";
import type { RetiredIdentifiers } from "../../model/erasure.ts";
import { placeholders } from "../sql.ts";

/**
 * Name, phone and email that these contacts had before they were merged into another one. A phone or
 * an email that somebody else has now is left out, because the data that it names may be theirs. So
 * is a phone that somebody else writes from.
 */
export async function listRetiredIdentifiers(
  tx: Tx,
  contactIds: number[],
): Promise<RetiredIdentifiers[]> {
  const rows = await tx.manager.query<{ retired: RetiredIdentifiers }[]>(
    `SELECT retired_identifiers AS retired FROM contacts
      WHERE account_id = ? AND id IN (${placeholders(contactIds)})
        AND retired_identifiers IS NOT NULL`,
    [tx.actor.accountId, ...contactIds],
  );
  if (rows.length === 0) return [];
  const retired = rows.map((row) => row.retired);
  const taken = await listTaken(tx, contactIds, retired);
  return retired.map(({ name, phone, email }) => ({
    name,
    phone: phone !== null && taken.has(phoneKey(phone)) ? null : phone,
    email: email !== null && taken.has(email) ? null : email,
  }));
}

/** Emails and keys of phones among these that another contact has, or writes from. */
async function listTaken(
  tx: Tx,
  contactIds: number[],
  retired: RetiredIdentifiers[],
): Promise<Set<string>> {
  const others = { accountId: tx.actor.accountId, id: Not(In(contactIds)) };
  const emails = retired.flatMap(({ email }) => email ?? []);
  const phones = retired.flatMap(({ phone }) => phone ?? []);
  const found = await tx.manager.find(Contact, {
    select: { email: true, phoneKey: true },
    where: [
      { ...others, email: In(emails) },
      { ...others, phoneKey: In(phones.map(phoneKey)) },
    ],
  });
  const written = await listWritten(tx, contactIds, phones);
  const known = found.flatMap(({ email, phoneKey: key }) => [email ?? [], key ?? []].flat());
  return new Set([...known, ...written.map(phoneKey)]);
}

/** Spellings of these phones under which WhatsApp knows another contact. */
async function listWritten(tx: Tx, contactIds: number[], phones: string[]): Promise<string[]> {
  if (phones.length === 0) return [];
  const spellings = phones.flatMap(phoneVariants);
  const rows = await tx.manager.query<{ phone: string }[]>(
    `SELECT c.external_id AS phone
       FROM channel_accounts a
       STRAIGHT_JOIN contact_identities c FORCE INDEX (contact_identities_external)
         ON c.account_id = a.account_id AND c.channel_account_id = a.id
        AND c.external_id IN (${placeholders(spellings)})
      WHERE a.account_id = ? AND a.channel = 'whatsapp'
        AND c.contact_id NOT IN (${placeholders(contactIds)})`,
    [...spellings, tx.actor.accountId, ...contactIds],
  );
  return rows.map(({ phone }) => phone);
}
