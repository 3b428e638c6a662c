import { In, Not } from "typeorm";
import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { phoneKey } from "../../model/contact.ts";
import type { RetiredIdentifiers } from "../../model/erasure.ts";
import { placeholders } from "../sql.ts";

/**
 * Name, phone and email that these contacts had before they were merged into another one. A phone or
 * an email that somebody else has now is left out, because the data that it names may be theirs.
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

/** Emails and keys of phones among these that another contact has. */
async function listTaken(
  tx: Tx,
  contactIds: number[],
  retired: RetiredIdentifiers[],
): Promise<Set<string>> {
  const others = { accountId: tx.actor.accountId, id: Not(In(contactIds)) };
  const emails = retired.flatMap(({ email }) => email ?? []);
  const keys = retired.flatMap(({ phone }) => (phone === null ? [] : phoneKey(phone)));
  const found = await tx.manager.find(Contact, {
    select: { email: true, phoneKey: true },
    where: [
      { ...others, email: In(emails) },
      { ...others, phoneKey: In(keys) },
    ],
  });
  return new Set(found.flatMap(({ email, phoneKey: key }) => [email ?? [], key ?? []].flat()));
}
