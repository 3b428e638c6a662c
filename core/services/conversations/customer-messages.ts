import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Contact } from "../../../db/entities/contact.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { actAs } from "../act-as.ts";
import type { RestChannel } from "../../model/channels.ts";
import { parsePhone, phoneKey } from "../../model/contact.ts";
import type { Media, MessageType } from "../../model/message.ts";
import { recordChange } from "../outbox/changes.ts";
import {
  findByAliases,
  findIdentity,
  recordAliases,
  recordIdentity,
  recordUsername,
  type IdentityAlias,
} from "../contacts/contact-identities.ts";
import { lockContact } from "../contacts/contact-locks.ts";
import { findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { insertContact, storeChange } from "../contacts/contact-changes.ts";
import type { ContactConversation } from "../contacts/contact-conversations.ts";
import { loadRecord, type ContactRecord } from "../contacts/contact-records.ts";
import { outdateDraft, wakeAgent } from "./agent-wakeups.ts";
import { countAttachments, storeAttachments, type NamedFile } from "./attachments.ts";
import { findNumberedAnswer } from "./options.ts";
import { referralColumns } from "./referrals.ts";
import { changeState } from "./conversation-state.ts";
import { insertConversation, lockNewestWith } from "./conversations.ts";
import { turnToCustomer } from "./customer-phones.ts";
import { createMessage, idsOf, bumpConversation, presentMessageEvent } from "./message-records.ts";
import { giveFile, type TakenFile } from "./outgoing-files.ts";
import { findAnswered, findMessageId, recordProviderId } from "./provider-ids.ts";
import { setOtherAppAnswers } from "./other-app.ts";
import { notifyOfMessage } from "../notifications/personal-notifications.ts";
import { clearSnooze } from "./snoozes.ts";
import { publish } from "../outbox/outbox.ts";
import { insertOrLose, insertRow } from "../sql.ts";

/** A customer's message from a channel. */
export interface CustomerMessage {
  channelAccountId: number;
  /** The customer's id on the channel: on WhatsApp the digits of the phone. */
  from: string;
  /** The customer's name on the channel. */
  name: string | null;
  type: MessageType;
  content: string | null;
  /** A file behind a web address. Files of a network are `attachments`. */
  media: Media | null;
  attachments?: readonly NamedFile[];
  /** A stored file that the customer has uploaded here. */
  file?: TakenFile | null;
  /** The channel's id of the message. A repeated id stores no second message. */
  providerId: string | null;
  /** Further ids of the customer, on WhatsApp. */
  aliases?: readonly IdentityAlias[];
  /** Time at the provider, from which the window counts. Absent: now. */
  providerAt?: Date | null;
  /** The channel's id of the message that the customer answers. */
  replyToProviderId?: string | null;
  interactive?: Message["interactive"];
  referral?: Message["referral"];
  /** The piece as the network sent it, of an `unsupported` message. */
  raw?: Message["raw"];
  /** The customer's public name on the network. */
  username?: string | null;
  /** True if another app answers the customer now. The AI agent is then silent. */
  standby?: boolean;
}

/** The customer's side of a message. */
export type CustomerParty = Pick<CustomerMessage, "from" | "name" | "aliases" | "username">;

/**
 * Stores a customer's message, and creates contact and conversation where they are missing. A
 * `waiting` or `resolved` conversation becomes active again (rule C33).
 *
 * Publishes in this order, as far as they apply: `contact.created`, `conversation.created`,
 * `conversation.updated`, `message.received`.
 * @returns the message; the known one where the channel repeats itself.
 */
export async function receiveCustomerMessage(
  given: Tx,
  message: CustomerMessage,
): Promise<{ row: Message; created: boolean }> {
  // The actor is the customer, whichever caller hands the message over.
  const tx = actAs(given, "contact");
  const channel = await tx.manager.findOneByOrFail(ChannelAccount, {
    id: message.channelAccountId,
    accountId: tx.actor.accountId,
  });
  const known = await findByProviderId(tx, message);
  if (known !== null) return { row: known, created: false };
  const conversation = await lockOrOpenConversation(tx, channel, message);
  // An answer is owed from now on: what was open before was resolved.
  if (conversation.status === "resolved") conversation.customerWaitsSince = null;
  await changeState(tx, conversation, {
    type: "customer_wrote",
    botDefault: channel.botDefault,
  });
  const row = await insertInbound(tx, conversation, message);
  await publish(tx, "message.received", presentMessageEvent(row, "inbound"));
  await outdateDraft(tx, conversation.id);
  await setOtherAppAnswers(tx, conversation, message.standby ?? false);
  await wakeAgent(tx, conversation);
  return { row, created: true };
}

/** Id of the account's sandbox on a channel, or null once real channels have replaced it. */
export async function findSandbox(tx: Tx, channel: RestChannel): Promise<number | null> {
  const { accountId } = tx.actor;
  const row = await tx.manager.findOneBy(ChannelAccount, { accountId, channel, driver: "sandbox" });
  return row?.id ?? null;
}

async function findByProviderId(
  tx: Tx,
  { channelAccountId, providerId }: CustomerMessage,
): Promise<Message | null> {
  if (providerId === null) return null;
  const id = await findMessageId(tx, channelAccountId, providerId);
  return id === null ? null : await tx.manager.findOneBy(Message, { id });
}

/**
 * The customer's conversation on a channel account, locked. A new customer gets a new contact. A
 * phone is looked up before other ids, so its contact gets the message where two are found.
 */
export async function lockOrOpenConversation(
  tx: Tx,
  channel: ChannelAccount,
  message: CustomerParty,
): Promise<Conversation> {
  const phone = channel.channel === "whatsapp" ? parsePhone(message.from) : null;
  const aliases = message.aliases ?? [];
  const { contactId, isNewId } = await findCustomer(tx, channel, message);
  const party = { channel, customerExternalId: message.from };
  if (contactId === null) {
    const bare = await insertContact(tx, {
      name: message.name,
      phone,
      phoneKey: phone === null ? null : phoneKey(phone),
      email: null,
    });
    await recordIdentity(tx, channel, bare.row.id, message.from);
    await recordAliases(tx, channel, bare.row.id, aliases);
    await recordUsername(tx, channel, bare.row.id, message.username ?? null);
    const record = await loadRecord(tx, bare.row);
    return await insertConversation(tx, record, party, { isNewContact: true });
  }
  const before = await lockContact(tx, contactId);
  await recordIdentity(tx, channel, contactId, message.from);
  await recordAliases(tx, channel, contactId, aliases);
  await recordUsername(tx, channel, contactId, message.username ?? null);
  const newest = await lockNewestWith(tx, contactId, [channel], message.from);
  const conversation =
    newest ?? (await insertConversation(tx, before, party, { isNewContact: false }));
  await turnToCustomer(tx, conversation, message.from);
  const written = { conversationId: conversation.id, channel: channel.channel };
  // A phone that was known before may have been cleared on purpose.
  const later = { name: message.name, phone: isNewId ? phone : null };
  await updateFromChannel(tx, before, later, written);
  return conversation;
}

/**
 * The contact that a channel account knows by the customer's ids, or that has the phone.
 * `isNewId`: the channel account has not known the customer's first id.
 */
export async function findCustomer(
  tx: Tx,
  channel: ChannelAccount,
  { from, aliases = [] }: Pick<CustomerParty, "from" | "aliases">,
): Promise<{ contactId: number | null; isNewId: boolean }> {
  const known = await findIdentity(tx, channel, from);
  if (known !== null) return { contactId: known.contactId, isNewId: false };
  const phone = channel.channel === "whatsapp" ? parsePhone(from) : null;
  const byPhone = phone === null ? null : await findContactIdByPhone(tx, phone);
  if (byPhone !== null) return { contactId: byPhone, isNewId: true };
  // Without a phone the first id is one of a user, which another number may know.
  const isUserId = channel.channel === "whatsapp" && phone === null;
  const own = isUserId ? [{ kind: "user_id", externalId: from } as const] : [];
  return { contactId: await findByAliases(tx, channel, [...own, ...aliases]), isNewId: true };
}

/** Stores a new identity of a known contact, and a name or a free phone if the contact had none. */
async function updateFromChannel(
  tx: Tx,
  before: ContactRecord,
  { name, phone }: { name: string | null; phone: string | null },
  conversation: ContactConversation,
): Promise<void> {
  const after = await loadRecord(tx, tx.manager.create(Contact, before.row));
  after.row.name ??= name;
  if (after.row.phone === null && phone !== null) {
    const isFree = (await findContactIdByPhone(tx, phone)) === null;
    if (isFree) Object.assign(after.row, { phone, phoneKey: phoneKey(phone) });
  }
  await storeChange(tx, before, after, conversation);
}

/** The contact is locked by now. A message of ours is no activity, so that no send waits for it. */
async function recordActivity(tx: Tx, contactId: number): Promise<void> {
  await tx.manager.query(
    "UPDATE contacts SET last_activity_at = ? WHERE id = ? AND last_activity_at < ?",
    [tx.now, contactId, tx.now],
  );
}

async function insertInbound(
  tx: Tx,
  conversation: Conversation,
  { type, content, media, providerId, ...more }: CustomerMessage,
): Promise<Message> {
  const { interactive = null, referral = null, raw = null, replyToProviderId = null } = more;
  const { attachments = [], file = null } = more;
  const answeredId = await findAnswered(tx, conversation, replyToProviderId);
  const chosen =
    type === "text" ? await findNumberedAnswer(tx, conversation.id, content, answeredId) : null;
  // A time ahead of ours would keep the window open for too long.
  const providerAt = new Date(Math.min((more.providerAt ?? tx.now).getTime(), tx.now.getTime()));
  const last = conversation.lastCustomerMessageAt;
  const row = createMessage(tx, conversation, {
    direction: "inbound",
    type,
    content,
    media,
    senderType: "contact",
    status: "received",
    providerAt: more.providerAt === undefined ? null : providerAt,
    interactive: chosen?.interactive ?? interactive,
    referral,
    raw,
    attachmentCount: countAttachments(attachments) + (file === null ? 0 : 1),
    replyToMessageId: chosen?.messageId ?? answeredId,
  });
  row.id = await insertOrLose(() => insertRow(tx, Message, row));
  await storeAttachments(tx, row, attachments);
  if (file !== null) await giveFile(tx, row, file);
  if (providerId !== null) await recordProviderId(tx, row, providerId);
  // A snoozed conversation comes back at once. The change below tells of it.
  await clearSnooze(tx, conversation);
  await bumpConversation(tx, conversation, row.id, {
    lastCustomerMessageAt: last !== null && last > providerAt ? last : providerAt,
    unreadCount: conversation.unreadCount + 1,
    customerWaitsSince: conversation.customerWaitsSince ?? tx.now,
    ...referralColumns(conversation, referral, providerAt),
  });
  await recordActivity(tx, conversation.contactId);
  await recordChange(tx, { kind: "message.created", ...idsOf(row) });
  await notifyOfMessage(tx, conversation, row.id);
  return row;
}
