import { In } from "typeorm";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isMetaDriver } from "../../model/channels.ts";
import { getChannelAccount } from "../conversation-records/conversation-records.ts";
import { findNetworkMessage, type NetworkMessage } from "./network-messages.ts";

/** A mark that one worker has taken. */
export interface ClaimedMark {
  conversationId: number;
  accountId: number;
  messageId: number;
}

/**
 * Requests the mark of the customer's newest message up to an id. A message that was marked before,
 * or that the AI agent has read, is not marked again.
 * @param conversation locked
 */
export async function requestReadMark(
  tx: Tx,
  { id, channelAccountId }: Conversation,
  upToMessageId: number,
): Promise<void> {
  const { driver, marksRead } = await getChannelAccount(tx, channelAccountId);
  if (!marksRead || !isMetaDriver(driver)) return;
  const [newest] = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND direction = 'inbound' AND imported = 0 AND id <= ?
      ORDER BY id DESC LIMIT 1`,
    [id, upToMessageId],
  );
  if (newest === undefined) return;
  await tx.manager.query(
    `UPDATE conversations SET seen_message_id = ?, seen_due_at = ?
      WHERE id = ? AND COALESCE(seen_message_id, 0) < ?`,
    [newest.id, tx.now, id, newest.id],
  );
}

/** Records that the AI agent's sign of typing marks a message. A mark that waits is not needed. */
export async function noteMarked(tx: Tx, turnId: number): Promise<void> {
  await tx.manager.query(
    `UPDATE conversations v JOIN agent_turns t ON t.conversation_id = v.id
        SET v.seen_message_id = t.watermark, v.seen_due_at = NULL
      WHERE t.id = ? AND t.account_id = ? AND COALESCE(v.seen_message_id, 0) <= t.watermark`,
    [turnId, tx.actor.accountId],
  );
}

/**
 * Takes marks that are due, of all accounts. A mark is taken before its call, so that a crash loses
 * the mark and never repeats the call. The mark of a later message covers it.
 */
export async function claimReadMarks(tx: Tx, limit: number): Promise<ClaimedMark[]> {
  const rows = await tx.manager.query<ClaimedMark[]>(
    `SELECT id AS conversationId, account_id AS accountId, seen_message_id AS messageId
       FROM conversations FORCE INDEX (conversations_seen_due)
      WHERE seen_due_at <= ? ORDER BY seen_due_at, id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [tx.now, limit],
  );
  const claimed = rows.map(({ conversationId, accountId, messageId }) => ({
    conversationId: Number(conversationId),
    accountId: Number(accountId),
    messageId: Number(messageId),
  }));
  if (claimed.length === 0) return [];
  const ids = claimed.map(({ conversationId }) => conversationId);
  await tx.manager.update(Conversation, { id: In(ids) }, { seenDueAt: null });
  return claimed;
}

/** Finds a mark that waits, as a subquery. */
export const waitingMarkSql = `SELECT 1 FROM conversations FORCE INDEX (conversations_seen_due)
    WHERE seen_due_at IS NOT NULL`;

/** Finds the message to mark. The result is null where the channel can send nothing by now. */
export async function readMark(tx: Tx, mark: ClaimedMark): Promise<NetworkMessage | null> {
  return await findNetworkMessage(
    tx,
    `FROM conversations v
       JOIN channel_accounts c ON c.id = v.channel_account_id
       JOIN message_provider_ids p ON p.message_id = ? AND p.channel_account_id = c.id
      WHERE v.id = ? AND v.account_id = ? AND c.marks_read = 1`,
    [mark.messageId, mark.conversationId, tx.actor.accountId],
  );
}
