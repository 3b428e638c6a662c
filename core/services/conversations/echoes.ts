import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { recordChange } from "../outbox/changes.ts";
import { publish } from "../outbox/outbox.ts";
import { insertOrLose, insertRow } from "../sql.ts";
import { outdateDraft } from "./agent-wakeups.ts";
import { countAttachments, storeAttachments } from "./attachments.ts";
import { findPlace, type CustomerMessage } from "./customer-messages.ts";
import { bumpConversation, createMessage, idsOf, presentMessageEvent } from "./message-records.ts";
import { noteHumanReply } from "./messages.ts";
import { findAnswered, findMessageId, recordProviderId } from "./provider-ids.ts";

/** A message to the customer that was not written here. `from` is the customer, as everywhere. */
export interface EchoedMessage extends Omit<CustomerMessage, "providerId" | "standby"> {
  providerId: string;
  /** True for another program. Only a person pauses the AI agent. */
  byAutomation: boolean;
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
  const conversation = await findPlace(tx, channel, echo);
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
  if (!byAutomation) await noteHumanReply(tx, conversation, null, false);
  return row;
}
