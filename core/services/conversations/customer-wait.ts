import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MessageStatus, SenderType } from "../../model/message.ts";
import { recordChange } from "../outbox/changes.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";

/**
 * True for a message of ours that answers the customer: one of a person, the API or the AI agent. A
 * message counts from the moment it is accepted, and no longer once it has failed or was cancelled.
 * An automatic message, such as a reminder, answers nobody.
 */
export function answersCustomer(message: { senderType: SenderType; status: MessageStatus }) {
  const { senderType, status } = message;
  const isOurs = senderType !== "contact" && senderType !== "system";
  return isOurs && status !== "failed" && status !== "cancelled";
}

/** SQL of a message that has reached the customer, or still may. */
export const mayReach = "status NOT IN ('failed', 'cancelled')";

/** The same as `answersCustomer`, in SQL. */
const answers = `direction = 'outbound' AND sender_type <> 'system' AND ${mayReach}`;

/**
 * Locks the conversation of a message before the message itself is locked, as a pause does. A
 * conversation that was erased is no longer there.
 */
export async function lockConversationOfMessage(tx: Tx, messageId: number): Promise<void> {
  await tx.manager.query(
    `SELECT c.id FROM messages m STRAIGHT_JOIN conversations c ON c.id = m.conversation_id
      WHERE m.id = ? AND m.account_id = ? FOR UPDATE OF c`,
    [messageId, tx.actor.accountId],
  );
}

/**
 * Reads anew since when the customer waits, after messages of ours have failed or were cancelled.
 * If nothing of ours was accepted since the customer wrote, the customer waits again.
 * @returns since when; null if the customer does not wait.
 */
export async function renewWait(tx: Tx, conversationId: number): Promise<Date | null> {
  const { accountId } = tx.actor;
  const row = await tx.manager.findOne(Conversation, {
    where: { id: conversationId, accountId },
    lock: { mode: "pessimistic_write" },
  });
  if (row === null) return null;
  const customerWaitsSince = await findWait(tx, conversationId);
  if (row.customerWaitsSince?.getTime() !== customerWaitsSince?.getTime()) {
    await tx.manager.update(Conversation, row.id, { customerWaitsSince });
    await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  }
  return customerWaitsSince;
}

async function findWait(tx: Tx, conversationId: number): Promise<Date | null> {
  return (await findUnanswered(tx, conversationId))?.createdAt ?? null;
}

/** The customer's first message since ours that was accepted last; null: none. */
export async function findUnanswered(
  tx: Tx,
  conversationId: number,
): Promise<{ id: number; createdAt: Date } | null> {
  const messages = `FROM messages FORCE INDEX (messages_conversation)
    WHERE conversation_id = ? AND imported = 0`;
  const [answer] = await tx.manager.query<{ id: number }[]>(
    `SELECT id ${messages} AND ${answers} ORDER BY id DESC LIMIT 1`,
    [conversationId],
  );
  const [first] = await tx.manager.query<{ id: number; createdAt: Date }[]>(
    `SELECT id, created_at AS createdAt ${messages} AND id > ? AND direction = 'inbound'
      ORDER BY id LIMIT 1`,
    [conversationId, answer?.id ?? 0],
  );
  return first ?? null;
}
