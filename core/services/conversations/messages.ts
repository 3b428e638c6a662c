import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField } from "../../errors.ts";
import { errorCatalogue } from "../../model/error-catalogue.ts";
import { hasTemplates, isMetaDriver, type RestChannel } from "../../model/channels.ts";
import { humanReply } from "../../model/conversation.ts";
import { nextHandoffMoment } from "../../model/workflow/handoff.ts";
import { findExceededLimit } from "../../model/text-limit.ts";
import {
  judgeWindow,
  messagingWindow,
  type MessageError,
  type MessageListQuery,
  type MessageSendBody,
  type SenderType,
} from "../../model/message.ts";
import type { SentInteractive } from "../../model/interactive.ts";
import type { LogPage } from "../../model/page.ts";
import { actingUserId } from "../accounts/actor.ts";
import { getAccountSettings } from "../accounts/accounts.ts";
import { markPlaceRead } from "../notifications/personal-notifications.ts";
import { recordChange } from "../outbox/changes.ts";
import {
  getConversationRow,
  getChannelAccount,
  lockConversation,
} from "../conversation-records/conversation-records.ts";
import { cutTurn, outdateDraft } from "./agent-wakeups.ts";
import { changeState, hasReplied, signalHumanReply } from "./conversation-state.ts";
import { storeAssignee } from "./conversation-assignee.ts";
import { answersCustomer } from "./customer-wait.ts";
import { getHandoffTimes } from "./handoff-times.ts";
import { isCaptionApart } from "../../model/media.ts";
import { giveFile, takeFile, type TakenFile } from "./outgoing-files.ts";
import { openOptions } from "./options.ts";
import { sendAtOnce } from "./immediate-send.ts";
import { requestSend } from "./send-requests.ts";
import { createMessage, idsOf, bumpConversation } from "./message-records.ts";
import { recordTemplate } from "./template-messages.ts";
import { findThreadPlace, inThreadOrder, onSide, threadOf } from "./thread-order.ts";
import { cutPage, insertOrLose, insertRow } from "../sql.ts";

/** Messages of a conversation, newest first, optionally only those before a message id. */
export async function listMessages(
  tx: Tx,
  conversationId: number,
  { limit, before_id: before }: MessageListQuery,
): Promise<LogPage<Message>> {
  await getConversationRow(tx, conversationId);
  const messages = threadOf(tx, conversationId);
  const total = await messages.getCount();
  if (before !== undefined) {
    onSide(messages, "older", await findThreadPlace(tx, conversationId, before));
  }
  const found = await inThreadOrder(messages, "DESC")
    .limit(limit + 1)
    .getMany();
  const { page, next } = cutPage(found, limit);
  return { rows: page, total, totalAtLeast: false, next: next?.id ?? null };
}

/**
 * Records a message to the customer and queues it (rule C24). A known `external_id` returns that
 * message and sends nothing. A person's message pauses the AI agent, unless the account's settings
 * say otherwise (rule C32).
 * @param keepsAgent the message is a draft of the agent, which goes on to prepare drafts.
 * @throws AppError `conversation_not_found`, `messaging_window_closed`, `message_too_long`,
 * `validation_error` if the message to reply to is of another conversation;
 * `template_unavailable` and `invalid_template_params` for a template that WhatsApp would not send;
 * `upload_unavailable`, `media_too_large` and `media_type_refused` for an upload.
 */
export async function sendMessage(
  tx: Tx,
  conversationId: number,
  body: SendBody,
  { keepsAgent = false }: { keepsAgent?: boolean } = {},
): Promise<{ row: Message; created: boolean }> {
  const conversation = await lockConversation(tx, conversationId);
  const known = await findByExternalId(tx, conversationId, body.external_id);
  if (known !== null) return { row: known, created: false };
  await requireReplyTarget(tx, conversationId, body.reply_to_message_id);
  const content = await openBody(tx, conversation, body);
  const channel = await getChannelAccount(tx, conversation.channelAccountId);
  const refusal = await findRefusal(tx, conversation, content, channel);
  if (refusal !== null) throw new AppError(refusal.code, { message: refusal.message });
  const row = await insertOutbound(tx, conversation, content, { isStrict: true, channel });
  await outdateDraft(tx, conversationId);
  if (tx.actor.type === "user") {
    await noteHumanReply(tx, conversation, tx.actor.userId, { mayPauseAgent: !keepsAgent });
  }
  return { row, created: true };
}

