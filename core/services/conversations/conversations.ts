import { In, MoreThan, type FindOptionsWhere } from "typeorm";
import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Contact } from "../../../db/entities/contact.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { toEventChannel } from "../../model/channels.ts";
import { phoneKey, phoneVariants } from "../../model/contact.ts";
import {
  conversationSource,
  type ConversationOpenBody,
  type SettableStatus,
} from "../../model/conversation.ts";
import { actingUserId } from "../accounts/actor.ts";
import { requestReadMark } from "./read-marks.ts";
import { markPlaceRead } from "../notifications/personal-notifications.ts";
import { recordChange } from "../outbox/changes.ts";
import { insertContact, publishContactCreated, storeChange } from "../contacts/contact-changes.ts";
import { addressOf, findIdentity } from "../contacts/contact-identities.ts";
import { findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { lockContact } from "../contacts/contact-locks.ts";
import type { ContactRecord } from "../contacts/contact-records.ts";
import { outdateDraft, wakeForUnanswered } from "./agent-wakeups.ts";
import {
  idsOfConversation,
  lockConversation,
} from "../conversation-records/conversation-records.ts";
import { changeState } from "./conversation-state.ts";
import { isOtherPhone, turnToCustomer } from "./customer-phones.ts";
import { findRefusal, insertOutbound } from "./messages.ts";
import { publish } from "../outbox/outbox.ts";
import { getOwned, insertRow } from "../sql.ts";
import { applyPlacements } from "../pipelines/contact-placements.ts";
import { enterDefaultPipeline } from "../pipelines/stage-moves.ts";

/** Result of POST /conversations: a new or a known conversation. */
export interface OpenedConversation {
  row: Conversation;
  created: boolean;
  initialMessage: Message | null;
}

/**
 * Opens the newest WhatsApp conversation with a phone in any state, or a new one (rule C22).
 * All connected numbers count, since the customer may have written to any of them. A new one is on
 * the default number. Creates a missing contact; a known contact keeps its name.
 * A body that names a number opens the newest conversation there.
 * A known conversation with another phone of the contact goes on with this one.
 * @throws AppError `channel_not_connected` if the account has no WhatsApp channel at all, or has
 *   disconnected the one named; `channel_account_not_found`.
 */
export async function openConversation(
  tx: Tx,
  body: ConversationOpenBody,
): Promise<OpenedConversation> {
  const usable = await listUsableNumbers(tx, body.channel_account_id);
  const { known, numbers } = await lockContactByPhone(tx, usable, body.phone);
  const before = known ?? (await insertContactOf(tx, body));
  const newest =
    known === null ? null : await lockNewestWith(tx, known.row.id, numbers, body.phone);
  const channel = numbers.find(({ id }) => id === newest?.channelAccountId) ?? numbers[0];
  const { externalId, isNew } = await addressOf(tx, channel, before.row.id, body.phone);
  const contact = isNew ? withWhatsAppId(tx, before, externalId) : before;
  const party = { channel, customerExternalId: externalId };
  const row =
    newest ?? (await insertConversation(tx, contact, party, { isNewContact: known === null }));
  if (newest !== null) await prepareKnown(tx, newest, externalId);
  if (known !== null) {
    await storeChange(tx, known, contact, { conversationId: row.id, channel: row.channel });
  }
  if (newest !== null) await changeState(tx, newest, { type: "reopen" });
  const initialMessage = await sendInitial(tx, row, body);
  const isSent = initialMessage !== null && initialMessage.status !== "failed";
  if (newest !== null && isSent) await outdateDraft(tx, newest.id);
  return { row, created: newest === null, initialMessage };
}

/** Turns a known conversation to the phone that was given, and forgets what no longer holds. */
async function prepareKnown(tx: Tx, row: Conversation, externalId: string): Promise<void> {
  // No answer is owed from before the resolve.
  const isOver = row.status === "resolved" && row.customerWaitsSince !== null;
  const isOther = isOtherPhone(row.customerExternalId, externalId);
  await turnToCustomer(tx, row, externalId);
  if (!isOver && !isOther) return;
  if (isOver) {
    row.customerWaitsSince = null;
    await tx.manager.update(Conversation, row.id, { customerWaitsSince: null });
  }
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
}

/** The same contact with the identity that its WhatsApp number has got. */
function withWhatsAppId(tx: Tx, record: ContactRecord, whatsapp_id: string): ContactRecord {
  const row = tx.manager.create(Contact, record.row);
  return { ...record, row, identities: { ...record.identities, whatsapp_id } };
}

/** Both sides of a conversation: the account's number or page, and the customer's id there. */
export interface ConversationParty {
  channel: ChannelAccount;
  customerExternalId: string;
}

/**
 * Inserts a conversation and publishes `conversation.created`. A new contact's `contact.created` is
 * published before. If the account has a default pipeline, `conversation.stage_changed` is
 * published after.
 * @param contact its row is locked, or new in this transaction.
 */
export async function insertConversation(
  tx: Tx,
  contact: ContactRecord,
  { channel, customerExternalId }: ConversationParty,
  { isNewContact }: { isNewContact: boolean },
): Promise<Conversation> {
  const row = await insertConversationRow(tx, contact.row.id, { channel, customerExternalId });
  const opened = { conversationId: row.id, channel: row.channel };
  if (isNewContact) await publishContactCreated(tx, contact, opened);
  await publish(tx, "conversation.created", {
    conversation_id: row.id,
    contact_id: row.contactId,
    channel: toEventChannel(row.channel),
    status: row.status,
    bot_enabled: row.botEnabled,
    assigned_to_user_id: null,
    source: conversationSource(tx.actor),
    created_at: tx.now.toISOString(),
  });
  await recordChange(tx, { kind: "conversation.created", ...idsOfConversation(row) });
  if (!isNewContact) await applyPlacements(tx, row);
  await enterDefaultPipeline(tx, row);
  return row;
}

/**
 * Inserts a conversation and tells nobody.
 * @param facts columns that differ from those of a conversation that has just begun
 */
export async function insertConversationRow(
  tx: Tx,
  contactId: number,
  { channel, customerExternalId }: ConversationParty,
  facts: Partial<Pick<Conversation, "status">> = {},
): Promise<Conversation> {
  const row = tx.manager.create(Conversation, {
    accountId: tx.actor.accountId,
    contactId,
    channelAccountId: channel.id,
    channel: channel.channel,
    customerExternalId,
    status: "active",
    botEnabled: channel.botDefault,
    botEpoch: 0,
    assignedToUserId: null,
    handoffReason: null,
    handoffSource: null,
    handoffActorUserId: null,
    handoffAt: null,
    handoffDueAt: null,
    lastHumanReplyAt: null,
    answeredByUserId: null,
    lastCustomerMessageAt: null,
    lastMessageAt: null,
    lastMessageId: null,
    sortAt: tx.now,
    unreadCount: 0,
    customerWaitsSince: null,
    seenMessageId: null,
    seenDueAt: null,
    snoozedUntil: null,
    snoozedByUserId: null,
    snoozeRun: 0,
    otherAppAnswers: false,
    referral: null,
    referralAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
    ...facts,
  });
  row.id = await insertRow(tx, Conversation, row);
  return row;
}

/** The contact's newest conversation on a channel account, locked, or null. */
export async function lockNewest(
  tx: Tx,
  contactId: number,
  channelAccountId: number,
): Promise<Conversation | null> {
  return await lockNewestAmong(tx, contactId, [{ id: channelAccountId }]);
}

/**
 * The contact's newest conversation, locked, or null. Where it is with another phone, the newest one
 * with this phone comes first: a merged contact may have conversations with several phones.
 * @param externalId the customer's id on these channel accounts
 */
export async function lockNewestWith(
  tx: Tx,
  contactId: number,
  channels: readonly Pick<ChannelAccount, "id">[],
  externalId: string,
): Promise<Conversation | null> {
  const newest = await lockNewestAmong(tx, contactId, channels);
  const isOther =
    newest?.channel === "whatsapp" && isOtherPhone(newest.customerExternalId, externalId);
  if (!isOther) return newest;
  const customerExternalId = In(phoneVariants(externalId));
  return (await lockNewestAmong(tx, contactId, channels, { customerExternalId })) ?? newest;
}

async function lockNewestAmong(
  tx: Tx,
  contactId: number,
  channels: readonly Pick<ChannelAccount, "id">[],
  filter: FindOptionsWhere<Conversation> = {},
): Promise<Conversation | null> {
  const channelAccountId = In(channels.map(({ id }) => id));
  return await tx.manager.findOne(Conversation, {
    where: { ...filter, accountId: tx.actor.accountId, contactId, channelAccountId },
    order: { id: "DESC" },
    lock: { mode: "pessimistic_write" },
  });
}

/** Sets the status, never the AI agent's flag. Rule C23. */
export async function setConversationStatus(
  tx: Tx,
  id: number,
  status: SettableStatus,
): Promise<Conversation> {
  const row = await lockConversation(tx, id);
  await changeState(tx, row, { type: "status", status });
  return row;
}

/**
 * Turns the AI agent on, or pauses it and hands the conversation to people. An agent that is turned
 * on answers the customer's message where nobody has. Rule C29.
 */
export async function setBot(
  tx: Tx,
  id: number,
  { enabled, reason = null }: { enabled: boolean; reason?: string | null | undefined },
): Promise<Conversation> {
  const row = await lockConversation(tx, id);
  const { botChanged } = await changeState(tx, row, { type: "bot", enabled }, reason);
  if (botChanged && enabled) await wakeForUnanswered(tx, row);
  return row;
}

/**
 * Marks the customer's messages as seen, and the person's own notifications of the conversation.
 * @param upToMessageId id of the newest seen message; later messages stay unseen.
 */
export async function markConversationRead(
  tx: Tx,
  id: number,
  upToMessageId: number = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const row = await lockConversation(tx, id);
  const userId = actingUserId(tx.actor);
  if (userId !== null) await markPlaceRead(tx, userId, row);
  if (row.unreadCount === 0) return;
  if (userId !== null) await requestReadMark(tx, row, upToMessageId);
  const newer = await tx.manager.countBy(Message, {
    conversationId: id,
    direction: "inbound",
    imported: false,
    id: MoreThan(upToMessageId),
  });
  const unreadCount = Math.min(row.unreadCount, newer);
  await tx.manager.update(Conversation, id, { unreadCount });
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
}

/** Marks a conversation as unread, with one unseen message where it has none. */
export async function markConversationUnread(tx: Tx, id: number): Promise<void> {
  const row = await lockConversation(tx, id);
  if (row.unreadCount > 0) return;
  await tx.manager.update(Conversation, id, { unreadCount: 1 });
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
}

/** At least one channel account; the first one is the default. */
type WhatsAppNumbers = [ChannelAccount, ...ChannelAccount[]];

/**
 * The account's WhatsApp numbers, the default one first. Connected numbers come in place of those
 * that are not, and real ones in place of the sandbox.
 * @throws AppError `channel_not_connected`
 */
async function listWhatsAppNumbers(tx: Tx): Promise<WhatsAppNumbers> {
  const rows = await tx.manager.find(ChannelAccount, {
    where: { accountId: tx.actor.accountId, channel: "whatsapp" },
    order: { id: "ASC" },
  });
  const live = rows.filter(({ state }) => state !== "disconnected");
  const real = live.filter(({ driver }) => driver !== "sandbox");
  const [first, ...others] = [real, live, rows].find((list) => list.length > 0) ?? [];
  if (first === undefined) throw new AppError("channel_not_connected");
  return [first, ...others];
}

/** The number that a caller names, or all of them. @throws as `openConversation` */
async function listUsableNumbers(tx: Tx, id: number | undefined): Promise<WhatsAppNumbers> {
  if (id === undefined) return await listWhatsAppNumbers(tx);
  const where = { id, channel: "whatsapp" } as const;
  const named = await getOwned(tx, ChannelAccount, "channel_account", where);
  if (named.state !== "disconnected") return [named];
  throw new AppError("channel_not_connected", {
    message: "This WhatsApp number is disconnected. Connect it, or name another one.",
  });
}

/** The WhatsApp number on which new conversations are opened. @throws as `listWhatsAppNumbers` */
export async function getWhatsAppChannel(tx: Tx): Promise<ChannelAccount> {
  const [channel] = await listWhatsAppNumbers(tx);
  return channel;
}

/**
 * The contact that a number knows by this phone, else the contact with this phone. Locked.
 * @returns also the numbers that know no other contact by this phone.
 */
export async function lockContactByPhone(
  tx: Tx,
  numbers: WhatsAppNumbers,
  phone: string,
): Promise<{ known: ContactRecord | null; numbers: WhatsAppNumbers }> {
  const owners = new Map<number, number>();
  for (const number of numbers) {
    const identity = await findIdentity(tx, number, phone);
    if (identity !== null) owners.set(number.id, identity.contactId);
  }
  const [owner] = owners.values();
  const id = owner ?? (await findContactIdByPhone(tx, phone));
  const [first, ...others] = numbers;
  // The first owner is that of the default number, if it has one.
  const free = others.filter((number) => (owners.get(number.id) ?? id) === id);
  return { known: id === null ? null : await lockContact(tx, id), numbers: [first, ...free] };
}

async function insertContactOf(tx: Tx, body: ConversationOpenBody): Promise<ContactRecord> {
  const { phone } = body;
  const name = body.name === undefined || body.name === "" ? null : body.name;
  return await insertContact(tx, { name, phone, phoneKey: phoneKey(phone), email: null });
}

/** Never refuses: if the window forbids the text, the thread shows a failed message (rule C22). */
async function sendInitial(
  tx: Tx,
  row: Conversation,
  { initial_message: content, template }: ConversationOpenBody,
): Promise<Message | null> {
  if (content === undefined && template === undefined) return null;
  if (content === undefined) return await insertOutbound(tx, row, { type: "template", template });
  const failure = await findRefusal(tx, row, { type: "text", content });
  if (failure !== null && template !== undefined) {
    return await insertOutbound(tx, row, { type: "template", template });
  }
  return await insertOutbound(tx, row, { type: "text", content }, { failure });
}
