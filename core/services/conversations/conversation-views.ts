import { In } from "typeorm";
import { Contact } from "../../../db/entities/contact.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { messagingWindow } from "../../model/message.ts";
import type { ConversationRow, ConversationView } from "../../model/conversation.ts";
import { presentReferral } from "../../model/referral.ts";
import { loadRecord, presentContact } from "../contacts/contact-records.ts";
import { findNewestStage } from "../pipelines/contact-stages.ts";
import { getChannelAccount } from "../conversation-records/conversation-records.ts";

/** View of a conversation in lists. */
export function presentConversationRow(row: Conversation): ConversationRow {
  return {
    id: row.id,
    contact_id: row.contactId,
    channel: row.channel,
    status: row.status,
    bot_enabled: row.botEnabled,
    assigned_to_user_id: row.assignedToUserId,
    last_message_at: row.sortAt.toISOString(),
    created_at: row.createdAt.toISOString(),
  };
}

/** View of one conversation, with its contact. */
export async function presentConversation(tx: Tx, row: Conversation): Promise<ConversationView> {
  const contact = await tx.manager.findOneByOrFail(Contact, { id: row.contactId });
  const { driver, humanAgent } = await getChannelAccount(tx, row.channelAccountId);
  const { channel, lastCustomerMessageAt } = row;
  return {
    ...presentConversationRow(row),
    updated_at: row.updatedAt.toISOString(),
    contact: presentContact(await loadRecord(tx, contact)),
    handoff: presentHandoff(row),
    stage: await findNewestStage(tx, row.contactId),
    referral: presentReferral(row.referral),
    messaging_window: messagingWindow(
      { channel, driver, humanAgent, lastCustomerMessageAt },
      tx.now,
    ),
  };
}

function presentHandoff(row: Conversation): ConversationView["handoff"] {
  const { handoffAt: at, handoffSource: source } = row;
  if (at === null || source === null) return null;
  return {
    reason: row.handoffReason,
    source,
    actor_user_id: row.handoffActorUserId,
    at: at.toISOString(),
  };
}

/** The contacts of these conversations, by id. */
export async function loadContactsOf(tx: Tx, rows: Conversation[]): Promise<Map<number, Contact>> {
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map(({ contactId }) => contactId))];
  const contacts = await tx.manager.findBy(Contact, { id: In(ids) });
  return new Map(contacts.map((contact) => [contact.id, contact]));
}
