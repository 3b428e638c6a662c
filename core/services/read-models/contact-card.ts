import { ContactIdentity } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { presentContact, type ContactRecord } from "../contacts/contact-records.ts";
import { listContactStages } from "../pipelines/contact-stages.ts";
import { listConversations } from "./conversation-list.ts";
import { presentConversationRow } from "../conversations/conversation-views.ts";

const maxConversations = 100;

/**
 * Contact page of the Dashboard: the contact with its identities, stages and conversations, newest
 * first.
 */
export async function presentContactCard(tx: Tx, record: ContactRecord) {
  const { row, identities } = record;
  const page = { limit: maxConversations, offset: 0 };
  const { rows } = await listConversations(tx, { contact_id: row.id, ...page });
  return {
    ...presentContact(record),
    has_name: row.name !== null,
    instagram_id: identities.instagram_id,
    facebook_id: identities.facebook_id,
    source: row.source,
    identities: await listIdentities(tx, row.id),
    stages: (await listContactStages(tx, row.id)).map(({ moved_at: movedAt, ...stage }) => {
      return { ...stage, moved_at: movedAt.toISOString() };
    }),
    conversations: rows.map(presentConversationRow).map((one) => ({
      id: one.id,
      channel: one.channel,
      status: one.status,
      last_message_at: one.last_message_at,
    })),
  };
}

async function listIdentities(tx: Tx, contactId: number) {
  const { accountId } = tx.actor;
  const rows = await tx.manager.find(ContactIdentity, {
    where: { accountId, contactId },
    order: { id: "DESC" },
  });
  return rows.map(({ id, channel, externalId, createdAt }) => {
    return { id, channel, external_id: externalId, created_at: createdAt.toISOString() };
  });
}
