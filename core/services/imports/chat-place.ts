import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { phoneKey } from "../../model/contact.ts";
import type { ChatMapping } from "../../model/import.ts";
import { findIdentity } from "../contacts/contact-identities.ts";
import { insertContact } from "../contacts/contact-changes.ts";
import { findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { applyPlacements } from "../conversations/contact-placements.ts";
import {
  getWhatsAppChannel,
  insertConversationRow,
  lockContactByPhone,
} from "../conversations/conversations.ts";
import { recordChange } from "../outbox/changes.ts";

/** Conversation of a chat. */
export interface ChatPlace {
  conversation: Conversation;
  /** True where this call has created it. */
  createdContact: boolean;
  createdConversation: boolean;
}

/** Ids of the contact and the conversation of a chat, as far as they exist. */
export async function findChatPlace(
  tx: Tx,
  { contact: { phone } }: ChatMapping,
): Promise<{ contactId: number | null; conversationId: number | null }> {
  const channel = await getWhatsAppChannel(tx);
  const identity = await findIdentity(tx, channel, phone);
  const contactId = identity?.contactId ?? (await findContactIdByPhone(tx, phone));
  if (contactId === null) return { contactId, conversationId: null };
  const newest = await tx.manager.findOne(Conversation, {
    select: { id: true },
    where: whatsAppOf(tx, contactId),
    order: { id: "DESC" },
  });
  return { contactId, conversationId: newest?.id ?? null };
}

/**
 * The newest WhatsApp conversation of the contact of a chat, locked. A missing contact and a missing
 * conversation are created without an event. The conversation is then resolved: nobody waits. It
 * takes the imported notes and stages that waited for it.
 */
export async function lockChatPlace(tx: Tx, { contact }: ChatMapping): Promise<ChatPlace> {
  const channel = await getWhatsAppChannel(tx);
  const { known } = await lockContactByPhone(tx, [channel], contact.phone);
  const record = known ?? (await insertChatContact(tx, contact));
  const newest = await tx.manager.findOne(Conversation, {
    where: whatsAppOf(tx, record.row.id),
    order: { id: "DESC" },
    lock: { mode: "pessimistic_write" },
  });
  const facts = { status: "resolved" as const };
  const party = { channel, customerExternalId: contact.phone };
  const conversation = newest ?? (await insertConversationRow(tx, record.row.id, party, facts));
  if (newest === null) {
    await applyPlacements(tx, conversation);
    const ids = { conversationId: conversation.id, contactId: record.row.id };
    await recordChange(tx, { kind: "conversation.created", ...ids });
  }
  return { conversation, createdContact: known === null, createdConversation: newest === null };
}

function whatsAppOf({ actor: { accountId } }: Tx, contactId: number) {
  return { accountId, contactId, channel: "whatsapp" as const };
}

async function insertChatContact(tx: Tx, { name, phone }: ChatMapping["contact"]) {
  return await insertContact(tx, { name, phone, phoneKey: phoneKey(phone), email: null });
}
