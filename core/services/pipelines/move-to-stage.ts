import type { Conversation } from "../../../db/entities/conversation.ts";
import { ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { toEventChannel } from "../../model/channels.ts";
import { stageSource, type StageView } from "../../model/pipeline.ts";
import { actingUserId } from "../accounts/actor.ts";
import { recordChange } from "../outbox/changes.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";
import { publish } from "../outbox/outbox.ts";
import { insertRow } from "../sql.ts";
import { chooseCardPlace, type Neighbour } from "./stage-places.ts";

/**
 * Keeps a stage from being deleted until the transaction ends. The lock is shared, so that many
 * customers may enter at the top at once.
 */
export async function lockStageShared(tx: Tx, id: number): Promise<StageView | null> {
  return await lockStage(tx, id, "SHARE");
}

/** Locks a stage alone, as a move between two of its cards needs it. */
export async function lockStageAlone(tx: Tx, id: number): Promise<StageView | null> {
  return await lockStage(tx, id, "UPDATE");
}

async function lockStage(tx: Tx, id: number, mode: "SHARE" | "UPDATE"): Promise<StageView | null> {
  const [row] = await tx.manager.query<StageView[]>(
    `SELECT s.pipeline_id, p.name AS pipeline_name, s.id AS stage_id, s.name AS stage_name
       FROM pipeline_stages s STRAIGHT_JOIN pipelines p ON p.id = s.pipeline_id
      WHERE s.id = ? AND s.account_id = ? FOR ${mode} OF s`,
    [id, tx.actor.accountId],
  );
  return row ?? null;
}

/**
 * Moves the contact of a conversation to a stage, or its card to another place in the column.
 * Publishes `conversation.stage_changed` unless the contact stays in the stage. A card that was won
 * or lost is open from then on.
 * @param conversation locked, and its contact before it.
 * @param stage locked; locked alone (`FOR UPDATE`) if `near` is given.
 */
export async function moveToStage(
  tx: Tx,
  conversation: Conversation,
  stage: StageView,
  near: Neighbour | null,
): Promise<void> {
  await moveCard(tx, conversation, stage, { near, outcome: openCard });
}

/**
 * Moves a card out of a stage that is emptied, as `moveToStage` does. The card stays won or lost,
 * since a person has chosen the stage and not the card.
 * @param stage the one to move to.
 */
export async function moveCardOutOfStage(
  tx: Tx,
  conversation: Conversation,
  stage: StageView,
): Promise<void> {
  await moveCard(tx, conversation, stage, { near: null, outcome: {} });
}

async function moveCard(
  tx: Tx,
  conversation: Conversation,
  stage: StageView,
  { near, outcome }: { near: Neighbour | null; outcome: Partial<typeof openCard> },
): Promise<void> {
  const cards = await tx.manager.find(ContactStage, {
    where: { accountId: tx.actor.accountId, contactId: conversation.contactId },
    lock: { mode: "pessimistic_write" },
  });
  const card = cards.find(({ pipelineId }) => pipelineId === stage.pipeline_id) ?? null;
  const stays = card?.stageId === stage.stage_id;
  if (stays && near === null && card.outcome === "open") return;
  const place = await chooseCardPlace(tx, stage.stage_id, conversation.contactId, near);
  const changes = { place, ...outcome };
  if (card !== null && stays) await tx.manager.update(ContactStage, card.id, changes);
  else {
    const before = card === null ? null : await nameOf(tx, card.stageId);
    await storeCard(tx, conversation, stage, { card, changes, movedAt: after(tx, cards) });
    await tell(tx, conversation, stage, before);
  }
  await recordChange(tx, {
    kind: "conversation.stage_changed",
    ...idsOfConversation(conversation),
  });
}

/** Columns of a card that is neither won nor lost. */
export const openCard = { outcome: "open", lostReason: null, closedAt: null } as const;

/**
 * A time after all earlier moves of the contact even if a clock is behind: views show the last
 * move.
 */
function after(tx: Tx, cards: ContactStage[]): Date {
  const last = Math.max(0, ...cards.map(({ movedAt }) => movedAt.getTime()));
  return new Date(Math.max(tx.now.getTime(), last + 1));
}

async function storeCard(
  tx: Tx,
  conversation: Conversation,
  stage: StageView,
  {
    card,
    changes,
    movedAt,
  }: { card: ContactStage | null; changes: Partial<ContactStage>; movedAt: Date },
): Promise<void> {
  const { id: conversationId, contactId, accountId } = conversation;
  const columns = { ...changes, stageId: stage.stage_id, conversationId, movedAt };
  if (card !== null) await tx.manager.update(ContactStage, card.id, columns);
  else {
    const whose = { accountId, contactId, pipelineId: stage.pipeline_id, createdAt: tx.now };
    await insertRow(tx, ContactStage, { ...whose, ...columns });
  }
}

async function nameOf(tx: Tx, stageId: number): Promise<{ id: number; name: string }> {
  const [row] = await tx.manager.query<{ id: number; name: string }[]>(
    "SELECT id, name FROM pipeline_stages WHERE id = ?",
    [stageId],
  );
  if (row === undefined) throw new Error(`A card stands in stage ${stageId}, which is not there.`);
  return { id: Number(row.id), name: row.name };
}

async function tell(
  tx: Tx,
  conversation: Conversation,
  stage: StageView,
  before: { id: number; name: string } | null,
): Promise<void> {
  await publish(tx, "conversation.stage_changed", {
    conversation_id: conversation.id,
    contact_id: conversation.contactId,
    channel: toEventChannel(conversation.channel),
    ...stage,
    previous_stage_id: before?.id ?? null,
    previous_stage_name: before?.name ?? null,
    source: stageSource(tx.actor, before === null),
    actor_user_id: actingUserId(tx.actor),
  });
  await recordNote(tx, conversation, {
    kind: "stage_changed",
    params: { pipeline: stage.pipeline_name, from: before?.name ?? null, to: stage.stage_name },
  });
}
