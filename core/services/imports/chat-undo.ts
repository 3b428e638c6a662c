import { In } from "typeorm";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import { requestMediaDeletion } from "../media/media-requests.ts";
import { recordChange } from "../outbox/changes.ts";
import { placeholders } from "../sql.ts";
import type { ImportJob } from "./import-kind.ts";

/** Conversation that the first row of a chat has created, as `before_values` keeps it. */
interface CreatedConversation {
  /** Id of the conversation. */
  conversation: number;
  /** True for a contact that did not exist before. */
  contact: boolean;
}

/** Takes back messages of a chat, the last one first. Messages that are gone already stay gone. */
export async function undoChatRows(tx: Tx, job: ImportJob, rows: ImportRow[]): Promise<void> {
  const { conversations, messageIds } = await lockMessages(
    tx,
    rows.flatMap(({ messageId }) => messageId ?? []),
  );
  if (messageIds.length > 0) {
    await deleteFiles(tx, messageIds);
    await tx.manager.query(
      `DELETE FROM messages WHERE account_id = ? AND imported = 1
          AND id IN (${placeholders(messageIds)})`,
      [tx.actor.accountId, ...messageIds],
    );
  }
  for (const conversation of conversations) await showNewest(tx, conversation);
  await tx.manager.query(
    `UPDATE import_rows SET state = 'undone'
      WHERE import_id = ? AND number IN (${placeholders(rows)})`,
    [job.id, ...rows.map(({ number }) => number)],
  );
  for (const { beforeValues, contactId } of rows) {
    if (beforeValues === null) continue;
    await deleteCreated(tx, beforeValues as CreatedConversation, contactId);
  }
}

/**
 * Locks the conversations of the messages in the order of their ids, after their contacts, as
 * everywhere. The chat has several where a newer one was opened between two batches.
 * @returns the conversations, and those of the messages that are in them
 */
async function lockMessages(
  tx: Tx,
  ids: readonly number[],
): Promise<{ conversations: Conversation[]; messageIds: number[] }> {
  if (ids.length === 0) return { conversations: [], messageIds: [] };
  const { accountId } = tx.actor;
  const found = await tx.manager.query<{ id: number; conversationId: number; contactId: number }[]>(
    `SELECT id, conversation_id AS conversationId, contact_id AS contactId FROM messages
      WHERE account_id = ? AND id IN (${placeholders(ids)})`,
    [accountId, ...ids],
  );
  if (found.length === 0) return { conversations: [], messageIds: [] };
  const contactIds = [...new Set(found.map(({ contactId }) => Number(contactId)))];
  await tx.manager.query(
    `SELECT id FROM contacts WHERE id IN (${placeholders(contactIds)}) ORDER BY id FOR UPDATE`,
    contactIds,
  );
  const conversationIds = [...new Set(found.map(({ conversationId }) => Number(conversationId)))];
  const conversations = await tx.manager.find(Conversation, {
    where: { id: In(conversationIds), accountId },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  const locked = new Set(conversations.map(({ id }) => id));
  const own = found.filter(({ conversationId }) => locked.has(Number(conversationId)));
  return { conversations, messageIds: own.map(({ id }) => Number(id)) };
}

/** A stored file goes by a run of its own, after which nothing names it. */
async function deleteFiles(tx: Tx, messageIds: readonly number[]): Promise<void> {
  const { accountId } = tx.actor;
  const ofMessages = `account_id = ? AND message_id IN (${placeholders(messageIds)})`;
  const values = [accountId, ...messageIds];
  const stored = await tx.manager.query<{ messageId: number }[]>(
    `SELECT message_id AS messageId FROM message_media
      WHERE ${ofMessages} AND storage_key IS NOT NULL`,
    values,
  );
  await tx.manager.query(
    `DELETE FROM message_media WHERE ${ofMessages} AND storage_key IS NULL`,
    values,
  );
  await tx.manager.query(
    `UPDATE message_media SET state = 'erased', reason = NULL, filename = NULL, updated_at = ?
      WHERE ${ofMessages}`,
    [tx.now, ...values],
  );
  for (const { messageId } of stored) await requestMediaDeletion(tx, Number(messageId));
}

/** Gives a conversation the place in lists that its newest message has. */
async function showNewest(tx: Tx, conversation: Conversation): Promise<void> {
  const { id, contactId, lastMessageId, createdAt } = conversation;
  if (lastMessageId !== null && !(await exists(tx, "messages WHERE id = ?", [lastMessageId]))) {
    const [newest] = await tx.manager.query<{ id: number; createdAt: Date }[]>(
      `SELECT id, created_at AS createdAt FROM messages FORCE INDEX (messages_thread)
        WHERE conversation_id = ? ORDER BY created_at DESC, id DESC LIMIT 1`,
      [id],
    );
    const lastMessageAt = newest?.createdAt ?? null;
    await tx.manager.update(Conversation, id, {
      lastMessageId: newest === undefined ? null : Number(newest.id),
      lastMessageAt,
      sortAt: lastMessageAt ?? createdAt,
    });
  }
  await recordChange(tx, { kind: "conversation.updated", conversationId: id, contactId });
}

async function exists(tx: Tx, from: string, values: unknown[]): Promise<boolean> {
  const rows = await tx.manager.query<unknown[]>(`SELECT 1 FROM ${from} LIMIT 1`, values);
  return rows.length > 0;
}

/** Rows that keep a conversation: the first two by its id alone, the others by its contact too. */
const conversationTies = ["messages", "conversation_notes"] as const;
const placeTies = ["contact_stages", "appointments"] as const;
/** Rows that keep a contact. */
const contactTies = [
  "conversations",
  "appointments",
  "contact_tags",
  "contact_stages",
  "contact_placements",
  "contact_identities",
  "widget_sessions",
] as const;

/**
 * Deletes the conversation that the import created, unless somebody has used it since.
 * @param chatContactId contact of the row. After a merge the conversation has another contact.
 */
async function deleteCreated(
  tx: Tx,
  created: CreatedConversation,
  chatContactId: number | null,
): Promise<void> {
  const { accountId } = tx.actor;
  const conversation = await tx.manager.findOne(Conversation, {
    where: { id: created.conversation, accountId, version: 1, status: "resolved" },
    lock: { mode: "pessimistic_write" },
  });
  if (conversation === null || conversation.assignedToUserId !== null) return;
  for (const table of conversationTies) {
    if (await exists(tx, `${table} WHERE conversation_id = ?`, [conversation.id])) return;
  }
  const { id, contactId } = conversation;
  for (const table of placeTies) {
    const from = `${table} WHERE contact_id = ? AND conversation_id = ?`;
    if (await exists(tx, from, [contactId, id])) return;
  }
  await tx.manager.delete(Conversation, { id });
  await recordChange(tx, { kind: "conversation.updated", conversationId: id, contactId });
  if (created.contact && contactId === chatContactId) await deleteContact(tx, contactId);
}

async function deleteContact(tx: Tx, id: number): Promise<void> {
  for (const table of contactTies) {
    if (await exists(tx, `${table} WHERE contact_id = ?`, [id])) return;
  }
  const merged =
    "contacts FORCE INDEX (contacts_newest) WHERE account_id = ? AND merged_into_id = ?";
  if (await exists(tx, merged, [tx.actor.accountId, id])) return;
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    "DELETE FROM contacts WHERE id = ? AND account_id = ? AND version = 1 AND source = 'import'",
    [id, tx.actor.accountId],
  );
  if (affectedRows > 0) await recordChange(tx, { kind: "contact.updated", contactId: id });
}
