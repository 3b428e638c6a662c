import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Contact } from "../../../db/entities/contact.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isRefusedAlone } from "../../channels/meta/channel-reason.ts";
import type { ChannelDanger } from "../../channels/meta/send-result.ts";
import type { GraphTemplate } from "../../channels/meta/template-message.ts";
import { hasTemplates, isSendingHeld, type ChannelDriver } from "../../model/channels.ts";
import { isCoexisting } from "../../model/channel-setup.ts";
import {
  judgeWindow,
  mayBecome,
  mayReport,
  messagingWindow,
  type MessageError,
  type ReportedStatus,
} from "../../model/message.ts";
import { heldMs, type SendMessageInput, type SendOutcome } from "../../model/workflow/sending.ts";
import { withdrawReminder } from "./reminder-messages.ts";
import { recordChange } from "../outbox/changes.ts";
import { idsOf, presentMessageEvent } from "./message-records.ts";
import { wakeAgent } from "./agent-wakeups.ts";
import { findOrderWait, noteWait } from "./message-order.ts";
import {
  judgeBlocked,
  judgeInFlight,
  judgeTransient,
  noteHeld,
  noteUnanswered,
  type SendTrouble,
} from "./message-waits.ts";
import { lockConversationOfMessage, renewWait } from "./customer-wait.ts";
import { openContent, type SentFile } from "./message-content.ts";
import { findMessageId, findProviderId, recordProviderId } from "./provider-ids.ts";
import { isAccepted, reportedColumns } from "./reported-messages.ts";
import { publish } from "../outbox/outbox.ts";
import { findOwned } from "../sql.ts";

/** Current data that a channel needs to send a message. */
export interface SendMaterial {
  /** `tries` of the message includes this hand-over. */
  message: Message;
  driver: ChannelDriver;
  /** The account's own number or page on the channel. */
  from: string;
  /** The WhatsApp Business Account or the Page that the number belongs to. */
  parentId: string | null;
  /** The customer's id on the channel. */
  to: string;
  /** The channel's id of the message that this one answers. */
  replyToProviderId: string | null;
  /** People use the number in the WhatsApp Business app too. */
  isCoexisting: boolean;
  /** The window is closed, and a person's answer may still go with a tag. */
  tagged: boolean;
  /** A template with its values, as WhatsApp takes it; null for other messages and channels. */
  template: GraphTemplate | null;
  /** The file of the message; null without one, and for a caption that follows its file. */
  file: SentFile | null;
}

/** A channel's answer to a message. */
export type SendResult =
  | { kind: "accepted"; providerId: string; reports: ("delivered" | "read")[] }
  | { kind: "permanent"; error: MessageError; danger?: ChannelDanger | null }
  | { kind: "unknown" }
  | SendTrouble;

/**
 * Either the data to send after `delayMs`, or the outcome if nothing is to be sent. The delay is
 * short, and keeps the pace of the number.
 */
export type SendStart =
  | { go: true; material: SendMaterial; delayMs: number }
  | { go: false; outcome: SendOutcome };

/**
 * Milliseconds until the pace of the number lets the message go. A wait of up to `soonMs` is part
 * of the hand-over, so the message does not ask again.
 */
export type BookTurn = (
  tx: Tx,
  turn: Pick<SendMaterial, "message" | "driver" | "to" | "isCoexisting">,
  soonMs: number,
) => Promise<number>;

const maxDelayMs = 250;
/** A try that is due within this time is made now: timers and clocks differ a little. */
const earlyEnoughMs = 250;
/** Length of the indexed column. Longer ids are in `message_provider_ids` alone. */
const maxIndexedId = 191;

const windowClosed: MessageError = {
  code: "messaging_window_closed",
  message: "The messaging window closed before the message could leave.",
  provider_code: null,
};
const channelDisconnected: MessageError = {
  code: "channel_disconnected",
  message:
    "The channel could send nothing for 24 hours. Reconnect the channel, then send it again.",
  provider_code: null,
};

/**
 * Records a hand-over before it begins. After a crash during a hand-over the message is not handed
 * over again, because it may have arrived (rule C26). A younger message waits for an older one. The
 * messaging window is judged again, because a wait may have outlasted it.
 */
