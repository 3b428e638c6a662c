import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { recordChange } from "../outbox/changes.ts";
import { cutTurn, outdateDraft } from "./agent-wakeups.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";

/**
 * Stores whether another app of the page answers the customer. The AI agent stops its turn when
 * another app takes over.
 * @param row locked; it is changed in place.
 */
export async function setOtherAppAnswers(
  tx: Tx,
  row: Conversation,
  otherAppAnswers: boolean,
): Promise<void> {
  if (row.otherAppAnswers === otherAppAnswers) return;
  row.otherAppAnswers = otherAppAnswers;
  await tx.manager.update(Conversation, row.id, { otherAppAnswers });
  if (otherAppAnswers) {
    await cutTurn(tx, row);
    await outdateDraft(tx, row.id);
  }
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
}
