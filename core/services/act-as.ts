import type { Tx } from "../../db/transaction.ts";

/**
 * The same transaction with another actor: the customer, the AI agent or our own programs.
 * @param accountId of the actor; by default the account of the transaction
 */
export function actAs(
  tx: Tx,
  type: "contact" | "agent" | "system",
  accountId = tx.actor.accountId,
): Tx {
  return { ...tx, actor: { type, accountId } };
}
