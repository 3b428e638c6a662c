import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isSendingHeld } from "../../model/channels.ts";
import { publish } from "../outbox/outbox.ts";
import { getChannelAccount } from "../conversation-records/conversation-records.ts";
import { hasMedia, presentMessageEvent } from "./message-records.ts";
import { findOrderWait } from "./message-order.ts";
import { recordProviderId } from "./provider-ids.ts";
import { reportedColumns } from "./reported-messages.ts";

/**
 * Sends a new text of web chat within the transaction that stores it. The visitor's browser reads
 * the row itself, so no workflow has anything to do. A file takes the usual way, because it may have
 * to be fetched first, and so does a text behind a message that has not left.
 * @returns false if the message takes the usual way
 */
export async function sendAtOnce(tx: Tx, message: Message): Promise<boolean> {
  if (message.channel !== "web" || hasMedia(message)) return false;
  const channel = await getChannelAccount(tx, message.channelAccountId);
  if (channel.driver !== "web" || isSendingHeld(channel)) return false;
  if ((await findOrderWait(tx, message)) > 0) return false;
  const providerId = `web-${message.id}`;
  await recordProviderId(tx, message, providerId);
  const columns = { ...reportedColumns(message, "sent", null, tx.now), providerId };
  Object.assign(message, columns);
  await tx.manager.update(Message, message.id, columns);
  await publish(tx, "message.sent", presentMessageEvent(message, "outbound"));
  return true;
}
