import { Conversation } from "../../../db/entities/conversation.ts";
import { ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { ContactAction } from "../../model/contact-bulk.ts";
import { getContactRow } from "../contacts/contact-records.ts";
import { addContactTag, removeContactTag } from "../contacts/contact-tags.ts";
import { assignConversation } from "./conversation-assignee.ts";
import { moveContact } from "../pipelines/stage-moves.ts";

/**
 * Does one action of a bulk request on one contact, by the service that the route for one contact
 * uses.
 * @returns false if nothing had to change.
 * @throws AppError those of that service; `contact_needs_conversation`.
 */
export async function applyToContact(tx: Tx, id: number, action: ContactAction): Promise<boolean> {
  switch (action.type) {
    case "add_tag":
      return (await addContactTag(tx, id, action.tag)).changed;
    case "remove_tag":
      return (await removeContactTag(tx, id, action.tag)).changed;
    case "stage":
      return await enterStage(tx, id, action.stage_id);
    case "assign":
      return await assignContact(tx, id, action.user_id);
  }
}

async function enterStage(tx: Tx, id: number, stageId: number): Promise<boolean> {
  const { accountId } = tx.actor;
  const place = { accountId, contactId: id, stageId };
  const wasThere = await tx.manager.existsBy(ContactStage, place);
  await moveContact(tx, id, { stage_id: stageId });
  return !wasThere;
}

/** Assigns all conversations of the contact, which the list of contacts shows as one. */
async function assignContact(tx: Tx, id: number, userId: number | null): Promise<boolean> {
  await getContactRow(tx, id);
  const rows = await tx.manager.find(Conversation, {
    select: { id: true, assignedToUserId: true },
    where: { accountId: tx.actor.accountId, contactId: id },
    order: { id: "ASC" },
  });
  if (rows.length === 0) throw new AppError("contact_needs_conversation");
  for (const row of rows) await assignConversation(tx, row.id, userId);
  return rows.some(({ assignedToUserId }) => assignedToUserId !== userId);
}
