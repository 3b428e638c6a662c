import { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { toEventChannel } from "../../model/channels.ts";
import type { EventData } from "../../model/events.ts";
import { contentPreview } from "../../model/message.ts";

/** Columns of a new message. The other columns come from its conversation, or are null at first. */
export type MessageFacts = Pick<
  Message,
  "direction" | "type" | "content" | "senderType" | "status"
> &
  Partial<Message>;

/** A message of a conversation, before it is stored. */
export function createMessage(tx: Tx, conversation: Conversation, facts: MessageFacts): Message {
  const { accountId, id: conversationId, contactId, channelAccountId, channel } = conversation;
  return tx.manager.create(Message, {
    accountId,
    conversationId,
    contactId,
    channelAccountId,
    channel,
    media: null,
    template: null,
    replyToMessageId: null,
    senderUserId: null,
    apiKeyId: null,
    botEpoch: null,
    agentTurnId: null,
    error: null,
    externalId: null,
    providerId: null,
    inFlightSince: null,
    part: null,
    tries: 0,
    nextTryAt: null,
    limitedSince: null,
    heldAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    providerAt: null,
    editedAt: null,
    deletedAt: null,
    interactive: null,
    referral: null,
    raw: null,
    attachmentCount: 0,
    imported: false,
    ...facts,
  });
}

/** Ids of a message in a change. */
export function idsOf({ id, conversationId, contactId }: Message) {
  return { messageId: id, conversationId, contactId };
}

/**
 * Makes a message the conversation's last one, which moves the conversation to the top of lists.
 */
export async function bumpConversation(
  tx: Tx,
  row: Conversation,
  messageId: number,
  more: Partial<
    Pick<
      Conversation,
      "unreadCount" | "lastCustomerMessageAt" | "customerWaitsSince" | "referral" | "referralAt"
    >
  >,
): Promise<void> {
  // `tx.now` was read before the wait for the lock, so a later writer may have an earlier time.
  const at = row.lastMessageAt !== null && row.lastMessageAt > tx.now ? row.lastMessageAt : tx.now;
  const columns = { lastMessageId: messageId, lastMessageAt: at, sortAt: at, ...more };
  Object.assign(row, columns);
  await tx.manager.update(Conversation, row.id, columns);
}

/** @returns true where the message carries a file, also one that is not stored yet. */
export function hasMedia({ media, attachmentCount }: Message): boolean {
  return media !== null || attachmentCount > 0;
}

/** Fields of a message that all its events share. */
export function presentMessageEvent<D extends "inbound" | "outbound">(
  row: Message,
  direction: D,
): Omit<EventData<"message.received">, "direction"> & { direction: D } {
  return {
    message_id: row.id,
    conversation_id: row.conversationId,
    contact_id: row.contactId,
    direction,
    channel: toEventChannel(row.channel),
    type: row.type,
    content_preview: contentPreview(row),
    has_media: hasMedia(row),
    sent_by_bot: row.senderType === "ai",
    created_at: row.createdAt.toISOString(),
    sender_type: row.senderType,
    sender_user_id: row.senderUserId,
    api_key_id: row.apiKeyId,
    external_id: row.externalId,
  };
}
