import { ConversationNote, type Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { NoteKind } from "../../model/note.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { recordChange } from "../outbox/changes.ts";
import { actingUserId } from "../accounts/actor.ts";
import { getConversationRow, idsOfConversation, lockConversation } from "./conversation-records.ts";
import { findPage, insertRow } from "../sql.ts";

/** A note before it has an id. */
export interface NoteRecord {
  kind: NoteKind;
  text?: string | null;
  params?: Record<string, string | number | null> | null;
  /** The note's id in the writer's system. */
  externalId?: string | null;
}

/** Writes a note into a conversation. */
export async function recordNote(
  tx: Tx,
  conversation: Conversation,
  { kind, text = null, params = null, externalId = null }: NoteRecord,
): Promise<ConversationNote> {
  const row = tx.manager.create(ConversationNote, {
    accountId: tx.actor.accountId,
    conversationId: conversation.id,
    kind,
    text,
    params,
    userId: actingUserId(tx.actor),
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
 * Writes a person's note, which the customer never sees. If the conversation has a note with this
 * `external_id`, returns that note.
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
  const note = { kind: "note", text, externalId: externalId ?? null } as const;
  return { row: await recordNote(tx, conversation, note), created: true };
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
