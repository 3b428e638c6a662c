import { LessThan, MoreThan, Not, IsNull } from "typeorm";
import { Appointment } from "../../../db/entities/appointment.ts";
import { Conversation, ConversationNote } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MessageView } from "../../model/message.ts";
import { presentAppointments } from "../appointments/appointment-views.ts";
import { getContact } from "../contacts/contacts.ts";
import { presentNote } from "../conversation-records/conversation-notes.ts";
import { presentMessages } from "../conversations/message-views.ts";
import { presentContactCard } from "../read-models/contact-card.ts";

/** Rows that one read of an archive returns. */
const readSize = 500;

/** A conversation as the archive of a contact begins it. Its messages follow. */
export interface ArchivedConversation {
  id: number;
  channel: string;
  status: string;
  created_at: string;
  notes: ReturnType<typeof presentNote>[];
}

/**
 * All about a contact except the messages.
 * @throws AppError `contact_not_found`
 */
export async function readContactHead(tx: Tx, contactId: number) {
  const contact = await presentContactCard(tx, await getContact(tx, contactId));
  const own = { accountId: tx.actor.accountId, contactId };
  const appointments = await tx.manager.find(Appointment, {
    where: own,
    order: { startTime: "ASC", id: "ASC" },
  });
  const conversations = await tx.manager.find(Conversation, {
    select: { id: true },
    where: own,
    order: { id: "ASC" },
  });
  return {
    contact,
    appointments: await presentAppointments(tx, appointments),
    conversationIds: conversations.map(({ id }) => id),
  };
}

/** The facts and notes of a conversation; null once it is gone. */
export async function readArchivedConversation(
  tx: Tx,
  id: number,
): Promise<ArchivedConversation | null> {
  const row = await tx.manager.findOneBy(Conversation, { id, accountId: tx.actor.accountId });
  if (row === null) return null;
  const notes = await tx.manager.find(ConversationNote, {
    where: { conversationId: id },
    order: { id: "ASC" },
  });
  const { channel, status, createdAt } = row;
  const facts = { id, channel, status, created_at: createdAt.toISOString() };
  return { ...facts, notes: notes.map(presentNote) };
}

/** A page of the messages of a conversation by id, without links to files. */
export async function readArchivedMessages(
  tx: Tx,
  conversationId: number,
  after: number,
): Promise<{ messages: MessageView[]; next: number | null }> {
  const rows = await tx.manager.find(Message, {
    where: { accountId: tx.actor.accountId, conversationId, id: MoreThan(after) },
    order: { id: "ASC" },
    take: readSize,
  });
  const next = rows.length < readSize ? null : (rows.at(-1)?.id ?? null);
  return { messages: await presentMessages(tx, rows), next };
}

/** A stored file of a contact. */
export interface ArchivedFile {
  id: number;
  messageId: number;
  key: string;
  filename: string | null;
  mime: string;
}

/** A page of the stored files of a contact, newest first. */
export async function readArchivedFiles(
  tx: Tx,
  contactId: number,
  before: number | null,
): Promise<ArchivedFile[]> {
  const rows = await tx.manager.find(MessageMedia, {
    where: {
      accountId: tx.actor.accountId,
      contactId,
      state: "ready",
      storageKey: Not(IsNull()),
      ...(before === null ? {} : { id: LessThan(before) }),
    },
    order: { id: "DESC" },
    take: readSize,
  });
  return rows.map(({ id, messageId, storageKey, filename, mime }) => {
    return { id, messageId, key: storageKey ?? "", filename, mime: mime ?? "" };
  });
}
