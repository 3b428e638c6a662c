import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { phoneKey } from "../../model/contact.ts";

/**
 * The contact with this phone, or null.
 * @param phone as `parsePhone` returned it.
 */
export async function findContactIdByPhone(tx: Tx, phone: string): Promise<number | null> {
  const row = await tx.manager.findOne(Contact, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, phoneKey: phoneKey(phone) },
  });
  return row?.id ?? null;
}

/**
 * The contact with this email, or null.
 * @param email as `parseEmail` returned it.
 */
export async function findContactIdByEmail(tx: Tx, email: string): Promise<number | null> {
  const row = await tx.manager.findOne(Contact, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, email },
  });
  return row?.id ?? null;
}
