import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { actAs } from "../act-as.ts";
import { readCallbackData } from "../../channels/meta/callback-data.ts";
import { recordChange } from "../outbox/changes.ts";
import { publish } from "../outbox/outbox.ts";
import { insertOrLose, insertRow } from "../sql.ts";
import { outdateDraft } from "./agent-wakeups.ts";
import { countAttachments, storeAttachments } from "./attachments.ts";
import { lockOrOpenConversation, type CustomerMessage } from "./customer-messages.ts";
import { bumpConversation, createMessage, idsOf, presentMessageEvent } from "./message-records.ts";
import { recordProviderStatus } from "./message-sending.ts";
import { noteHumanReply } from "./messages.ts";
import { findAnswered, findMessageId, recordProviderId } from "./provider-ids.ts";

/** A message to the customer that was not written here. `from` is the customer, as everywhere. */
export interface EchoedMessage extends Omit<CustomerMessage, "providerId" | "standby"> {
  providerId: string;
  /** True for another program. Only a person pauses the AI agent. */
  byAutomation: boolean;
}

/** A message to the customer as an echo names it. */
export interface EchoNames {
  channelAccountId: number;
  /** The customer's contact. */
  contactId: number;
  /** The network's id of the message. */
  providerId: string;
  /** The id of our message, as we have sent it along; null where the echo has none. */
  callbackData: string | null;
  at: Date;
}

/**
 * Settles our own message that an echo names by the id that we have sent along: the network has it,
 * whatever the answer to our call says. The network's id is recorded.
 * @returns true if the message is one of ours to this customer.
 */
export async function settleOwnMessage(tx: Tx, echo: EchoNames): Promise<boolean> {
  const { channelAccountId, contactId, providerId, callbackData, at } = echo;
  const own = readCallbackData(callbackData);
  if (own === null) return false;
  const message = await tx.manager.findOneBy(Message, {
    id: own.messageId,
    accountId: tx.actor.accountId,
    channelAccountId,
    contactId,
    direction: "outbound",
  });
  if (message === null) return false;
  await recordProviderId(tx, message, providerId);
  if (own.hasMore) return true;
  await recordProviderStatus(tx, message.id, { status: "sent", error: null, at, isWhole: true });
  return true;
}

/** @returns true while a message to the customer is with the network, and its answer is awaited. */
export async function isHandingOver(
  tx: Tx,
  { channelAccountId, contactId }: Pick<EchoNames, "channelAccountId" | "contactId">,
): Promise<boolean> {
  const rows = await tx.manager.query<unknown[]>(
    `SELECT id FROM messages FORCE INDEX (messages_unfinished)
      WHERE status = 'sending' AND in_flight_since IS NOT NULL AND contact_id = ?
        AND account_id = ? AND channel_account_id = ? LIMIT 1`,
    [contactId, tx.actor.accountId, channelAccountId],
  );
  return rows.length > 0;
}

/**
 * Stores a message that a person or another program has sent to the customer, and publishes
 * `message.sent`. A person's message pauses the AI agent. The messaging window stays as it is.
 * @returns the message; the known one where the message is ours, or the channel repeats itself.
 */
export async function recordEcho(tx: Tx, echo: EchoedMessage): Promise<Message> {
  const { channelAccountId, providerId, byAutomation } = echo;
  const { accountId } = tx.actor;
  const known = await findMessageId(tx, channelAccountId, providerId);
  if (known !== null) return await tx.manager.findOneByOrFail(Message, { id: known, accountId });
  const where = { id: channelAccountId, accountId };
  const channel = await tx.manager.findOneByOrFail(ChannelAccount, where);
  // The conversation has made a new contact, and no call of the API.
  const conversation = await lockOrOpenConversation(actAs(tx, "contact"), channel, echo);
  const { type, content, media, interactive = null, referral = null, raw = null } = echo;
  const { attachments = [] } = echo;
  const row = createMessage(tx, conversation, {
    direction: "outbound",
    type,
    content,
    media,
    interactive,
    referral,
    raw,
    attachmentCount: countAttachments(attachments),
    senderType: byAutomation ? "api" : "user",
    status: "sent",
    sentAt: echo.providerAt ?? tx.now,
    providerAt: echo.providerAt ?? null,
    replyToMessageId: await findAnswered(tx, conversation, echo.replyToProviderId ?? null),
  });
  row.id = await insertOrLose(() => insertRow(tx, Message, row));
  await storeAttachments(tx, row, attachments);
  await recordProviderId(tx, row, providerId);
  await bumpConversation(tx, conversation, row.id, { customerWaitsSince: null });
  await recordChange(tx, { kind: "message.created", ...idsOf(row) });
  await publish(tx, "message.sent", presentMessageEvent(row, "outbound"));
  await outdateDraft(tx, conversation.id);
  if (!byAutomation) await noteHumanReply(tx, conversation, null, { mayPauseAgent: true });
  return row;
}
