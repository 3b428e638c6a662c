import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { WriteConflict } from "../../errors.ts";
import { lockContacts } from "../contacts/contact-locks.ts";
import { getOwned, lockOwned } from "../sql.ts";

/** @throws AppError `conversation_not_found` */
export async function getConversationRow(tx: Tx, id: number): Promise<Conversation> {
  return await getOwned(tx, Conversation, "conversation", { id });
}

/**
 * Reads and locks a conversation, so that changes of state, messages and events happen one after
 * the other. A caller that locks the contact too locks the contact first.
 * @throws AppError `conversation_not_found`
 */
export async function lockConversation(tx: Tx, id: number): Promise<Conversation> {
  return await lockOwned(tx, Conversation, "conversation", { id });
}

/** Locks the contact of a conversation, then the conversation. */
export async function lockWithContact(tx: Tx, conversationId: number): Promise<Conversation> {
  const { contactId } = await getConversationRow(tx, conversationId);
  await lockContacts(tx, [contactId]);
  const row = await lockConversation(tx, conversationId);
  // After a merge in between, the contact to lock is the winner.
  if (row.contactId !== contactId) throw new WriteConflict();
  return row;
}

/** Ids by which live views know a conversation. */
export function idsOfConversation({ id, contactId }: Pick<Conversation, "id" | "contactId">) {
  return { conversationId: id, contactId };
}

/** The account's number, page or widget of a conversation. */
export async function getChannelAccount(tx: Tx, id: number): Promise<ChannelAccount> {
  return await tx.manager.findOneByOrFail(ChannelAccount, { id, accountId: tx.actor.accountId });
}