type SendRefusal = MessageError & { code: "messaging_window_closed" | "message_too_long" };

/** Reason why the channel would not take a message of the acting sender now, or null. */
export async function findRefusal(
  tx: Tx,
  conversation: Conversation,
  { type, content = "" }: Pick<OutboundContent, "type" | "content">,
  known?: ChannelAccount,
): Promise<SendRefusal | null> {
  const account = known ?? (await getChannelAccount(tx, conversation.channelAccountId));
  const { driver, humanAgent } = account;
  const { channel, lastCustomerMessageAt } = conversation;
  const facts = { channel, driver, humanAgent, lastCustomerMessageAt };
  const takesTemplates = hasTemplates(channel);
  if (type === "template" && takesTemplates) return null;
  const window = judgeWindow(messagingWindow(facts, tx.now), senderTypeOf(tx.actor.type), tx.now);
  if (window !== "closed") return isMetaDriver(driver) ? findLengthRefusal(channel, content) : null;
  return {
    code: "messaging_window_closed",
    message: takesTemplates
      ? errorCatalogue.messaging_window_closed.message
      : "The customer last wrote more than 24 hours ago. Wait for their next message.",
    provider_code: null,
  };
}

function findLengthRefusal(channel: RestChannel, content: string): SendRefusal | null {
  const limit = findExceededLimit(channel, content);
  if (limit === null) return null;
  const message = `The channel takes at most ${limit.max} ${limit.unit} of text. Shorten it, or send two messages.`;
  return { code: "message_too_long", message, provider_code: null };
}

/** Content of a message to the customer. */
export type OutboundContent = Pick<
  MessageSendBody,
  | "type"
  | "content"
  | "media_url"
  | "upload_id"
  | "filename"
  | "template"
  | "reply_to_message_id"
  | "external_id"
> & {
  /** The failed message whose file goes once more. */
  movedFrom?: number | undefined;
  /** Options in the form of the channel. `content` is then the text that the customer reads. */
  options?: SentInteractive;
};

type SendBody = OutboundContent &
  Pick<MessageSendBody, "interactive"> & {
    /** The body of the options has their numbered lines already. */
    isListed?: boolean;
  };

/** Brings the options of a body into the form of the channel. */
async function openBody(
  tx: Tx,
  conversation: Conversation,
  { interactive, isListed, ...body }: SendBody,
): Promise<OutboundContent> {
  if (interactive === undefined) return body;
  const how = isListed === undefined ? {} : { isListed };
  const { interactive: options, text } = await openOptions(tx, conversation, interactive, how);
  return { ...body, content: text, options };
}

/**
 * Inserts a message to the customer and moves its conversation up. Queues the message for sending, or
 * sends it at once where its channel is ours. A template that cannot be sent is recorded as failed,
 * unless `isStrict` refuses it.
 * @param conversation locked.
 * @throws AppError `template_unavailable`, `invalid_template_params` if `isStrict`, and the errors of
 * `takeFile`
 */
export async function insertOutbound(
  tx: Tx,
  conversation: Conversation,
  content: OutboundContent,
  {
    failure: known = null,
    botEpoch = null,
    agentTurnId = null,
    isStrict = false,
    channel,
  }: {
    failure?: MessageError | null;
    botEpoch?: number | null;
    agentTurnId?: number | null;
    isStrict?: boolean;
    channel?: ChannelAccount;
  } = {},
): Promise<Message> {
  const { media_url: url, template = null } = content;
  const { file, part } = await openFile(tx, conversation, content);
  const recorded =
    template === null || known !== null
      ? { content: content.content ?? null, failure: known }
      : await recordTemplate(tx, conversation, template, { isStrict, file: file?.kind ?? null });
  const { failure } = recorded;
  const row = createMessage(tx, conversation, {
    direction: "outbound",
    type: content.type,
    content: recorded.content,
    media: url === undefined ? null : { url, mime_type: null },
    template,
    replyToMessageId: content.reply_to_message_id ?? null,
    ...senderOf(tx),
    botEpoch,
    agentTurnId,
    status: failure === null ? "queued" : "failed",
    error: failure,
    externalId: content.external_id ?? null,
    interactive: content.options ?? null,
    attachmentCount: file === null ? 0 : 1,
    part,
  });
  row.id = await insertOrLose(() => insertRow(tx, Message, row));
  if (file !== null) await giveFile(tx, row, file);
  await bumpConversation(
    tx,
    conversation,
    row.id,
    answersCustomer(row) ? { customerWaitsSince: null } : {},
  );
  await recordChange(tx, { kind: "message.created", ...idsOf(row) });
  if (failure === null && !(await sendAtOnce(tx, row))) {
    await requestSend(tx, row, channel ?? (await getChannelAccount(tx, row.channelAccountId)));
  }
  return row;
}

