import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { recordChange } from "../outbox/changes.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";

/**
 * Replaces the shown reason, for a bot call that changes nothing else (rule C31). Does nothing if
 * the reason is the same. User, source and time of the handoff stay. Publishes no event.
 * @param row locked; it is changed in place.
 */
export async function replaceReason(tx: Tx, row: Conversation, reason: string): Promise<void> {
  if (reason === (await findShownReason(tx, row.id))) return;
  const columns = { updatedAt: tx.now, version: row.version + 1 };
  const handoff = row.status === "handed_off" ? { handoffReason: reason } : {};
  Object.assign(row, columns, handoff);
  await tx.manager.update(Conversation, row.id, { ...columns, ...handoff });
  await recordNote(tx, row, { kind: "bot_reason", text: reason });
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
}

/** The reason that the thread shows for the agent's current state, or null. */
async function findShownReason(tx: Tx, conversationId: number): Promise<string | null> {
  const [note] = await tx.manager.query<{ text: string | null }[]>(
    `SELECT text FROM conversation_notes FORCE INDEX (conversation_notes_conversation)
      WHERE conversation_id = ? AND kind IN ('handed_off', 'bot_enabled', 'bot_reason')
      ORDER BY id DESC LIMIT 1`,
    [conversationId],
  );
  return note?.text ?? null;
}
