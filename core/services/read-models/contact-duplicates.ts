import { In } from "typeorm";
import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { duplicateEmailKey, duplicatePhoneKey } from "../../model/contact-duplicates.ts";
import { loadRecords, type ContactRecord } from "../contacts/contact-records.ts";

/** Number of the latest active contacts that are compared with each other. */
const mostCompared = 20_000;
/** Number of groups that are shown at once. A merge makes room for further ones. */
const mostGroups = 100;

/** Contacts that may be the same person, the one that was created first is first. */
export interface Duplicate {
  same: "phone" | "email" | "identity";
  records: ContactRecord[];
}

/**
 * Possible duplicates among the contacts with the latest activity. Equal phones and emails cannot
 * be stored twice, so these differ in a country code, dots or a suffix. Contacts that a channel has
 * named as one person come first, whenever they were active.
 */
export async function listDuplicates(tx: Tx): Promise<Duplicate[]> {
  const compared = await tx.manager.query<Compared[]>(
    `SELECT id, phone_key AS phone, email FROM contacts FORCE INDEX (contacts_activity)
      WHERE account_id = ? AND merged_into_id IS NULL
      ORDER BY last_activity_at DESC, id DESC LIMIT ?`,
    [tx.actor.accountId, mostCompared],
  );
  const groups = [
    ...(await listSamePersons(tx)),
    ...groupsOf("phone", compared, ({ phone }) => duplicatePhoneKey(phone)),
    ...groupsOf("email", compared, ({ email }) => duplicateEmailKey(email)),
  ];
  const shown = withoutRepeated(groups).slice(0, mostGroups);
  const ids = shown.flatMap((group) => group.ids);
  const rows = await tx.manager.findBy(Contact, { id: In(ids) });
  const records = await loadRecords(tx, rows);
  const byId = new Map(records.map((record) => [record.row.id, record]));
  return shown.map(({ same, ids: own }) => ({
    same,
    records: own.flatMap((id) => byId.get(id) ?? []),
  }));
}

interface Compared {
  id: number;
  phone: string | null;
  email: string | null;
}

interface Group {
  same: Duplicate["same"];
  ids: number[];
}

async function listSamePersons(tx: Tx): Promise<Group[]> {
  const rows = await tx.manager.query<{ one: number; other: number }[]>(
    `SELECT i.contact_id AS one, i.same_as_contact_id AS other
       FROM contact_identities i FORCE INDEX (contact_identities_same)
       JOIN contacts c ON c.id = i.same_as_contact_id AND c.merged_into_id IS NULL
      WHERE i.account_id = ? AND i.same_as_contact_id > 0 AND i.same_as_contact_id <> i.contact_id
      ORDER BY i.same_as_contact_id, i.id LIMIT ?`,
    [tx.actor.accountId, mostGroups],
  );
  return rows.map(({ one, other }) => ({
    same: "identity",
    ids: [Number(one), Number(other)].toSorted((a, b) => a - b),
  }));
}

function groupsOf(
  same: Duplicate["same"],
  rows: Compared[],
  keyOf: (row: Compared) => string | null,
): Group[] {
  const byKey = new Map<string, number[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), row.id]);
  }
  return [...byKey.values()]
    .filter((ids) => ids.length > 1)
    .map((ids) => ({ same, ids: ids.toSorted((one, other) => one - other) }));
}

/** Two contacts with equal phones and emails are one group. */
function withoutRepeated(groups: Group[]): Group[] {
  const seen = new Set<string>();
  return groups.filter(({ ids }) => {
    const key = ids.join();
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
