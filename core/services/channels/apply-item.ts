import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ChannelApp } from "../../../db/entities/channel-app.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { InboundItem } from "../../channels/meta/inbound-item.ts";
import { isTemplateField, readTemplateNews } from "../../channels/meta/template-list.ts";
import { hourMs, minuteMs } from "../../model/durations.ts";
import { wakeForUnanswered } from "../conversations/agent-wakeups.ts";
import { findCustomer, receiveCustomerMessage } from "../conversations/customer-messages.ts";
import { isHandingOver, recordEcho, settleOwnMessage } from "../conversations/echoes.ts";
import { editMessage, revokeMessage, setReaction } from "../conversations/message-changes.ts";
import { setOtherAppAnswers } from "../conversations/other-app.ts";
import { recordReferral } from "../conversations/referrals.ts";
import { lockNewestWith } from "../conversations/conversations.ts";
import { applyTemplateNews } from "../templates/template-sync-runs.ts";
import { requestWabaSync, wabaOf } from "../templates/template-syncs.ts";
import { findMessageId } from "../conversations/provider-ids.ts";
import { applyStatus } from "./apply-status.ts";
import { endItem, holdItem, lockItem, parkItem } from "./channel-items.ts";
import { changeNumber } from "./change-number.ts";
import { addressOf, contentOf } from "./customer-ids.ts";

/** Time for which a status waits for its message, which may be a few seconds behind. */
const statusWaitMs = 10 * minuteMs;
/** Time for which a reaction, an edit or a deletion waits for its message. */
const targetWaitMs = hourMs;
/** Time for which the echo of an unknown message waits for the answer to a call under way. */
const echoWaitMs = minuteMs;
const minWaitMs = 1_000;

/** Effect of an item. Null: its message is not known, and may still come. */
type Applied = { contactId: number | null } | null;

type ItemOf<Kind extends InboundItem["kind"]> = Extract<InboundItem, { kind: Kind }>;

/**
 * Applies a claimed item and ends it in the same transaction, so that an item has its effects once.
 * Without its message the item waits, and ends without effects when the time is over.
 */
export async function applyItem(tx: Tx, id: number): Promise<void> {
  const row = await lockItem(tx, id);
  if (row === null) return;
  const item = row.payload as InboundItem;
  const channel = await tx.manager.findOneBy(ChannelAccount, {
    id: row.channelAccountId ?? 0,
    accountId: tx.actor.accountId,
  });
  if (channel === null) return await parkItem(tx, id, "no_channel");
  const ageMs = tx.now.getTime() - row.createdAt.getTime();
  const applied = await apply(tx, channel, item, ageMs);
  if (applied !== null) return await endItem(tx, id, applied);
  // The answer to a call takes a second, so an echo looks for it often.
  if (item.kind === "echo") return await holdItem(tx, id, minWaitMs);
  const waitMs = item.kind === "status" ? statusWaitMs : targetWaitMs;
  if (ageMs >= waitMs) return await endItem(tx, id, { reason: "unmatched" });
  await holdItem(tx, id, Math.max(minWaitMs, Math.min(minuteMs, ageMs)));
}

async function apply(
  tx: Tx,
  channel: ChannelAccount,
  item: InboundItem,
  ageMs: number,
): Promise<Applied> {
  switch (item.kind) {
    case "message":
      return await applyMessage(tx, channel, item);
    case "echo":
      return await applyEcho(tx, channel, item, ageMs);
    case "status":
      return await applyStatus(tx, channel, item);
    case "reaction":
    case "edit":
    case "revoke":
      return await applyChange(tx, channel, item);
    case "number_change":
      return { contactId: await changeNumber(tx, channel, item) };
    case "handover":
      return await applyHandover(tx, channel, item);
    case "referral":
      return await applyReferral(tx, channel, item);
    case "account":
      await applyAccountNews(tx, channel, item);
      return { contactId: null };
    // The split has ended these already. An older row of the kind has no effect either.
    case "group":
    case "unreadable":
      return { contactId: null };
  }
}

async function applyMessage(
  tx: Tx,
  channel: ChannelAccount,
  item: ItemOf<"message">,
): Promise<Applied> {
  const { row } = await receiveCustomerMessage(tx, {
    channelAccountId: channel.id,
    ...addressOf(item.from),
    ...contentOf(item.message),
    providerAt: timeOf(tx, item),
    standby: item.standby,
  });
  return { contactId: row.contactId };
}

/**
 * The echo of our own message settles it, and of another message is stored. Null while the message
 * may still turn out to be ours.
 */