export async function beginSend(
  tx: Tx,
  input: SendMessageInput,
  book: BookTurn,
): Promise<SendStart> {
  const message = await lockMessage(tx, input.messageId);
  if (message === null) return { go: false, outcome: { state: "over" } };
  if (message.status !== "queued" && message.status !== "sending") {
    return { go: false, outcome: { state: message.status === "cancelled" ? "cancelled" : "over" } };
  }
  const { inFlightSince: since } = message;
  if (since !== null) return { go: false, outcome: judgeInFlight(since, tx.now) };
  if (await isVoid(tx, message)) {
    await cancel(tx, message);
    return { go: false, outcome: { state: "cancelled" } };
  }
  const earlyMs = input.tried === true ? remainingWait(message, tx.now) : 0;
  if (earlyMs > earlyEnoughMs) {
    return { go: false, outcome: { state: "waiting", waitMs: earlyMs, why: "channel" } };
  }
  const channel = await tx.manager.findOneByOrFail(ChannelAccount, {
    id: message.channelAccountId,
  });
  if (isSendingHeld(channel)) return { go: false, outcome: await hold(tx, message) };
  const orderMs = await findOrderWait(tx, message);
  if (orderMs > 0) {
    return await putOff(tx, message, { state: "waiting", waitMs: orderMs, why: "order" });
  }
  const material = await readMaterial(tx, message, channel);
  if (material === "window_closed") {
    await advance(tx, message, "failed", windowClosed);
    return { go: false, outcome: { state: "failed" } };
  }
  const verdict = await openContent(tx, message, channel);
  if ("error" in verdict) {
    await advance(tx, message, "failed", verdict.error);
    return { go: false, outcome: { state: "failed" } };
  }
  if ("first" in verdict) return await putOff(tx, message, verdict.first);
  const { content, template, file } = verdict.opened;
  const delayMs = await book(tx, material, maxDelayMs);
  if (delayMs > maxDelayMs) {
    return await putOff(tx, message, { state: "waiting", waitMs: delayMs, why: "pace" });
  }
  const tries = message.tries + 1;
  await change(tx, message, {
    status: "sending",
    inFlightSince: tx.now,
    nextTryAt: null,
    heldAt: null,
    tries,
    content,
  });
  return { go: true, material: { ...material, template, file }, delayMs };
}

/** Ends a hand-over before it began. A message that waits keeps its place before younger ones. */
async function putOff(tx: Tx, message: Message, outcome: SendOutcome): Promise<SendStart> {
  if (outcome.state === "waiting") await noteWait(tx, message, outcome.waitMs);
  return { go: false, outcome };
}

/** Milliseconds until the next try of a message that had trouble. */
function remainingWait({ status, nextTryAt }: Message, now: Date): number {
  if (status !== "sending" || nextTryAt === null) return 0;
  return nextTryAt.getTime() - now.getTime();
}

/**
 * Stores the channel's answer, and publishes `message.sent` once the channel has accepted.
 * @param triesBefore number of tries before an upload; null for a hand-over
 */
export async function completeSend(
  tx: Tx,
  input: SendMessageInput,
  result: SendResult,
  triesBefore: number | null = null,
): Promise<SendOutcome> {
  if (result.kind !== "accepted") await lockConversationOfMessage(tx, input.messageId);
  const message = await lockMessage(tx, input.messageId);
  if (message === null) return { state: "over" };
  switch (result.kind) {
    case "accepted":
      await keepProviderId(tx, message, result.providerId);
      if (message.part === 0) return await beginCaption(tx, message);
      await advance(tx, message, "sent", null);
      return { state: "sent", reports: result.reports };
    case "permanent":
      await advance(tx, message, "failed", result.error);
      return { state: "failed" };
    case "unknown":
      // A report may have come first, and has settled the message.
      if (message.status !== "sending") return { state: "over" };
      await noteUnanswered(tx, message);
      return { state: "unknown" };
    case "transient":
    case "blocked":
      return await completeTrouble(tx, message, result, triesBefore);
  }
}

/** The channel has the file. The caption is a hand-over of its own, with tries of its own. */
async function beginCaption(tx: Tx, message: Message): Promise<SendOutcome> {
  if (message.status !== "sending") return { state: "over" };
  await change(tx, message, { part: 1, tries: 0, nextTryAt: tx.now });
  return { state: "waiting", waitMs: 0, why: "caption" };
}

