import type { Conversation } from "../../../db/entities/conversation.ts";
import { ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { BulkAction } from "../../model/bulk-action.ts";
import { addContactTag } from "../contacts/contact-tags.ts";
import { assignConversation } from "./conversation-assignee.ts";
import {
  getConversationRow,
  lockConversation,
} from "../conversation-records/conversation-records.ts";
import {
  markConversationRead,
  markConversationUnread,
  setConversationStatus,
} from "./conversations.ts";
import { snoozeConversation } from "./snoozes.ts";
import { moveConversation } from "../pipelines/stage-moves.ts";

/**
 * Does one action of a bulk request on one conversation, by the service that the route for one
 * conversation uses.
 * @returns false if nothing had to change.
 * @throws AppError those of that service.
 */
export async function applyAction(tx: Tx, id: number, action: BulkAction): Promise<boolean> {
  if (action.type === "tag") return await addTag(tx, id, action.tag);
  if (action.type === "stage") return await enterStage(tx, id, action.stage_id);
  return await changeLocked(tx, await lockConversation(tx, id), action);
}

type RowAction = Exclude<BulkAction, { type: "tag" | "stage" }>;

async function changeLocked(tx: Tx, row: Conversation, action: RowAction): Promise<boolean> {
  const { id, unreadCount } = row;
  switch (action.type) {
    case "assign":
      await assignConversation(tx, id, action.user_id);
      return row.assignedToUserId !== action.user_id;
    case "resolve":
      await setConversationStatus(tx, id, "resolved");
      return row.status !== "resolved";
    case "reopen":
      if (row.status !== "resolved") return false;
      await setConversationStatus(tx, id, "active");
      return true;
    case "snooze":
      await snoozeConversation(tx, id, action.until);
      return row.snoozedUntil?.getTime() !== action.until.getTime();
    case "read":
      await markConversationRead(tx, id);
      return unreadCount > 0;
    case "unread":
      await markConversationUnread(tx, id);
      return unreadCount === 0;
  }
}

/** Does not lock the conversation: the contact is locked first, wherever both are. */
async function addTag(tx: Tx, id: number, tag: string): Promise<boolean> {
  const { contactId, channel } = await getConversationRow(tx, id);
  const conversation = { conversationId: id, channel };
  const { changed } = await addContactTag(tx, contactId, tag, { conversation });
  return changed;
}

async function enterStage(tx: Tx, id: number, stageId: number): Promise<boolean> {
  const { accountId, contactId } = await getConversationRow(tx, id);
  const wasThere = await tx.manager.existsBy(ContactStage, { accountId, contactId, stageId });
  await moveConversation(tx, id, { stage_id: stageId });
  return !wasThere;
}
