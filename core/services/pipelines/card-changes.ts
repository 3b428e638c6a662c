import { ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField, notFound } from "../../errors.ts";
import type { CardPatchBody } from "../../model/pipeline.ts";
import { lockContacts } from "../contacts/contact-locks.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";
import { openCard } from "./move-to-stage.ts";
import { recordChange } from "../outbox/changes.ts";
import { getPipeline } from "./pipelines.ts";

/**
 * Changes the value of a contact's card, or closes or reopens the card. A closed card keeps its
 * stage and place. Publishes no event.
 *
 * Locks the contact before its card, as a move does.
 * @throws AppError `pipeline_not_found`; `card_not_found`; `validation_error` for a `closed_at` in
 * the future.
 */
export async function changeCard(
  tx: Tx,
  pipelineId: number,
  contactId: number,
  patch: CardPatchBody,
): Promise<ContactStage> {
  await getPipeline(tx, pipelineId);
  await lockContacts(tx, [contactId]);
  const card = await tx.manager.findOne(ContactStage, {
    where: { accountId: tx.actor.accountId, contactId, pipelineId },
    lock: { mode: "pessimistic_write" },
  });
  if (card === null) throw notFound("card");
  const columns = { ...valueIn(patch), ...outcomeIn(tx, card, patch) };
  await tx.manager.update(ContactStage, card.id, columns);
  const ids = idsOfConversation({ id: card.conversationId, contactId });
  await recordChange(tx, { kind: "conversation.stage_changed", ...ids });
  return Object.assign(card, columns);
}

function valueIn({ value }: CardPatchBody): Partial<ContactStage> {
  if (value === undefined) return {};
  return { amount: value?.amount ?? null, currency: value?.currency ?? null };
}

/**
 * A card that is closed again with the same outcome keeps the time at which it was closed. The undo
 * of a reopening names the former time, so that sums of a month leave old deals out.
 */
function outcomeIn(tx: Tx, card: ContactStage, patch: CardPatchBody): Partial<ContactStage> {
  const { outcome, lost_reason: reason = null, closed_at: formerlyAt } = patch;
  if (outcome === undefined) return {};
  if (outcome === "open") return openCard;
  if (formerlyAt !== undefined && formerlyAt > tx.now) {
    const message = "Use a moment that is not in the future.";
    throw invalidField("body.closed_at", "in_the_future", message);
  }
  const closedAt = formerlyAt ?? (card.outcome === outcome ? card.closedAt : tx.now);
  return { outcome, lostReason: reason, closedAt };
}
