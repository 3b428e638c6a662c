import { In } from "typeorm";
import type { Contact } from "../../../db/entities/contact.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { contentPreview } from "../../model/message.ts";
import { contactName } from "../contacts/contact-records.ts";
import {
  loadContactsOf,
  presentConversation,
  presentConversationRow,
} from "../conversations/conversation-records.ts";

/**
 * Rows of the inbox: the conversation with its contact, last message and number of unread messages.
 */
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
    answered_by_user_id: row.answeredByUserId,
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

/** The conversation that the inbox shows beside its messages. */
export async function presentInboxConversation(tx: Tx, row: Conversation) {
  return {
    ...(await presentConversation(tx, row)),
    unread_count: row.unreadCount,
    answered_by_user_id: row.answeredByUserId,
  };
}
