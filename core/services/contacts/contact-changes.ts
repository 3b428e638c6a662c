import { Contact, ContactIdentity } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { toEventChannel } from "../../model/channels.ts";
import { diffContact, type ContactFacts, type ContactPatchBody } from "../../model/contact.ts";
import type { EventData } from "../../model/events.ts";
import { contactSource } from "../../model/principal.ts";
import { actingUserId } from "../accounts/actor.ts";
import { recordChange, recordChanges } from "../outbox/changes.ts";
import { findEventConversation, type ContactConversation } from "./contact-conversations.ts";
import { noIdentities, presentContact, type ContactRecord } from "./contact-records.ts";
import { publish, publishAll } from "../outbox/outbox.ts";
import { insertOrLose, insertRows } from "../sql.ts";

/** Name, phone and email of a contact, as stored. */
export type ContactIdentifiers = Pick<Contact, "name" | "phone" | "phoneKey" | "email">;

/** The fields that were sent. */
export function sentIdentifiers(
  { name, email, phone }: ContactPatchBody,
  key: string | null,
): Partial<ContactIdentifiers> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone, phoneKey: key }),
  };
}

/**
 * Leaves out a phone that is the stored number in another form, such as Mexico's with a 1. For calls
 * that find the contact by its phone, and so do not correct it.
 */
export function withoutSamePhone(
  { phone, phoneKey, ...sent }: Partial<ContactIdentifiers>,
  before: ContactRecord,
): Partial<ContactIdentifiers> {
  if (phoneKey === undefined || phoneKey === before.row.phoneKey) return sent;
  return { ...sent, phone: phone ?? null, phoneKey };
}

/**
 * Inserts a contact and publishes nothing: `contact.created` names the conversation, which is
 * created later.
 * @throws WriteConflict where another contact has the phone or the email.
 */
export async function insertContact(tx: Tx, known: ContactIdentifiers): Promise<ContactRecord> {
  const [record] = await insertContacts(tx, [known]);
  if (record === undefined) throw new Error("A contact was not inserted.");
  return record;
}

/** Inserts contacts like `insertContact`, in one statement. */
export async function insertContacts(
  tx: Tx,
  known: readonly ContactIdentifiers[],
): Promise<ContactRecord[]> {
  const rows = known.map((one) => newContact(tx, one));
  const ids = await insertOrLose(() => insertRows(tx, Contact, rows));
  return rows.map((row, index) => {
    return { row: Object.assign(row, { id: ids[index] }), tags: [], identities: noIdentities };
  });
}

function newContact(tx: Tx, known: ContactIdentifiers): Contact {
  return tx.manager.create(Contact, {
    accountId: tx.actor.accountId,
    ...known,
    mergedIntoId: null,
    source: tx.actor.type === "import" ? "import" : contactSource(tx.actor),
    createdByUserId: actingUserId(tx.actor),
    lastActivityAt: tx.now,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
}

/** Publishes `contact.created`. */
export async function publishContactCreated(
  tx: Tx,
  record: ContactRecord,
  conversation: ContactConversation | null,
): Promise<void> {
  await publishContactsCreated(tx, [record], conversation);
}

/** Publishes `contact.created` for each of the contacts. All have the same conversation. */
export async function publishContactsCreated(
  tx: Tx,
  records: readonly ContactRecord[],
  conversation: ContactConversation | null,
): Promise<void> {
  const events = records.map((record) => presentContactEvent(tx, record, conversation));
  await publishAll(tx, "contact.created", events);
  await recordChanges(
    tx,
    records.map(({ row }) => ({ kind: "contact.updated", contactId: row.id })),
  );
}

/**
 * Stores the identifiers of a contact that were sent, and publishes `contact.updated` if they
 * change the contact.
 * @param before as it was read under a lock.
 * @param tags as they are in their table now.
 * @param conversation as `storeChange` takes it.
 * @throws AppError `contact_needs_identifier`; WriteConflict where another contact has the phone or
 *   the email.
 */
export async function changeContact(
  tx: Tx,
  before: ContactRecord,
  sent: Partial<ContactIdentifiers>,
  {
    tags = before.tags,
    conversation = null,
  }: { tags?: string[]; conversation?: ContactConversation | null } = {},
): Promise<ContactRecord> {
  const row = Object.assign(tx.manager.create(Contact, before.row), sent);
  const after = { ...before, row, tags };
  await requireIdentifier(tx, before, after);
  return await storeChange(tx, before, after, conversation);
}

/**
 * Stores a changed contact and publishes `contact.updated`. Without a difference nothing happens
 * (rule C42). Tags and identities are in their own tables already.
 * @param conversation of the change; null: the contact's newest one, if it has one.
 */
export async function storeChange(
  tx: Tx,
  before: ContactRecord,
  after: ContactRecord,
  conversation: ContactConversation | null,
): Promise<ContactRecord> {
  const diff = diffContact(factsOf(before), factsOf(after));
  if (diff.changed_fields.length === 0) return before;
  const { row } = after;
  Object.assign(row, { updatedAt: tx.now, version: row.version + 1 });
  const { id, name, phone, phoneKey, email, updatedAt, version } = row;
  const columns = { name, phone, phoneKey, email, updatedAt, version };
  await insertOrLose(() => tx.manager.update(Contact, id, columns));
  const named = conversation ?? (await findEventConversation(tx, id));
  await publish(tx, "contact.updated", { ...presentContactEvent(tx, after, named), ...diff });
  await recordChange(tx, { kind: "contact.updated", contactId: id });
  return after;
}

function presentContactEvent(
  tx: Tx,
  record: ContactRecord,
  conversation: ContactConversation | null,
): EventData<"contact.created"> {
  const { id, ...view } = presentContact(record);
  return {
    ...view,
    contact_id: id,
    channel: conversation === null ? null : toEventChannel(conversation.channel),
    conversation_id: conversation?.conversationId ?? null,
    instagram_id: record.identities.instagram_id,
    facebook_id: record.identities.facebook_id,
    source: contactSource(tx.actor),
  };
}

function factsOf({ row, tags, identities }: ContactRecord): ContactFacts {
  return { name: row.name, phone: row.phone, email: row.email, tags, ...identities };
}

/**
 * Checks only changes that remove the last phone or email. A customer of web chat may have had
 * neither, and one whose new number another contact has keeps none.
 */
async function requireIdentifier(
  tx: Tx,
  { row: before }: ContactRecord,
  { row: { id, phone, email } }: ContactRecord,
): Promise<void> {
  const hadMore = before.phone !== null || before.email !== null;
  if (phone !== null || email !== null || !hadMore) return;
  if (await tx.manager.existsBy(ContactIdentity, { contactId: id })) return;
  throw new AppError("contact_needs_identifier");
}
