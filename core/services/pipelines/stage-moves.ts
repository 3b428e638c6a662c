import { In } from "typeorm";
import { Conversation } from "../../../db/entities/conversation.ts";
import { ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField, WriteConflict } from "../../errors.ts";
import type { StageMoveBody } from "../../model/pipeline.ts";
import { getAccountSettings } from "../accounts/accounts.ts";
import { actAs } from "../act-as.ts";
import { findNewestConversation } from "../contacts/contact-conversations.ts";
import { lockContacts } from "../contacts/contact-locks.ts";
import { getContactRow } from "../contacts/contact-records.ts";
import { lockWithContact } from "../conversation-records/conversation-records.ts";
import {
  lockStageAlone,
  lockStageShared,
  moveCardOutOfStage,
  moveToStage,
} from "./move-to-stage.ts";
import type { Neighbour } from "./stage-places.ts";

/** Maximum number of cards that one request moves out of a stage. */
const maxMovedAtOnce = 100;

/**
 * Moves the contact of a conversation to a stage, and its card to a place in that column. Publishes
 * `conversation.stage_changed`, unless the contact is in that stage already and only its place
 * changes.
 *
 * Locks, in this order: contact, conversation, stage, the contact's cards.
 * @throws AppError `conversation_not_found`; `validation_error` with `unknown_stage`.
 */
export async function moveConversation(
  tx: Tx,
  conversationId: number,
  move: StageMoveBody,
): Promise<Conversation> {
  const row = await lockWithContact(tx, conversationId);
  const near = neighbourIn(move);
  const lockStage = near === null ? lockStageShared : lockStageAlone;
  const stage = await lockStage(tx, move.stage_id);
  if (stage === null) throw unknownStage("Name a stage of this account.");
  await moveToStage(tx, row, stage, near);
  return row;
}

/**
 * Moves a contact in its newest conversation.
 * @throws AppError `contact_not_found`; `contact_needs_conversation`; those of `moveConversation`.
 */
export async function moveContact(tx: Tx, id: number, move: StageMoveBody): Promise<Conversation> {
  await getContactRow(tx, id);
  const conversationId = await findNewestConversation(tx, id);
  if (conversationId !== null) return await moveConversation(tx, conversationId, move);
  throw new AppError("contact_needs_conversation");
}

/**
 * Moves a contact who has booked to the account's stage for bookings. Does nothing if the account
 * has no such stage, or the contact no conversation.
 */
export async function moveOnBooking(
  given: Tx,
  { contactId, conversationId }: { contactId: number; conversationId: number | null },
): Promise<void> {
  // The actor is the account's rule, not the person who booked.
  const tx = actAs(given, "system");
  const { booking_stage_id: stageId } = await getAccountSettings(tx);
  if (stageId === null) return;
  const id = conversationId ?? (await findNewestConversation(tx, contactId));
  if (id === null) return;
  const row = await lockWithContact(tx, id);
  // A stage that is being deleted counts as none: the booking succeeds.
  const stage = await lockStageShared(tx, stageId);
  if (stage !== null) await moveToStage(tx, row, stage, null);
}

/**
 * Adds a new conversation's contact to the first stage of the account's default pipeline, if there
 * is one. A contact who is in the pipeline already stays: a further conversation is no step back.
 * @param row its contact is locked, or new in this transaction.
 */
export async function enterDefaultPipeline(given: Tx, row: Conversation): Promise<void> {
  const tx = actAs(given, "system");
  const [first] = await tx.manager.query<{ id: number }[]>(
    `SELECT s.id FROM pipelines p
       STRAIGHT_JOIN pipeline_stages s FORCE INDEX (pipeline_stages_name) ON s.pipeline_id = p.id
      WHERE p.account_id = ? AND p.is_default ORDER BY s.position LIMIT 1`,
    [tx.actor.accountId],
  );
  if (first === undefined) return;
  const stage = await lockStageShared(tx, first.id);
  if (stage === null) throw new WriteConflict();
  const { accountId, contactId } = row;
  const own = { accountId, contactId, pipelineId: stage.pipeline_id };
  if (!(await tx.manager.existsBy(ContactStage, own))) await moveToStage(tx, row, stage, null);
}

/**
 * Moves the lowest cards of a stage, up to 100, to the top of another stage of its pipeline. The
 * cards keep their order; each is a move of its own.
 * @returns the number of moved cards, and of those left in the stage.
 * @throws AppError `validation_error` with `unknown_stage`.
 */
export async function moveCards(
  tx: Tx,
  from: { id: number; pipelineId: number },
  toStageId: number,
): Promise<{ moved: number; left: number }> {
  const contactIds = (await listLowest(tx, from.id)).map(({ contactId }) => contactId);
  const conversations = await lockConversationsOf(tx, contactIds);
  const stage = await lockStageShared(tx, toStageId);
  if (stage === null || stage.pipeline_id !== from.pipelineId || toStageId === from.id) {
    throw unknownStage("Name another stage of the same pipeline.");
  }
  // Read again: from here on no other transaction moves these contacts.
  const cards = (await listLowest(tx, from.id)).filter(({ contactId }) => {
    return contactIds.includes(contactId);
  });
  for (const { conversationId } of cards) {
    const row = conversations.find(({ id }) => id === conversationId);
    if (row === undefined) throw new WriteConflict();
    await moveCardOutOfStage(tx, row, stage);
  }
  return { moved: cards.length, left: await countCards(tx, from.id) };
}

/** Number of contacts in a stage. */
export async function countCards(tx: Tx, stageId: number): Promise<number> {
  return await tx.manager.countBy(ContactStage, { stageId });
}

async function lockConversationsOf(tx: Tx, contactIds: number[]): Promise<Conversation[]> {
  await lockContacts(tx, contactIds);
  return await tx.manager.find(Conversation, {
    where: { accountId: tx.actor.accountId, contactId: In(contactIds) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
}

async function listLowest(tx: Tx, stageId: number): Promise<ContactStage[]> {
  return await tx.manager.find(ContactStage, {
    where: { accountId: tx.actor.accountId, stageId },
    // In the order of the index. Cards of one outcome keep their order.
    order: { outcome: "ASC", place: "ASC", id: "ASC" },
    take: maxMovedAtOnce,
  });
}

function neighbourIn(move: StageMoveBody): Neighbour | null {
  const { above_contact_id: above, below_contact_id: below } = move;
  if (above !== undefined) return { contactId: above, side: "above" };
  return below === undefined ? null : { contactId: below, side: "below" };
}

function unknownStage(message: string): AppError {
  return invalidField("body.stage_id", "unknown_stage", message);
}
