import { In } from "typeorm";
import { AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { Contact } from "../../../db/entities/contact.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isSnoozed } from "../../model/inbox-queue.ts";
import { contentPreview } from "../../model/message.ts";
import { findOpenDraft } from "../agent/drafts.ts";
import { contactName } from "../contacts/contact-records.ts";
import { loadStagesOf } from "../pipelines/contact-stages.ts";
import { getChannelAccount } from "../conversation-records/conversation-records.ts";
import {
  loadContactsOf,
  presentConversation,
  presentConversationRow,
} from "../conversations/conversation-views.ts";
import { placeholders } from "../sql.ts";

/**
 * Rows of the inbox: the conversation with its contact, last message and number of unread messages.
 */
export async function presentInboxRows(tx: Tx, rows: Conversation[]) {
  const contacts = await loadContactsOf(tx, rows);
  const lastIds = rows.map(({ lastMessageId }) => lastMessageId).filter((id) => id !== null);
  const last = await tx.manager.findBy(Message, { id: In(lastIds) });
  const contactIds = [...new Set(rows.map(({ contactId }) => contactId))];
  const stages = await loadStagesOf(tx, contactIds);
  const tags = await loadFirstTagsOf(tx, contactIds);
  const lastById = new Map(last.map((message) => [message.id, message]));
  return rows.map((row) => ({
    ...presentConversationRow(row),
    contact: presentParty(contacts.get(row.contactId)),
    handoff_at: row.handoffAt?.toISOString() ?? null,
    ...presentQueue(row, tx.now),
    stage: stages.get(row.contactId) ?? null,
    tag: tags.get(row.contactId) ?? null,
    last_message: presentLast(lastById.get(row.lastMessageId ?? 0)),
  }));
}

/** Place in the queue, as the list of the inbox and an open conversation show it. */
function presentQueue(row: Conversation, now: Date) {
  const isAsleep = isSnoozed(row, now);
  return {
    unread_count: row.unreadCount,
    answered_by_user_id: row.answeredByUserId,
    customer_waits_since: row.customerWaitsSince?.toISOString() ?? null,
    snoozed_until: isAsleep ? (row.snoozedUntil?.toISOString() ?? null) : null,
    snoozed_by_user_id: isAsleep ? row.snoozedByUserId : null,
    spoke_last: lastSpeaker(row),
  };
}

function lastSpeaker({ customerWaitsSince, lastMessageId }: Conversation) {
  if (customerWaitsSince !== null) return "customer" as const;
  return lastMessageId === null ? null : ("us" as const);
}

/** The first tag of each contact that has any. */
async function loadFirstTagsOf(tx: Tx, contactIds: number[]): Promise<Map<number, string>> {
  if (contactIds.length === 0) return new Map();
  const rows = await tx.manager.query<{ contact_id: number; tag: string }[]>(
    `SELECT contact_id, tag FROM contact_tags WHERE contact_id IN (${placeholders(contactIds)})
      ORDER BY created_at DESC, tag DESC`,
    contactIds,
  );
  return new Map(rows.map((row) => [row.contact_id, row.tag]));
}

function presentParty(contact: Contact | undefined) {
  return contact === undefined ? null : { id: contact.id, name: contactName(contact) };
}

function presentLast(message: Message | undefined) {
  if (message === undefined) return null;
  const { id, direction, type, status, senderType } = message;
  return {
    id,
    direction,
    type,
    status,
    sender_type: senderType,
    sender_user_id: message.senderUserId,
    preview: contentPreview(message),
  };
}

/** The conversation that the inbox shows beside its messages. */
export async function presentInboxConversation(tx: Tx, row: Conversation) {
  const { driver } = await getChannelAccount(tx, row.channelAccountId);
  return {
    ...(await presentConversation(tx, row)),
    driver,
    ...presentQueue(row, tx.now),
    ...(await presentOpenTurn(tx, row)),
    agent_draft: await findOpenDraft(tx, row),
  };
}

/** A unique key finds the open turn, so the answer costs one look at an index. */
async function presentOpenTurn(tx: Tx, { id }: Conversation) {
  const turn = await tx.manager.findOneBy(AgentTurn, { openConversationId: id });
  return { agent_writing: turn?.mode === "live", agent_drafting: turn?.mode === "draft" };
}
