import { ConversationNote } from "../../db/entities/conversation.ts";
import type { Tx } from "../../db/transaction.ts";
import { recordChange } from "./changes.ts";
import { actingUserId } from "./actor.ts";
import { insertRow } from "./sql.ts";

/** What the inbox shows between messages. `note` is a person's; the others tell what happened. */
export const noteKinds = [
  "note",
  "handed_off",
  "bot_enabled",
  "status_changed",
  "assigned",
  "handoff_reminder",
  "handoff_escalated",
] as const;
export type NoteKind = (typeof noteKinds)[number];

/** A note before it has an id. */
export interface NoteRecord {
  conversationId: number;
  kind: NoteKind;
  text?: string | null;
  params?: Record<string, string | number | null> | null;
}

/** Writes a note into a conversation. */
export async function recordNote(tx: Tx, record: NoteRecord): Promise<ConversationNote> {
  const { conversationId, kind, text = null, params = null } = record;
  const row = tx.manager.create(ConversationNote, {
    accountId: tx.actor.accountId,
    conversationId,
    kind,
    text,
    params,
    userId: actingUserId(tx.actor),
    createdAt: tx.now,
  });
  row.id = await insertRow(tx, ConversationNote, row);
  await recordChange(tx, { kind: "note.created", conversationId });
  return row;
}
