import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Contact, ContactIdentity } from "../../../db/entities/contact.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { actAs } from "../act-as.ts";
import type { InboundItem } from "../../channels/meta/inbound-item.ts";
import { phoneKey } from "../../model/contact.ts";
import { storeChange } from "../contacts/contact-changes.ts";
import { findIdentity, recordAliases, recordSameOwner } from "../contacts/contact-identities.ts";
import { lockContact } from "../contacts/contact-locks.ts";
import { findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { loadRecord } from "../contacts/contact-records.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { lockNewestWith } from "../conversations/conversations.ts";
import { findCustomer } from "../conversations/customer-messages.ts";
import { setCustomer } from "../conversations/customer-phones.ts";
import { addressOf } from "./customer-ids.ts";

/**
 * Moves a contact to the customer's new number. The old number may get another owner, so its
 * identity ends. A new number that another contact has stays there, and both contacts are then shown
 * as possible duplicates. Publishes one `contact.updated`. A repetition changes nothing, also where
 * the old number has a new owner by then.
 * @returns the contact; null if nobody is known by the old number.
 */
export async function changeNumber(
  tx: Tx,
  channel: ChannelAccount,
  item: Extract<InboundItem, { kind: "number_change" }>,
): Promise<number | null> {
  const { from, aliases } = addressOf(item.from);
  const previous = item.previousUserId;
  const olds = previous === null ? [] : [{ kind: "user_id", externalId: previous } as const];
  const { contactId } = await findCustomer(tx, channel, { from, aliases: [...aliases, ...olds] });
  if (contactId === null) return null;
  const before = await lockContact(tx, contactId);
  const conversation = await lockNewestWith(tx, contactId, [channel], from);
  const { newWaId, newUserId } = item;
  if (conversation !== null && hasWrittenSince(conversation, from, item.at)) return contactId;
  // With a new id alone, the phone goes on as it was.
  if (newWaId !== null) await endIdentity(tx, channel, contactId, from);
  if (previous !== null) await endIdentity(tx, channel, contactId, previous);
  await recordAliases(tx, channel, contactId, [
    ...(newUserId === null ? [] : [{ kind: "user_id", externalId: newUserId } as const]),
    ...(newWaId === null ? [] : [{ kind: "phone", externalId: newWaId } as const]),
  ]);
  const after = await loadRecord(tx, tx.manager.create(Contact, before.row));
  const hadOld = before.row.phone === null || before.row.phoneKey === phoneKey(from);
  if (hadOld && newWaId !== null) {
    const owner = await findContactIdByPhone(tx, newWaId);
    const isFree = owner === null || owner === contactId;
    if (!isFree) await recordSameOwner(tx, contactId, owner);
    const phone = isFree ? newWaId : null;
    Object.assign(after.row, { phone, phoneKey: phone === null ? null : phoneKey(phone) });
  }
  const where =
    conversation === null ? null : { conversationId: conversation.id, channel: channel.channel };
  // The customer has changed it, and no call of the API.
  const stored = await storeChange(actAs(tx, "contact"), before, after, where);
  if (conversation === null || stored === before) return contactId;
  const to = newWaId ?? item.from.waId ?? newUserId;
  if (to !== null && (await findIdentity(tx, channel, to))?.contactId === contactId) {
    await setCustomer(tx, conversation, to);
  }
  await recordNote(tx, conversation, { kind: "number_changed", params: { from, to } });
  return contactId;
}

/** Whoever writes from a number after it was given up is another person. */
function hasWrittenSince(
  { customerExternalId, lastCustomerMessageAt }: Conversation,
  from: string,
  at: string | null,
): boolean {
  if (at === null || lastCustomerMessageAt === null || customerExternalId !== from) return false;
  return lastCustomerMessageAt > new Date(at);
}

async function endIdentity(
  tx: Tx,
  channel: ChannelAccount,
  contactId: number,
  externalId: string,
): Promise<void> {
  const known = await findIdentity(tx, channel, externalId);
  if (known?.contactId === contactId) await tx.manager.delete(ContactIdentity, known.id);
}