/** The file of a message, and the part with which the message begins if it goes in two. */
async function openFile(
  tx: Tx,
  { channelAccountId }: Conversation,
  content: OutboundContent,
): Promise<{ file: TakenFile | null; part: 0 | null }> {
  if (content.type === "text" || content.type === "interactive") return { file: null, part: null };
  const { driver } = await getChannelAccount(tx, channelAccountId);
  const file = await takeFile(tx, driver, content);
  // The file of a template is its heading.
  if (content.type === "template") return { file, part: null };
  const isApart = file !== null && isCaptionApart(driver, file.kind, content.content ?? null);
  return { file, part: isApart ? 0 : null };
}

/**
 * Records a person's reply: the AI agent pauses, unless the account's settings say otherwise.
 * @param userId null for a person who wrote in an app of the provider.
 * @param mayPauseAgent false where the reply is a draft of the agent
 */
export async function noteHumanReply(
  tx: Tx,
  conversation: Conversation,
  userId: number | null,
  { mayPauseAgent }: { mayPauseAgent: boolean },
): Promise<void> {
  const isFirst = !hasReplied(conversation);
  await cutTurn(tx, conversation);
  if (userId !== null && conversation.assignedToUserId === null)
    await storeAssignee(tx, conversation, userId);
  let due: Pick<Conversation, "handoffDueAt"> | null = null;
  if (conversation.status === "handed_off") {
    // The workflow waits for the first reply only. It reads the time of later replies in MySQL.
    if (isFirst) {
      await signalHumanReply(tx, conversation);
      due = { handoffDueAt: await findReturn(tx, conversation) };
    }
  } else if (mayPauseAgent) {
    const { pause_on_human_reply: pauses } = await getAccountSettings(tx);
    if (pauses) await changeState(tx, conversation, { type: "bot", enabled: false }, humanReply);
  }
  // Set after the pause, because the pause resets both reply columns.
  const answeredByUserId = conversation.status === "handed_off" ? userId : null;
  const columns = { lastHumanReplyAt: tx.now, unreadCount: 0, answeredByUserId, ...due };
  Object.assign(conversation, columns);
  await tx.manager.update(Conversation, conversation.id, columns);
  // A person who answers has read the conversation.
  if (userId !== null) await markPlaceRead(tx, userId, conversation);
}

/** Time at which the run of a handoff with its first reply checks the silence, or null. */
async function findReturn(tx: Tx, { handoffAt }: Conversation): Promise<Date | null> {
  const answered = { handoffAt: handoffAt ?? tx.now, repliedAt: tx.now };
  return nextHandoffMoment(answered, await getHandoffTimes(tx), tx.now);
}

function senderOf(tx: Tx) {
  const { actor } = tx;
  return {
    senderType: senderTypeOf(actor.type),
    senderUserId: actingUserId(actor),
    apiKeyId: actor.type === "api_key" ? actor.apiKeyId : null,
  };
}

function senderTypeOf(actor: Tx["actor"]["type"]): SenderType {
  switch (actor) {
    case "user":
      return "user";
    case "api_key":
    case "inbound_endpoint":
      return "api";
    case "agent":
      return "ai";
    case "contact":
      return "contact";
    case "import":
    case "calendar":
    case "system":
      return "system";
  }
}

/** Message of a conversation that was sent with this external id; null where there is none. */
export async function findByExternalId(
  tx: Tx,
  conversationId: number,
  externalId: string | undefined,
): Promise<Message | null> {
  if (externalId === undefined) return null;
  return await tx.manager.findOneBy(Message, { conversationId, externalId });
}

async function requireReplyTarget(
  tx: Tx,
  conversationId: number,
  id: number | undefined,
): Promise<void> {
  if (id === undefined || (await tx.manager.existsBy(Message, { id, conversationId }))) return;
  throw invalidField(
    "body.reply_to_message_id",
    "unknown_message",
    "Name a message of this conversation.",
  );
}
