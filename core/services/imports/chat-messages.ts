import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { AttachmentKind } from "../../model/attachment.ts";
import type { ChatRow } from "../../model/import.ts";
import type { MessageType } from "../../model/message.ts";
import { recordChange } from "../outbox/changes.ts";
import { placeholders } from "../sql.ts";
import type { NumberedMessage } from "./chat-repeats.ts";

/**
 * Reasons of a file of a chat that is not there. `not_stored`: the archive has yet to be read.
 * `not_exported`: the archive lacks the file.
 */
export const chatFileReasons = { waiting: "not_stored", missing: "not_exported" } as const;

/**
 * Inserts messages of a chat in two statements. They get the times of the chat, and nobody is told
 * of them.
 * @param conversation locked, so no other message comes between their ids
 * @returns ids in the order of the messages
 */
export async function insertChatMessages(
  tx: Tx,
  conversation: Conversation,
  messages: readonly NumberedMessage[],
): Promise<number[]> {
  if (messages.length === 0) return [];
  const rows = messages.map(({ raw }) => columnsOf(tx, conversation, raw));
  const { insertId } = await tx.manager.query<{ insertId: number }>(
    `INSERT INTO messages (account_id, conversation_id, contact_id, channel_account_id, channel,
         direction, type, content, sender_type, status, created_at, updated_at, sent_at,
         provider_at, deleted_at, attachment_count, imported)
     VALUES ${rows.map((row) => `(${placeholders(row)})`).join(", ")}`,
    rows.flat(),
  );
  const inserted = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND id >= ? ORDER BY id LIMIT ?`,
    [conversation.id, insertId, messages.length],
  );
  const ids = inserted.map(({ id }) => Number(id));
  await insertFiles(tx, conversation, messages, ids);
  return ids;
}

function columnsOf(tx: Tx, { accountId, ...conversation }: Conversation, raw: ChatRow): unknown[] {
  const at = new Date(raw.at);
  const isInbound = raw.direction === "in";
  return [
    accountId,
    conversation.id,
    conversation.contactId,
    conversation.channelAccountId,
    conversation.channel,
    isInbound ? "inbound" : "outbound",
    typeOf(raw),
    raw.text === "" ? null : raw.text,
    isInbound ? "contact" : "user",
    isInbound ? "received" : "sent",
    at,
    tx.now,
    isInbound ? null : at,
    at,
    raw.kind === "deleted" ? at : null,
    fileKindOf(raw) === null ? 0 : 1,
    true,
  ];
}

function typeOf(raw: ChatRow): MessageType {
  if (raw.kind === "view_once") return "unsupported";
  return fileKindOf(raw) ?? "text";
}

/** Kind of the file of a message, stored or not; null for a message without one. */
function fileKindOf({ kind }: ChatRow): AttachmentKind | null {
  switch (kind) {
    case "text":
    case "deleted":
    case "view_once":
      return null;
    case "omitted":
      return "document";
    case "image":
    case "audio":
    case "video":
    case "document":
    case "sticker":
      return kind;
  }
}

const voiceNote = /\.opus$/iu;

/** Their state is `failed` until the archive has been read, so no run asks a network for them. */
async function insertFiles(
  tx: Tx,
  { accountId, id, contactId, channelAccountId }: Conversation,
  messages: readonly NumberedMessage[],
  ids: readonly number[],
): Promise<void> {
  const rows = messages.flatMap(({ raw }, index) => {
    const kind = fileKindOf(raw);
    if (kind === null) return [];
    const { missing, waiting } = chatFileReasons;
    const reason = raw.file === null ? missing : waiting;
    const place = [accountId, ids[index], id, contactId, channelAccountId, 0];
    const isVoice = voiceNote.test(raw.file ?? "");
    return [[...place, kind, "failed", reason, isVoice, raw.file, tx.now, tx.now]];
  });
  if (rows.length === 0) return;
  await tx.manager.query(
    `INSERT INTO message_media (account_id, message_id, conversation_id, contact_id,
         channel_account_id, position, kind, state, reason, voice, filename, created_at, updated_at)
     VALUES ${rows.map((row) => `(${placeholders(row)})`).join(", ")}`,
    rows.flat(),
  );
}

/**
 * Moves a conversation up in lists where the newest message of the chat is newer than its own.
 * Unread messages, the messaging window and the agent stay as they are.
 */
export async function noteChatMessages(
  tx: Tx,
  conversation: Conversation,
  messages: readonly NumberedMessage[],
  ids: readonly number[],
): Promise<void> {
  let newest = -1;
  for (const [index, { raw }] of messages.entries()) {
    if (newest === -1 || raw.at >= (messages[newest]?.raw.at ?? "")) newest = index;
  }
  const [message, messageId] = [messages[newest], ids[newest]];
  if (message === undefined || messageId === undefined) return;
  const { id: conversationId, contactId, lastMessageAt } = conversation;
  const at = new Date(message.raw.at);
  if (lastMessageAt === null || lastMessageAt < at) {
    const columns = { lastMessageId: messageId, lastMessageAt: at, sortAt: at };
    Object.assign(conversation, columns);
    await tx.manager.update(Conversation, conversationId, columns);
  }
  await recordChange(tx, { kind: "message.created", messageId, conversationId, contactId });
}
