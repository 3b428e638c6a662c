import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { readCallbackData } from "../../channels/meta/callback-data.ts";
import type { InboundItem } from "../../channels/meta/inbound-item.ts";
import { findChannelDanger, findGraphRefusal } from "../../channels/meta/send-result.ts";
import type { MessageError, MessageStatus } from "../../model/message.ts";
import { findCustomer } from "../conversations/customer-messages.ts";
import { recordProviderStatus } from "../conversations/message-sending.ts";
import type { SqlPart } from "../sql.ts";
import { reportChannelTrouble } from "./channel-state.ts";
import { requestTemplateSync } from "../templates/template-syncs.ts";
import { findMessageId, recordProviderId } from "../conversations/provider-ids.ts";

type StatusItem = Extract<InboundItem, { kind: "status" }>;

/**
 * A watermark is Meta's time of a message. The answer that tells us of the message comes up to 12 s
 * later, so our time of the message is later too.
 */
const answerMs = 15_000;

/** Messages that one watermark moves. Older ones were moved by an earlier watermark. */
const maxMoved = 500;

/**
 * Applies a status to the message that it names, or to all older messages of the customer.
 * @returns null if the message is not known, and may still come.
 */
export async function applyStatus(
  tx: Tx,
  channel: ChannelAccount,
  item: StatusItem,
): Promise<{ contactId: number | null } | null> {
  const at = item.at === null ? tx.now : new Date(item.at);
  const ids =
    item.watermark === null
      ? await listNamed(tx, channel, item, at)
      : await listUpTo(tx, channel, item.customer, new Date(item.watermark));
  if (ids === null) return null;
  const { status, error } = item;
  if (status === "failed" && error !== null) {
    const danger = findChannelDanger(error.code, error.subcode);
    if (danger !== null) await reportChannelTrouble(tx, channel.id, danger);
  }
  const failure = errorOf(item);
  const isWhole = readCallbackData(item.callbackData)?.hasMore === false;
  for (const id of ids) await recordProviderStatus(tx, id, { status, error: failure, at, isWhole });
  if (failure?.code === "template_rejected") await requestTemplateSync(tx, channel.id);
  const [first] = ids;
  const { accountId } = tx.actor;
  const message = await tx.manager.findOneBy(Message, { id: first ?? 0, accountId });
  return { contactId: message?.contactId ?? null };
}

/** Instagram names the last message that the customer has read, and no older one. */
export function isReadUpTo(
  { channel }: Pick<ChannelAccount, "channel">,
  status: StatusItem["status"],
): boolean {
  return channel === "instagram" && status === "read";
}

/** The message that a status names, and those that it tells of too. */
async function listNamed(
  tx: Tx,
  channel: ChannelAccount,
  item: StatusItem,
  at: Date,
): Promise<number[] | null> {
  const id = await findNamed(tx, channel, item);
  if (id === null) return null;
  if (!isReadUpTo(channel, item.status)) return [id];
  const { accountId } = tx.actor;
  const named = await tx.manager.findOneBy(Message, { id, accountId });
  const older = { sql: "id < ? AND sent_at <= ?", values: [id, at] };
  return [...(named === null ? [] : await listOpen(tx, channel, named.contactId, older)), id];
}

/**
 * By the provider's id, else by our own id, which the call to the provider carried. Another program
 * that sends over the number may carry ids of its own, so the customer has to be the same.
 */
async function findNamed(
  tx: Tx,
  channel: ChannelAccount,
  { messageId, callbackData, customer }: StatusItem,
): Promise<number | null> {
  if (messageId === null) return null;
  const known = await findMessageId(tx, channel.id, messageId);
  if (known !== null) return known;
  const named = readCallbackData(callbackData);
  if (named === null || customer === null) return null;
  const { contactId } = await findCustomer(tx, channel, { from: customer });
  if (contactId === null) return null;
  const message = await tx.manager.findOneBy(Message, {
    id: named.messageId,
    accountId: tx.actor.accountId,
    channelAccountId: channel.id,
    contactId,
    direction: "outbound",
  });
  if (message === null) return null;
  await recordProviderId(tx, message, messageId);
  return message.id;
}

async function listUpTo(
  tx: Tx,
  channel: ChannelAccount,
  customer: string | null,
  until: Date,
): Promise<number[]> {
  if (customer === null) return [];
  const { contactId } = await findCustomer(tx, channel, { from: customer });
  if (contactId === null) return [];
  // Messages go one after the other, so only the first one with a later answer is from before.
  const older = await listOpen(tx, channel, contactId, { sql: "sent_at <= ?", values: [until] });
  const [own] = await tx.manager.query<{ id: number; status: MessageStatus }[]>(
    `SELECT id, status FROM messages FORCE INDEX (messages_contact)
      WHERE contact_id = ? AND account_id = ? AND channel_account_id = ? AND direction = 'outbound'
        AND created_at <= ? AND sent_at > ? AND sent_at <= ?
      ORDER BY sent_at, id LIMIT 1`,
    [contactId, tx.actor.accountId, channel.id, until, until, new Date(until.getTime() + answerMs)],
  );
  const isOpen = own?.status === "sent" || own?.status === "delivered";
  return isOpen ? [...older, Number(own.id)] : older;
}

/** Messages of a contact that were sent and not read, oldest first. */
async function listOpen(
  tx: Tx,
  channel: ChannelAccount,
  contactId: number,
  { sql, values }: SqlPart,
): Promise<number[]> {
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM messages FORCE INDEX (messages_contact)
      WHERE contact_id = ? AND account_id = ? AND channel_account_id = ? AND direction = 'outbound'
        AND status IN ('sent', 'delivered') AND ${sql}
      ORDER BY id DESC LIMIT ?`,
    [contactId, tx.actor.accountId, channel.id, ...values, maxMoved],
  );
  return rows.map(({ id }) => Number(id)).toSorted((one, other) => one - other);
}

function errorOf({ status, error }: StatusItem): MessageError | null {
  if (status !== "failed") return null;
  const known = error === null ? null : findGraphRefusal(error.code, error.subcode);
  return (
    known ?? {
      code: "not_delivered",
      message: error?.title ?? "The channel could not deliver the message.",
      provider_code: error === null ? null : String(error.subcode ?? error.code),
    }
  );
}
