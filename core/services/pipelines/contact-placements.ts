import type { Conversation } from "../../../db/entities/conversation.ts";
import { ContactPlacement, ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { recordChange } from "../outbox/changes.ts";
import { insertRow } from "../sql.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";
import { lockStageShared } from "./move-to-stage.ts";
import { chooseCardPlace } from "./stage-places.ts";

/** `external_id` of the note of an imported row, by which an undo finds the note. */
export function importedNoteId(importId: number, row: number): string {
  return `import-${importId}-${row}`;
}

/**
 * Gives a conversation the imported notes and stages that waited for it. A contact that is in the
 * pipeline already stays. Publishes no event, as imports never do.
 * @param conversation its contact is locked, or new in this transaction.
 */
export async function applyPlacements(tx: Tx, conversation: Conversation): Promise<void> {
  const own = { accountId: tx.actor.accountId, contactId: conversation.contactId };
  const waiting = await tx.manager.find(ContactPlacement, { where: own, order: { id: "ASC" } });
  if (waiting.length === 0) return;
  const stages = new Map<number, number>();
  for (const { note, userId, importId, importRow, pipelineId, stageId } of waiting) {
    if (note !== null) {
      const externalId = importedNoteId(importId, importRow);
      await recordNote(tx, conversation, { kind: "note", text: note, externalId, userId });
    }
    // The latest import of a pipeline decides.
    if (pipelineId !== null && stageId !== null) stages.set(pipelineId, stageId);
  }
  for (const stageId of stages.values()) await enterStage(tx, conversation, stageId);
  await tx.manager.delete(ContactPlacement, own);
}

/** A stage that was deleted meanwhile counts as none. */
async function enterStage(tx: Tx, conversation: Conversation, stageId: number): Promise<void> {
  const stage = await lockStageShared(tx, stageId);
  if (stage === null) return;
  const { id: conversationId, accountId, contactId } = conversation;
  const whose = { accountId, contactId, pipelineId: stage.pipeline_id };
  if (await tx.manager.existsBy(ContactStage, whose)) return;
  const place = await chooseCardPlace(tx, stageId, contactId, null);
  const moved = { stageId, conversationId, place, movedAt: tx.now, createdAt: tx.now };
  await insertRow(tx, ContactStage, { ...whose, ...moved });
  await recordChange(tx, {
    kind: "conversation.stage_changed",
    ...idsOfConversation(conversation),
  });
}
