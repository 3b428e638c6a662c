import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { leadsHere } from "../../model/referral.ts";
import { recordChange } from "../outbox/changes.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";

/**
 * Columns with which a conversation shows the ad, post or link of its customer. None if the
 * conversation has a later one, and for a story, which leads nobody here.
 */
export function referralColumns(
  { referralAt }: Conversation,
  referral: object | null,
  at: Date,
): Partial<Pick<Conversation, "referral" | "referralAt">> {
  if (referral === null || !leadsHere(referral)) return {};
  return referralAt !== null && referralAt > at ? {} : { referral, referralAt: at };
}

/**
 * Stores the ad or link by which the customer came once more, without a message. Nothing is
 * published, and nobody is woken.
 * @param row locked; it is changed in place.
 */
export async function recordReferral(
  tx: Tx,
  row: Conversation,
  { referral, at }: { referral: object; at: Date },
): Promise<void> {
  const columns = referralColumns(row, referral, at);
  if (columns.referral === undefined) return;
  Object.assign(row, columns);
  await tx.manager.update(Conversation, row.id, columns);
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
}