async function applyEcho(
  tx: Tx,
  channel: ChannelAccount,
  item: ItemOf<"echo">,
  ageMs: number,
): Promise<Applied> {
  const party = addressOf(item.to);
  const { providerId } = item.message;
  const at = timeOf(tx, item);
  const { contactId } = await findCustomer(tx, channel, party);
  const isKnown = (await findMessageId(tx, channel.id, providerId)) !== null;
  if (contactId !== null && !isKnown && (await mayBeOurs(tx, channel, item))) {
    const names = { channelAccountId: channel.id, contactId, providerId, at };
    const { callbackData } = item;
    if (await settleOwnMessage(tx, { ...names, callbackData })) return { contactId };
    if (ageMs < echoWaitMs && (await isHandingOver(tx, names))) return null;
  }
  const row = await recordEcho(tx, {
    channelAccountId: channel.id,
    ...party,
    ...contentOf(item.message),
    providerAt: at,
    byAutomation: item.byAutomation,
  });
  return { contactId: row.contactId };
}

/** Messenger names the app that has sent a message. WhatsApp and Instagram may name none. */
async function mayBeOurs(
  tx: Tx,
  channel: ChannelAccount,
  { appId }: ItemOf<"echo">,
): Promise<boolean> {
  return appId === null || (await isOwnApp(tx, channel, appId));
}

async function isOwnApp(
  tx: Tx,
  { accountId, channelAppId }: ChannelAccount,
  appId: string,
): Promise<boolean> {
  return await tx.manager.existsBy(ChannelApp, { id: channelAppId ?? 0, accountId, appId });
}

async function applyChange(
  tx: Tx,
  channel: ChannelAccount,
  item: ItemOf<"reaction"> | ItemOf<"edit"> | ItemOf<"revoke">,
): Promise<Applied> {
  const id = await findMessageId(tx, channel.id, item.targetId);
  if (id === null) return null;
  const at = timeOf(tx, item);
  const change = async (): Promise<Message> => {
    if (item.kind === "reaction") return await setReaction(tx, id, { emoji: item.emoji, at });
    if (item.kind === "edit") return await editMessage(tx, id, { text: item.text, at });
    return await revokeMessage(tx, id, at);
  };
  const { contactId } = await change();
  return { contactId };
}

/**
 * The conversation is ours if its new owner is the app of the channel. A customer without a
 * conversation has nothing to hand over.
 */
async function applyHandover(
  tx: Tx,
  channel: ChannelAccount,
  item: ItemOf<"handover">,
): Promise<Applied> {
  if (item.customer === null) return { contactId: null };
  const { contactId, row } = await lockOf(tx, channel, item.customer);
  const { newOwner, toUs } = item;
  const isOurs = newOwner === null ? toUs : await isOwnApp(tx, channel, newOwner);
  if (row === null) return { contactId };
  const isGivenBack = row.otherAppAnswers && isOurs;
  await setOtherAppAnswers(tx, row, !isOurs);
  // The agent was not woken for messages that came while the other app had the conversation.
  if (isGivenBack) await wakeForUnanswered(tx, row);
  return { contactId };
}

/** A customer without a conversation has none that could show the referral. */
async function applyReferral(
  tx: Tx,
  channel: ChannelAccount,
  item: ItemOf<"referral">,
): Promise<Applied> {
  const { contactId, row } = await lockOf(tx, channel, addressOf(item.from).from);
  const { referral } = item;
  if (row !== null) await recordReferral(tx, row, { referral, at: timeOf(tx, item) });
  return { contactId };
}

/** The newest conversation of a customer, locked. */
async function lockOf(
  tx: Tx,
  channel: ChannelAccount,
  from: string,
): Promise<{ contactId: number | null; row: Conversation | null }> {
  const { contactId } = await findCustomer(tx, channel, { from });
  if (contactId === null) return { contactId, row: null };
  return { contactId, row: await lockNewestWith(tx, contactId, [channel], from) };
}

/** News of a template. Its list is read also where the webhook does not name the template. */
async function applyAccountNews(
  tx: Tx,
  channel: ChannelAccount,
  { field, value }: ItemOf<"account">,
): Promise<void> {
  const wabaId = isTemplateField(field) ? wabaOf(channel) : null;
  if (wabaId === null) return;
  const news = readTemplateNews(field, value);
  if (news === null) await requestWabaSync(tx, wabaId);
  else await applyTemplateNews(tx, wabaId, news);
}

function timeOf(tx: Tx, { at }: InboundItem): Date {
  return at === null ? tx.now : new Date(at);
}
