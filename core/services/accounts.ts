import { Account } from "../../db/entities/account.ts";
import type { Tx } from "../../db/transaction.ts";
import { insertRow } from "./sql.ts";

/** Makes an account. The caller goes on in it with the id that comes back. */
export async function createAccount(
  tx: Tx,
  input: { name: string; timeZone: string; locale: string },
): Promise<number> {
  const times = { createdAt: tx.now, updatedAt: tx.now };
  return await insertRow(tx, Account, { ...input, settings: {}, ...times });
}
