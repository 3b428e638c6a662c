import type { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { lockConversation } from "./conversation-records.ts";
import { insertOutbound } from "./messages.ts";

/** A reply of the AI agent, with the state that the agent read before writing. */
export interface AgentMessage {
  conversationId: number;
  /** `bot_epoch` when the turn began. */
  epoch: number;
  /** The customer's newest message that the reply answers. */
  watermark: number;
  content: string;
}

/**
 * Sends a message of the AI agent. Only this function writes `sender_type: ai`.
 *
 * No message of the agent commits after a pause (rule C30). Flag, epoch and the customer's newest
 * message are read under the conversation's lock, and a pause takes the same lock.
 * @returns null if the agent was paused meanwhile, or the customer wrote again.
 */
export async function createAgentMessage(
  tx: Tx,
  { conversationId, epoch, watermark, content }: AgentMessage,
): Promise<Message | null> {
  const conversation = await lockConversation(tx, conversationId);
  if (!conversation.botEnabled || conversation.botEpoch !== epoch) return null;
  const [newest] = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND direction = 'inbound' ORDER BY id DESC LIMIT 1`,
    [conversationId],
  );
  if ((newest?.id ?? 0) > watermark) return null;
  const asAgent: Tx = { ...tx, actor: { type: "agent", accountId: tx.actor.accountId } };
  return await insertOutbound(
    asAgent,
    conversation,
    { type: "text", content },
    { botEpoch: epoch },
  );
}
