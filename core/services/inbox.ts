import { In } from "typeorm";
import type { Contact } from "../../db/entities/contact.ts";
import { ConversationNote, type Conversation } from "../../db/entities/conversation.ts";
import { Message } from "../../db/entities/message.ts";
import type { Tx } from "../../db/transaction.ts";
import { contentPreview } from "../model/message.ts";
import { contactName } from "./contact-records.ts";
import {
  findConversation,
  loadContactsOf,
  lockConversation,
  presentConversation,
  presentConversationRow,
} from "./conversation-records.ts";
import { recordNote } from "./conversation-notes.ts";

/** Conversations as the inbox lists them: who it is with, what was last said, what is unseen. */
export async function presentInboxRows(tx: Tx, rows: Conversation[]) {
  const contacts = await loadContactsOf(tx, rows);
  const lastIds = rows.map(({ lastMessageId }) => lastMessageId).filter((id) => id !== null);
  const last = await tx.manager.findBy(Message, { id: In(lastIds) });
  const lastById = new Map(last.map((message) => [message.id, message]));
  return rows.map((row) => ({
    ...presentConversationRow(row),
    contact: presentParty(contacts.get(row.contactId)),
    unread_count: row.unreadCount,
    handoff_at: row.handoffAt?.toISOString() ?? null,
    last_message: presentLast(lastById.get(row.lastMessageId ?? 0)),
  }));
}

function presentParty(contact: Contact | undefined) {
  return contact === undefined ? null : { id: contact.id, name: contactName(contact) };
}

function presentLast(message: Message | undefined) {
  if (message === undefined) return null;
  const { id, direction, status, senderType } = message;
  return { id, direction, status, sender_type: senderType, preview: contentPreview(message) };
}

/** A conversation as the inbox shows it beside its messages. */
export async function presentInboxConversation(tx: Tx, row: Conversation) {
  return { ...(await presentConversation(tx, row)), unread_count: row.unreadCount };
}

/** What people noted and what happened, newest first. */
export async function listNotes(
  tx: Tx,
  conversationId: number,
  page: { limit: number; offset: number },
): Promise<{ rows: ConversationNote[]; total: number }> {
  await findConversation(tx, conversationId);
  const [rows, total] = await tx.manager.findAndCount(ConversationNote, {
    where: { conversationId },
    order: { id: "DESC" },
    take: page.limit,
    skip: page.offset,
  });
  return { rows, total };
}

/** Writes a person's note, which the customer never sees. */
export async function addNote(tx: Tx, conversationId: number, text: string) {
  await lockConversation(tx, conversationId);
  return await recordNote(tx, { conversationId, kind: "note", text });
}

/** A note as the Dashboard reads it. */
export function presentNote(row: ConversationNote) {
  return {
    id: row.id,
    kind: row.kind,
    text: row.text,
    params: row.params,
    user_id: row.userId,
    created_at: row.createdAt.toISOString(),
  };
}