async function completeTrouble(
  tx: Tx,
  message: Message,
  trouble: SendTrouble,
  triesBefore: number | null,
): Promise<SendOutcome> {
  if (message.status === "queued" && message.heldAt !== null) return { state: "held" };
  if (message.status !== "sending") return { state: "over" };
  const verdict =
    trouble.kind === "transient"
      ? judgeTransient(message, trouble, tx.now, triesBefore)
      : await judgeHeld(tx, message, trouble);
  if ("error" in verdict) {
    await advance(tx, message, "failed", verdict.error);
    return { state: "failed" };
  }
  if ("held" in verdict) return await hold(tx, message);
  const { waitMs, columns } = verdict;
  await change(tx, message, { ...columns, inFlightSince: null });
  await recordChange(tx, { kind: "message.updated", ...idsOf(message) });
  return { state: "waiting", waitMs, why: "channel" };
}

async function judgeHeld(
  tx: Tx,
  message: Message,
  trouble: Extract<SendTrouble, { kind: "blocked" }>,
) {
  const channel = await tx.manager.findOneByOrFail(ChannelAccount, {
    id: message.channelAccountId,
  });
  const { doubtedAt } = channel;
  const isAlone =
    !isSendingHeld(channel) && isRefusedAlone(trouble.providerCode, doubtedAt, tx.now);
  return judgeBlocked(message, trouble, isAlone);
}

/** Keeps a message queued until its channel can send again. A message of a day ago fails. */
async function hold(tx: Tx, message: Message): Promise<SendOutcome> {
  const heldAt = message.heldAt ?? tx.now;
  if (tx.now.getTime() - message.createdAt.getTime() > heldMs) {
    await advance(tx, message, "failed", channelDisconnected);
    return { state: "failed" };
  }
  await noteHeld(tx, message.channelAccountId);
  const waits = { inFlightSince: null, nextTryAt: null };
  await change(tx, message, { ...waits, status: "queued", heldAt });
  await recordChange(tx, { kind: "message.updated", ...idsOf(message) });
  return { state: "held" };
}

/** Fails a message whose channel could send nothing for a day. One that is void is cancelled. */
export async function failHeld(tx: Tx, messageId: number): Promise<void> {
  await lockConversationOfMessage(tx, messageId);
  const message = await lockMessage(tx, messageId);
  if (message === null || message.heldAt === null || message.status !== "queued") return;
  if (await isVoid(tx, message)) return await cancel(tx, message);
  await advance(tx, message, "failed", channelDisconnected);
}

/** An id that another message has by now, such as an echo's, stays there. */
async function keepProviderId(tx: Tx, message: Message, providerId: string): Promise<void> {
  const known = await findMessageId(tx, message.channelAccountId, providerId);
  if (known === null) await recordProviderId(tx, message, providerId);
  const isOurs = known === null || known === message.id;
  const fits = isOurs && providerId.length <= maxIndexedId;
  await change(tx, message, { inFlightSince: null, ...(fits && { providerId }) });
}

/** Marks a message that may have arrived as failed, after the wait for the channel's report. */
export async function endUnknownSend(tx: Tx, input: SendMessageInput): Promise<void> {
  await lockConversationOfMessage(tx, input.messageId);
  const message = await lockMessage(tx, input.messageId);
  // A late answer gives the message a next try.
  if (message?.status !== "sending" || message.inFlightSince === null) return;
  await advance(tx, message, "failed", {
    code: "outcome_unknown",
    message: "The channel did not say whether it took the message. It was not sent again.",
    provider_code: null,
  });
}

/**
 * Cancels a message that its channel has not been given. A message that the channel may have fails
 * with `outcome_unknown` instead.
 */
export async function cancelSend(tx: Tx, input: SendMessageInput): Promise<SendOutcome["state"]> {
  await lockConversationOfMessage(tx, input.messageId);
  const message = await lockMessage(tx, input.messageId);
  if (message === null || !mayBecome(message.status, "cancelled")) return "over";
  if (message.inFlightSince !== null) {
    await endUnknownSend(tx, input);
    return "unknown";
  }
  await cancel(tx, message);
  return "cancelled";
}

async function cancel(tx: Tx, message: Message): Promise<void> {
  await change(tx, message, { status: "cancelled", nextTryAt: null, heldAt: null });
  await recordChange(tx, { kind: "message.updated", ...idsOf(message) });
  await renewWait(tx, message.conversationId);
}

/**
 * Stores a channel's report on a message that it accepted. A report that would lead backwards
 * changes nothing.
 */
export async function recordMessageStatus(
  tx: Tx,
  messageId: number,
  status: ReportedStatus,
): Promise<void> {
  if (status === "failed") await lockConversationOfMessage(tx, messageId);
  const message = await lockMessage(tx, messageId);
  if (message !== null) await advance(tx, message, status, null);
}

