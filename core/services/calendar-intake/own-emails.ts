import type { Tx } from "../../../db/transaction.ts";

/**
 * Addresses of the account's members, its connected external accounts and their calendars, in lower
 * case. An event with one of them has no customer in that person.
 */
export async function listOwnEmails(tx: Tx): Promise<Set<string>> {
  const known = await Promise.all(
    [
      "SELECT u.email AS address FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = ?",
      "SELECT email AS address FROM calendar_connections WHERE account_id = ?",
      "SELECT calendar_id AS address FROM calendar_links WHERE account_id = ?",
    ].map(async (sql) => await tx.manager.query<{ address: string }[]>(sql, [tx.actor.accountId])),
  );
  return new Set(known.flat().map(({ address }) => address.toLowerCase()));
}
