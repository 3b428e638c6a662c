import { AgentRating } from "../../../db/entities/agent-rating.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { notFound } from "../../errors.ts";
import type { RatingBody, RatingView } from "../../model/agent-rating.ts";
import { requireUserId } from "../accounts/actor.ts";
import { recordChange } from "../outbox/changes.ts";
import { getOwned } from "../sql.ts";

/** Most ratings of a conversation that a reader gets. */
const maxListed = 200;

/** The newest ratings of a conversation. @throws AppError `conversation_not_found` */
export async function listRatings(tx: Tx, conversationId: number): Promise<AgentRating[]> {
  await getOwned(tx, Conversation, "conversation", { id: conversationId });
  return await tx.manager.find(AgentRating, {
    where: { accountId: tx.actor.accountId, conversationId },
    order: { id: "DESC" },
    take: maxListed,
  });
}

/**
 * Rates a message of the agent. A second rating by the same person replaces the first.
 * @throws AppError `message_not_found`, also for a message that the agent did not write.
 */
export async function rateMessage(
  tx: Tx,
  messageId: number,
  { value, reason, comment }: RatingBody,
): Promise<AgentRating> {
  const message = await getRatedMessage(tx, messageId);
  const own = { messageId, userId: requireUserId(tx.actor) };
  const said = { value, reason, comment: comment === "" ? null : comment };
  // One statement, so that two clicks at once make one row.
  await tx.manager.query(
    `INSERT INTO agent_ratings (account_id, conversation_id, message_id, turn_id, user_id, value,
            reason, comment, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AS new
     ON DUPLICATE KEY UPDATE value = new.value, reason = new.reason, comment = new.comment,
            updated_at = new.updated_at`,
    [
      message.accountId,
      message.conversationId,
      messageId,
      message.agentTurnId,
      own.userId,
      said.value,
      said.reason,
      said.comment,
      tx.now,
      tx.now,
    ],
  );
  await record(tx, message);
  const { accountId } = message;
  return await tx.manager.findOneByOrFail(AgentRating, { ...own, accountId });
}

/** Removes the person's rating of a message. Does nothing without one. */
export async function removeRating(tx: Tx, messageId: number): Promise<void> {
  const message = await getRatedMessage(tx, messageId);
  const { accountId } = message;
  const userId = requireUserId(tx.actor);
  await tx.manager.delete(AgentRating, { accountId, messageId, userId });
  await record(tx, message);
}

/** A rating in the Dashboard's API. */
export function presentRating(row: AgentRating): RatingView {
  return {
    message_id: row.messageId,
    user_id: row.userId,
    value: row.value,
    reason: row.reason,
    comment: row.comment,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

async function getRatedMessage(tx: Tx, id: number): Promise<Message> {
  const message = await getOwned(tx, Message, "message", { id });
  if (message.senderType !== "ai") throw notFound("message");
  return message;
}

async function record(tx: Tx, { id, conversationId }: Message): Promise<void> {
  await recordChange(tx, { kind: "message.rated", conversationId, messageId: id });
}
