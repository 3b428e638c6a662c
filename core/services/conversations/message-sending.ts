import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Contact } from "../../../db/entities/contact.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ChannelDriver } from "../../model/channels.ts";
import {
  mayBecome,
  mayReport,
  type MessageError,
  type ReportedStatus,
} from "../../model/message.ts";
import {
  sendWaitsMs,
  type SendMessageInput,
  type SendOutcome,
} from "../../model/workflow/sending.ts";
import { recordChange } from "../outbox/changes.ts";
import { idsOf, presentMessageEvent } from "./message-records.ts";
import { lockConversationOfMessage, renewWait } from "./customer-wait.ts";
import { publish } from "../outbox/outbox.ts";

/** Current data that a channel needs to send a message. */
export interface SendMaterial {
  /** `tries` of the message includes this hand-over. */
  message: Message;
  driver: ChannelDriver;
  /** The account's own number or page on the channel. */
  from: string;
  /** The customer's id on the channel. */
  to: string;
}

/** A channel's answer to a message. */
export type SendResult =
  | { kind: "accepted"; providerId: string; reports: ("delivered" | "read")[] }
  | { kind: "transient"; providerCode: string | null }
  | { kind: "permanent"; error: MessageError }
  | { kind: "unknown" };

/** Either the data to send, or the outcome if nothing is to be sent. */
export type SendStart = { go: true; material: SendMaterial } | { go: false; outcome: SendOutcome };

const orderWaitMs = 300;
/** A message that is this long in `sending` delays no younger message. */
const sendingMs = 30_000;
/**
 * A message that is this long in `queued` delays no younger message: its workflow has a problem.
 */
const queuedMs = 300_000;
const maxAhead = 100;

/**
 * Records a hand-over before it begins. After a crash during a hand-over the message is not handed
 * over again, because it may have arrived (rule C26). A younger message waits for an older one.
 */
export async function beginSend(tx: Tx, input: SendMessageInput): Promise<SendStart> {
  const message = await lockMessage(tx, input.messageId);
  if (message === null) return { go: false, outcome: { state: "over" } };
  if (message.status !== "queued" && message.status !== "sending") {
    return { go: false, outcome: { state: message.status === "cancelled" ? "cancelled" : "over" } };
  }
  if (message.inFlightSince !== null) return { go: false, outcome: { state: "unknown" } };
  if (await isVoid(tx, message)) {
    await cancel(tx, message);
    return { go: false, outcome: { state: "cancelled" } };
  }
  const ahead = await countAhead(tx, message);
  if (ahead > 0) {
    const waitMs = ahead * orderWaitMs;
    return { go: false, outcome: { state: "waiting", waitMs, why: "order" } };
  }
  await change(tx, message, {
    status: "sending",
    inFlightSince: tx.now,
    tries: message.tries + 1,
  });
  return { go: true, material: await readMaterial(tx, message) };
}

/** Stores the channel's answer, and publishes `message.sent` once the channel has accepted. */
export async function completeSend(
  tx: Tx,
  input: SendMessageInput,
  result: SendResult,
): Promise<SendOutcome> {
  if (result.kind !== "accepted") await lockConversationOfMessage(tx, input.messageId);
  const message = await lockMessage(tx, input.messageId);
  if (message === null) return { state: "over" };
  switch (result.kind) {
    case "accepted":
      await change(tx, message, { providerId: result.providerId, inFlightSince: null });
      await advance(tx, message, "sent", null);
      return { state: "sent", reports: result.reports };
    case "permanent":
      await advance(tx, message, "failed", result.error);
      return { state: "failed" };
    case "unknown":
      return { state: "unknown" };
    case "transient":
      return await waitOrFail(tx, message, result.providerCode);
  }
}

/** Marks a message that may have arrived as failed, after the wait for the channel's report. */
export async function endUnknownSend(tx: Tx, input: SendMessageInput): Promise<void> {
  await lockConversationOfMessage(tx, input.messageId);
  const message = await lockMessage(tx, input.messageId);
  if (message?.status !== "sending") return;
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
  await change(tx, message, { status: "cancelled" });
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
  error: MessageError | null = null,
): Promise<void> {
  if (status === "failed") await lockConversationOfMessage(tx, messageId);
  const message = await lockMessage(tx, messageId);
  if (message !== null) await advance(tx, message, status, error);
}

