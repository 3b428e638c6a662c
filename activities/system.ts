import type { TxOptions } from "../db/transaction.ts";

/** Our own work in one account. */
export function systemOf(accountId: number): TxOptions {
  return { actor: { type: "system", accountId } };
}
