import type { Tx } from "../../db/transaction.ts";

/** The same transaction with another actor: the customer, or the AI agent. */
export function actAs(tx: Tx, type: "contact" | "agent"): Tx {
  return { ...tx, actor: { type, accountId: tx.actor.accountId } };
}