async function waitOrFail(
  tx: Tx,
  message: Message,
  providerCode: string | null,
): Promise<SendOutcome> {
  const waitMs = sendWaitsMs[message.tries - 1];
  if (waitMs === undefined) {
    await advance(tx, message, "failed", {
      code: "channel_unavailable",
      message: `The channel could not take the message in ${message.tries} tries.`,
      provider_code: providerCode,
    });
    return { state: "failed" };
  }
  await change(tx, message, { inFlightSince: null });
  await recordChange(tx, { kind: "message.updated", ...idsOf(message) });
  return { state: "waiting", waitMs, why: "channel" };
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
 * any order, also before the answer to our own call.
 */
export async function recordProviderStatus(
  tx: Tx,
  messageId: number,
  { status, error, at }: { status: ReportedStatus; error: MessageError | null; at: Date },
): Promise<void> {
  await lockConversationOfMessage(tx, messageId);
  const message = await lockMessage(tx, messageId);
  if (message === null || !mayReport(message.status, status)) return;
  await store(tx, message, status, error, at);
}

async function store(
  tx: Tx,
  message: Message,
  status: ReportedStatus,
  error: MessageError | null,
  at: Date = tx.now,
): Promise<void> {
  const accepted = status !== "failed" && message.sentAt === null;
  const hadFailed = message.status === "failed";
  await change(tx, message, {
    status,
    error,
    inFlightSince: null,
    ...(accepted ? { sentAt: at } : {}),
    ...(status === "delivered" ? { deliveredAt: at } : {}),
    ...(status === "read" ? { deliveredAt: message.deliveredAt ?? at, readAt: at } : {}),
  });
  await recordChange(tx, { kind: "message.updated", ...idsOf(message) });
  if (status === "failed" || hadFailed) await renewWait(tx, message.conversationId);
  if (accepted) await publish(tx, "message.sent", presentMessageEvent(message, "outbound"));
}

async function change(tx: Tx, message: Message, columns: Partial<Message>): Promise<void> {
  const changed = { ...columns, updatedAt: tx.now };
  Object.assign(message, changed);
  await tx.manager.update(Message, message.id, changed);
}

/** Null if the contact was erased: then nothing is sent, stored or published. */
async function lockMessage(tx: Tx, id: number): Promise<Message | null> {
  const message = await tx.manager.findOne(Message, {
    where: { id, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
  if (message === null) return null;
  return (await tx.manager.existsBy(Contact, { id: message.contactId })) ? message : null;
}

/**
 * @returns true if the AI agent wrote the message before a pause. A pause cancels queued messages.
 * This check finds a message that was with the channel at that moment and was not accepted.
 */
async function isVoid(tx: Tx, { conversationId, senderType, botEpoch }: Message): Promise<boolean> {
  if (senderType !== "ai") return false;
  const [conversation] = await tx.manager.query<{ bot_epoch: number }[]>(
    "SELECT bot_epoch FROM conversations WHERE id = ?",
    [conversationId],
  );
  return conversation?.bot_epoch !== botEpoch;
}

/** Number of older messages that leave before this one, because people read in order (rule C26). */
async function countAhead(tx: Tx, message: Message): Promise<number> {
  const older = await tx.manager.query<{ status: string; updated_at: Date }[]>(
    `SELECT status, updated_at FROM messages WHERE conversation_id = ? AND id < ?
      ORDER BY id DESC LIMIT ?`,
    [message.conversationId, message.id, maxAhead],
  );
  return older.filter(({ status, updated_at: since }) => {
    const age = tx.now.getTime() - since.getTime();
    return (status === "queued" && age < queuedMs) || (status === "sending" && age < sendingMs);
  }).length;
}

async function readMaterial(tx: Tx, message: Message): Promise<SendMaterial> {
  const { channelAccountId, conversationId } = message;
  const channel = await tx.manager.findOneByOrFail(ChannelAccount, { id: channelAccountId });
  const conversation = await tx.manager.findOneByOrFail(Conversation, { id: conversationId });
  return {
    message,
    driver: channel.driver,
    from: channel.externalId,
    to: conversation.customerExternalId,
  };
}
