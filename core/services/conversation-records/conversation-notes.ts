import { ConversationNote, type Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import { maxMentions, mentionedUserIds, type NoteKind } from "../../model/note.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { notifyOfMentions } from "../notifications/personal-notifications.ts";
import { recordChange } from "../outbox/changes.ts";
import { actingUserId } from "../accounts/actor.ts";
import { getConversationRow, idsOfConversation, lockConversation } from "./conversation-records.ts";
import { findPage, insertRow, placeholders } from "../sql.ts";

/** A note before it has an id. */
export interface NoteRecord {
  kind: NoteKind;
  text?: string | null;
  params?: Record<string, string | number | null> | null;
  /** The note's id in the writer's system. */
  externalId?: string | null;
  /** The writer, where it is not the actor. */
  userId?: number | null;
}

/** Writes a note into a conversation. */
export async function recordNote(
  tx: Tx,
  conversation: Conversation,
  { kind, text = null, params = null, externalId = null, userId }: NoteRecord,
): Promise<ConversationNote> {
  const row = tx.manager.create(ConversationNote, {
    accountId: tx.actor.accountId,
    conversationId: conversation.id,
    kind,
    text,
    params,
    userId: userId === undefined ? actingUserId(tx.actor) : userId,
    externalId,
    createdAt: tx.now,
  });
  row.id = await insertRow(tx, ConversationNote, row);
  await recordChange(tx, { kind: "note.created", ...idsOfConversation(conversation) });
  return row;
}

/** Notes of people and notes about changes, newest first. */
export async function listNotes(
  tx: Tx,
  conversationId: number,
  page: PageBounds,
): Promise<Page<ConversationNote>> {
  await getConversationRow(tx, conversationId);
  return await findPage(tx, ConversationNote, page, {
    where: { conversationId },
    order: { id: "DESC" },
  });
}

/**
 * Writes a person's note, which the customer never sees, and notifies the members whom the text
 * names as `@[42]`. If the conversation has a note with this `external_id`, returns that note.
 * @throws AppError `validation_error` with `unknown_user` for a mention of anyone who cannot log in
 * to the account, and `too_many_mentions`.
 */
export async function addNote(
  tx: Tx,
  conversationId: number,
  { text, external_id: externalId }: { text: string; external_id?: string | undefined },
): Promise<{ row: ConversationNote; created: boolean }> {
  const conversation = await lockConversation(tx, conversationId);
  if (externalId !== undefined) {
    const known = await tx.manager.findOneBy(ConversationNote, { conversationId, externalId });
    if (known !== null) return { row: known, created: false };
  }
  const userIds = mentionedUserIds(text);
  await requireMembers(tx, userIds);
  const note = { kind: "note", text, externalId: externalId ?? null } as const;
  const row = await recordNote(tx, conversation, note);
  await notifyOfMentions(tx, conversation, { noteId: row.id, userIds });
  return { row, created: true };
}

async function requireMembers(tx: Tx, userIds: number[]): Promise<void> {
  if (userIds.length === 0) return;
  if (userIds.length > maxMentions) {
    const message = `A note names at most ${maxMentions} people.`;
    throw invalidField("body.text", "too_many_mentions", message);
  }
  const { accountId } = tx.actor;
  const members = await tx.manager.query<{ id: number }[]>(
    `SELECT u.id FROM memberships m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
      WHERE m.account_id = ? AND m.disabled_at IS NULL AND m.user_id IN (${placeholders(userIds)})`,
    [accountId, ...userIds],
  );
  if (members.length === userIds.length) return;
  throw invalidField("body.text", "unknown_user", "Mention members of this account only.");
}

/** A note in the Dashboard's API. */
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
