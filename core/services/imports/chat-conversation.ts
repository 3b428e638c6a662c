import { In, type FindOptionsWhere } from "typeorm";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { phoneKey, phoneVariants } from "../../model/contact.ts";
import type { ChatMapping } from "../../model/import.ts";
import { findIdentity } from "../contacts/contact-identities.ts";
import { insertContact } from "../contacts/contact-changes.ts";
import { findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { applyPlacements } from "../pipelines/contact-placements.ts";
import {
  getWhatsAppChannel,
  insertConversationRow,
  lockContactByPhone,
} from "../conversations/conversations.ts";
import { recordChange } from "../outbox/changes.ts";

/** Conversation of a chat. */
export interface ChatConversation {
  conversation: Conversation;
  /** True where this call has created it. */
  createdContact: boolean;
  createdConversation: boolean;
}

/** Id of the contact of a chat; null before there is one. */
export async function findChatContactId(
  tx: Tx,
  { contact: { phone } }: ChatMapping,
): Promise<number | null> {
  const channel = await getWhatsAppChannel(tx);
  const identity = await findIdentity(tx, channel, phone);
  return identity?.contactId ?? (await findContactIdByPhone(tx, phone));
}

/**
 * The newest WhatsApp conversation with the phone of a chat, locked. Without one, the contact's
 * newest one: a merged contact may have conversations with several phones. A missing contact and a
 * missing conversation are created without an event. The conversation is then resolved: nobody
 * waits. It takes the imported notes and stages that waited for it.
 */
export async function lockOrOpenChatConversation(
  tx: Tx,
  { contact }: ChatMapping,
): Promise<ChatConversation> {
  const channel = await getWhatsAppChannel(tx);
  const { known } = await lockContactByPhone(tx, [channel], contact.phone);
  const record = known ?? (await insertChatContact(tx, contact));
  const withPhone = { customerExternalId: In(phoneVariants(contact.phone)) };
  const newest =
    (await lockNewest(tx, record.row.id, withPhone)) ?? (await lockNewest(tx, record.row.id));
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

async function lockNewest(
  tx: Tx,
  contactId: number,
  filter: FindOptionsWhere<Conversation> = {},
): Promise<Conversation | null> {
  const { accountId } = tx.actor;
  return await tx.manager.findOne(Conversation, {
    where: { ...filter, accountId, contactId, channel: "whatsapp" },
    order: { id: "DESC" },
    lock: { mode: "pessimistic_write" },
  });
}

async function insertChatContact(tx: Tx, { name, phone }: ChatMapping["contact"]) {
  return await insertContact(tx, { name, phone, phoneKey: phoneKey(phone), email: null });
}
