import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { recordChange } from "../outbox/changes.ts";
import { outdateDraft } from "./agent-wakeups.ts";
import { eraseAttachments } from "./attachments.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { lockConversation } from "../conversation-records/conversation-records.ts";
import { idsOf } from "./message-records.ts";

/**
 * Sets, replaces or removes the customer's reaction to a message. The row stays after a removal, so
 * that an earlier reaction that arrives late has no effect. Nobody is woken.
 */
export async function setReaction(
  tx: Tx,
  messageId: number,
  { emoji, at }: { emoji: string | null; at: Date },
): Promise<Message> {
  const message = await lockForChange(tx, messageId);
  const [known] = await tx.manager.query<{ acted_at: Date }[]>(
    "SELECT acted_at FROM message_reactions WHERE message_id = ?",
    [message.id],
  );
  // WhatsApp's times are in seconds. Within one, the order of arrival counts.
  if (known !== undefined && known.acted_at > at) return message;
  await tx.manager.query(
    `INSERT INTO message_reactions
       (account_id, message_id, conversation_id, emoji, created_at, acted_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON DUPLICATE KEY UPDATE emoji = VALUES(emoji), acted_at = VALUES(acted_at)`,
    [message.accountId, message.id, message.conversationId, emoji, tx.now, at],
  );
  await recordChange(tx, { kind: "message.updated", ...idsOf(message) });
  return message;
}

/** Changes the text of a message. The text before is kept in a note. */
export async function editMessage(
  tx: Tx,
  messageId: number,
  { text, at }: { text: string; at: Date },
): Promise<Message> {
  const message = await lockForChange(tx, messageId);
  // A later edit has come first, or the sender has taken the message back.
  if (message.deletedAt !== null || (message.editedAt !== null && message.editedAt >= at)) {
    return message;
  }
  if (message.content === text) return message;
  const conversation = await lockConversation(tx, message.conversationId);
  await recordNote(tx, conversation, {
    kind: "message_edited",
    text: message.content,
    params: { message_id: message.id },
  });
  // A choice by its number is in the text, so another text is no such choice.
  const choice = message.direction === "inbound" ? { interactive: null } : {};
  await change(tx, message, { content: text, editedAt: at, ...choice });
  if (message.direction === "inbound") await outdateDraft(tx, conversation.id);
  return message;
}

/** Deletes the content of a message that its sender has taken back. The row stays. */
export async function revokeMessage(tx: Tx, messageId: number, at: Date): Promise<Message> {
  const message = await lockForChange(tx, messageId);
  if (message.deletedAt !== null) return message;
  const nothing = { content: null, media: null, interactive: null, referral: null, raw: null };
  await change(tx, message, { ...nothing, attachmentCount: 0, deletedAt: at });
  await eraseAttachments(tx, message.id);
  // An earlier text is part of the message.
  await tx.manager.query(
    `DELETE FROM conversation_notes
      WHERE conversation_id = ? AND kind = 'message_edited' AND params->'$.message_id' = ?`,
    [message.conversationId, message.id],
  );
  await outdateDraft(tx, message.conversationId);
  return message;
}

/** The conversation is locked first, as everywhere. */
async function lockForChange(tx: Tx, id: number): Promise<Message> {
  const { accountId } = tx.actor;
  const { conversationId } = await tx.manager.findOneByOrFail(Message, { id, accountId });
  await lockConversation(tx, conversationId);
  return await tx.manager.findOneOrFail(Message, {
    where: { id, accountId },
    lock: { mode: "pessimistic_write" },
  });
}

async function change(tx: Tx, message: Message, columns: Partial<Message>): Promise<void> {
  const changed = { ...columns, updatedAt: tx.now };
  Object.assign(message, changed);
  await tx.manager.update(Message, message.id, changed);
  await recordChange(tx, { kind: "message.updated", ...idsOf(message) });
}