async function advance(
  tx: Tx,
  message: Message,
  status: ReportedStatus,
  error: MessageError | null,
): Promise<void> {
  if (!mayBecome(message.status, status)) return;
  await store(tx, message, status, error);
}

/**
 * Stores a provider's report on a message that it knows, at the provider's time. Reports may come in
 * any order, also before the answer to our own call. While a caption is still to go, a report on its
 * file says nothing of the message, unless the file failed. `isWhole`: on the last part.
 */
export async function recordProviderStatus(
  tx: Tx,
  messageId: number,
  { status, error, at, isWhole = false }: ProviderReport,
): Promise<void> {
  await lockConversationOfMessage(tx, messageId);
  const message = await lockMessage(tx, messageId);
  if (message === null || !mayReport(message, status)) return;
  if (message.part !== null && !isWhole && status !== "failed") return;
  await store(tx, message, status, error, at);
}

interface ProviderReport {
  status: ReportedStatus;
  error: MessageError | null;
  at: Date;
  isWhole?: boolean;
}

async function store(
  tx: Tx,
  message: Message,
  status: ReportedStatus,
  error: MessageError | null,
  at: Date = tx.now,
): Promise<void> {
  const accepted = isAccepted(message, status);
  const hadFailed = message.status === "failed";
  await change(tx, message, reportedColumns(message, status, error, at));
  await recordChange(tx, { kind: "message.updated", ...idsOf(message) });
  if (status === "failed" || hadFailed) {
    const waitsSince = await renewWait(tx, message.conversationId);
    // A message of unknown outcome may have arrived, and a second answer would stand beside it.
    const isLost = status === "failed" && error?.code !== "outcome_unknown";
    if (isLost && waitsSince !== null) await wakeAfterFailure(tx, message);
  }
  if (accepted) await publish(tx, "message.sent", presentMessageEvent(message, "outbound"));
}

/** The AI agent took a message of the API for the answer, so that it answers once that one fails. */
async function wakeAfterFailure(tx: Tx, message: Message): Promise<void> {
  if (message.senderType !== "api") return;
  const conversation = await findOwned(tx, Conversation, { id: message.conversationId });
  if (conversation !== null && conversation.status !== "resolved")
    await wakeAgent(tx, conversation);
}

async function change(tx: Tx, message: Message, columns: Partial<Message>): Promise<void> {
  const changed = { ...columns, updatedAt: tx.now };
  Object.assign(message, changed);
  await tx.manager.update(Message, message.id, changed);
}

/** Null if the contact was erased: then nothing is sent, stored or published. */
export async function lockMessage(tx: Tx, id: number): Promise<Message | null> {
  const message = await tx.manager.findOne(Message, {
    where: { id, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
  if (message === null) return null;
  return (await tx.manager.existsBy(Contact, { id: message.contactId })) ? message : null;
}

/**
 * @returns true if the AI agent wrote the message before a pause, or if it reminds of an appointment
 * that is no longer so. A pause cancels queued messages. This check finds a message that was with the
 * channel at that moment and was not accepted.
 */
async function isVoid(tx: Tx, message: Message): Promise<boolean> {
  const { conversationId, senderType, botEpoch } = message;
  if (senderType !== "ai") return await withdrawReminder(tx, message);
  const [conversation] = await tx.manager.query<{ bot_epoch: number }[]>(
    "SELECT bot_epoch FROM conversations WHERE id = ?",
    [conversationId],
  );
  return conversation?.bot_epoch !== botEpoch;
}

/** @returns `window_closed` where the channel would refuse the message by now. */
async function readMaterial(
  tx: Tx,
  message: Message,
  { driver, humanAgent, externalId: from, parentId, health }: ChannelAccount,
): Promise<Omit<SendMaterial, "template" | "file"> | "window_closed"> {
  const { channel, senderType, type } = message;
  const { customerExternalId: to, lastCustomerMessageAt } = await tx.manager.findOneByOrFail(
    Conversation,
    { id: message.conversationId },
  );
  const window = messagingWindow({ channel, driver, humanAgent, lastCustomerMessageAt }, tx.now);
  const judged = judgeWindow(window, senderType, tx.now);
  if (judged === "closed" && !(type === "template" && hasTemplates(channel))) {
    return "window_closed";
  }
  const replyToProviderId = await findProviderId(
    tx,
    message.channelAccountId,
    message.replyToMessageId,
  );
  const shared = { message, driver, from, parentId, to, replyToProviderId };
  const isShared = isCoexisting(health?.facts ?? null);
  return { ...shared, isCoexisting: isShared, tagged: judged === "tagged" };
}
