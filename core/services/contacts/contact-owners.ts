import { In } from "typeorm";
import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { noteTargetsVersion, targetsVersionSql } from "../outbox/event-targets.ts";
import { placeholders } from "../sql.ts";

/** Phone and email by which a call looks for its contact; null where it has none. */
export interface ContactKeys {
  phoneKey: string | null;
  email: string | null;
}

/** The contacts that have the phone and the email; null where no contact has it. */
export interface Owners {
  byPhone: Contact | null;
  byEmail: Contact | null;
}

/**
 * Locks the contacts with these phones and emails, in the order of their ids.
 * @param id also locks this contact
 * @param skipLocked leaves out contacts that another transaction has locked; else waits for it
 * @returns the owners of each; null where a contact was left out, or has just lost its phone or
 *   email.
 */
export async function lockOwners(
  tx: Tx,
  wanted: readonly ContactKeys[],
  { id, skipLocked = false }: { id?: number; skipLocked?: boolean } = {},
): Promise<(Owners | null)[]> {
  const found = await findOwners(tx, wanted);
  const ids = new Set([...found.byPhone.values(), ...found.byEmail.values()]);
  const rows = await lockRowsOfOwners(tx, id === undefined ? ids : ids.add(id), skipLocked);
  return wanted.map(({ phoneKey, email }) => {
    const phoneOwner = phoneKey === null ? undefined : found.byPhone.get(phoneKey);
    const emailOwner = email === null ? undefined : found.byEmail.get(email);
    const byPhone = rows.find((row) => row.id === phoneOwner && row.phoneKey === phoneKey) ?? null;
    const byEmail = rows.find((row) => row.id === emailOwner && row.email === email) ?? null;
    return byPhone?.id === phoneOwner && byEmail?.id === emailOwner ? { byPhone, byEmail } : null;
  });
}

async function lockRowsOfOwners(
  tx: Tx,
  ids: ReadonlySet<number>,
  skipLocked: boolean,
): Promise<Contact[]> {
  if (ids.size === 0) return [];
  return await tx.manager.find(Contact, {
    where: { accountId: tx.actor.accountId, id: In([...ids]) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write", ...(skipLocked ? { onLocked: "skip_locked" } : {}) },
  });
}

/** Ids of contacts by phone and by email. */
interface FoundOwners {
  byPhone: Map<string, number>;
  byEmail: Map<string, number>;
}

interface FoundRow {
  id: number | null;
  phoneKey: string | null;
  email: string | null;
  targetsVersion: string | null;
}

/**
 * Ids of the contacts with the phones and the emails. The statement also reads the version of the
 * subscriptions, for the event that most calls make.
 */
async function findOwners(tx: Tx, wanted: readonly ContactKeys[]): Promise<FoundOwners> {
  const { accountId } = tx.actor;
  const phones = wanted.flatMap(({ phoneKey }) => phoneKey ?? []);
  const emails = wanted.flatMap(({ email }) => email ?? []);
  const parts = [
    `SELECT NULL AS id, NULL AS phoneKey, NULL AS email, ${targetsVersionSql} AS targetsVersion`,
  ];
  const values: unknown[] = [accountId];
  const owners = (columns: string, column: string, among: readonly string[]) => {
    if (among.length === 0) return;
    parts.push(
      `SELECT id, ${columns}, NULL FROM contacts
        WHERE account_id = ? AND ${column} IN (${placeholders(among)})`,
    );
    values.push(accountId, ...among);
  };
  owners("phone_key, NULL", "phone_key", phones);
  owners("NULL, email", "email", emails);
  const rows = await tx.manager.query<FoundRow[]>(parts.join(" UNION ALL "), values);
  noteTargetsVersion(tx, rows.find(({ id }) => id === null)?.targetsVersion ?? null);
  const found: FoundOwners = { byPhone: new Map(), byEmail: new Map() };
  for (const { id, phoneKey, email } of rows) {
    if (id !== null && phoneKey !== null) found.byPhone.set(phoneKey, Number(id));
    if (id !== null && email !== null) found.byEmail.set(email, Number(id));
  }
  return found;
}
