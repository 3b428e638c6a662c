import { In } from "typeorm";
import { Contact, ContactIdentity, ContactTag } from "../../../db/entities/contact.ts";
import { ContactErasure } from "../../../db/entities/contact-erasure.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import { ContactPlacement, ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { parsePhone } from "../../model/contact.ts";
import type { EraseContactInput, ErasedPerson } from "../../model/erasure.ts";
import { deliveryTransitions } from "../../model/workflow/delivery.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { deleteAppointments } from "../appointments/contact-appointments.ts";
import { forgetStagedEvents } from "../calendars/calendar-erasure.ts";
import { forgetWaitingBookings } from "../calendars/calendly-erasure.ts";
import { claimChannelItems, claimPhoneItems } from "../channels/contact-items.ts";
import { forgetFiltersNaming } from "../contacts/contact-filters.ts";
import { lockContactRow } from "../contacts/contact-locks.ts";
import { getContactRow } from "../contacts/contact-records.ts";
import { listRetiredIdentifiers } from "../contacts/retired-identifiers.ts";
import { endHandoff } from "../conversations/conversation-state.ts";
import { forgetViewsNaming } from "../conversations/saved-views.ts";
import { clearSnooze } from "../conversations/snoozes.ts";
import { setDeliveryStateWhere } from "../deliveries/delivery-state.ts";
import { expireExports, forgetExportFilters } from "../exports/exports.ts";
import { forgetImports, lockOpenImports, releaseImportRows } from "../imports/import-erasure.ts";
import { request } from "../outbox/outbox.ts";
import { insertRow, placeholders } from "../sql.ts";
import {
  endContactSessions,
  forgetContactSessions,
  lockContactSessions,
} from "../widgets/contact-sessions.ts";
import { forgetOwnerNotes } from "../widgets/owner-notes.ts";
import { minuteMs } from "../../model/durations.ts";

/**
 * Maximum number of deliveries that the request cancels. The workflow cancels the others within
 * seconds.
 */
const maxCancelled = 1_000;
/** Number of the contact's newest events, whose deliveries may still be open. */
const maxSearched = 5_000;
/** Longer than any request, attempt or hand-over under way can take. */
const underWayMs = minuteMs;

/**
 * Scope of an erasure. `person`: also data without the contact's id that holds its name, email or
 * phone. `contact`: data with the contact's id alone, because nobody has proved the email and phone.
 */
type ErasureScope = "person" | "contact";

/** A person whom no search by name, email or phone matches. */
const nobody: ErasedPerson = { names: [], emails: [], phoneEndings: [] };

/**
 * Erases a contact. From the commit on the contact is unknown, with all its conversations and
 * appointments. Its open deliveries are cancelled, and its phone and email may make a new contact.
 * A workflow erases the rest in batches.
 * @throws AppError `contact_not_found`, also for the loser of a merge, which is erased with its
 * winner.
 */
export async function eraseContact(
  tx: Tx,
  id: number,
  scope: ErasureScope = "person",
): Promise<void> {
  const { accountId } = tx.actor;
  await lockErased(tx, id);
  await endContactSessions(tx, [id]);
  const contactIds = [id, ...(await lockLosers(tx, id))];
  await forgetContactSessions(tx, contactIds);
  const conversations = await tx.manager.find(Conversation, {
    where: { accountId, contactId: In(contactIds) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  const conversationIds = conversations.map((row) => row.id);
  for (const row of conversations) {
    if (row.status === "handed_off") await endHandoff(tx, row);
    await clearSnooze(tx, row);
  }
  const person = scope === "person" ? await readPerson(tx, contactIds) : nobody;
  if (scope === "person") await forgetPerson(tx, contactIds, person);
  else await forgetContactAlone(tx, contactIds);
  await deleteAppointments(tx, contactIds);
  await tx.manager.delete(Conversation, { accountId, contactId: In(contactIds) });
  await claimChannelItems(tx, contactIds);
  await tx.manager.delete(ContactIdentity, { accountId, contactId: In(contactIds) });
  const named = { accountId, sameAsContactId: In(contactIds) };
  await tx.manager.update(ContactIdentity, named, { sameAsContactId: null });
  await tx.manager.delete(ContactStage, { accountId, contactId: In(contactIds) });
  await tx.manager.delete(ContactPlacement, { accountId, contactId: In(contactIds) });
  await tx.manager.delete(ContactTag, { accountId, contactId: In(contactIds) });
  await tx.manager.delete(Contact, { accountId, id: In(contactIds) });
  await cancelOpenDeliveries(tx, contactIds);
  await requestRest(tx, { accountId, contactIds, conversationIds, waitMs: underWayMs }, person);
  await recordAudit(tx, {
    action: "contact.erased",
    targetType: "contact",
    targetId: id,
    details: { conversations: conversationIds.length, merged_contacts: contactIds.length - 1 },
  });
  await tellViews(tx, id, conversationIds);
}

/** Erases data that names the person by name, email or phone, without an id of the contact. */
async function forgetPerson(tx: Tx, contactIds: number[], person: ErasedPerson): Promise<void> {
  await forgetFiltersNaming(tx, person);
  await forgetViewsNaming(tx, person);
  await expireExports(tx);
  await forgetExportFilters(tx, person);
  await forgetImports(tx, contactIds);
  await forgetWaitingBookings(tx, person);
  await forgetStagedEvents(tx, person);
  await forgetOwnerNotes(tx, contactIds, person);
  await claimPhoneItems(tx, contactIds);
}

/** The claimed email and phone may be those of a customer, whose data stays. */
async function forgetContactAlone(tx: Tx, contactIds: number[]): Promise<void> {
  await expireExports(tx, contactIds);
  await releaseImportRows(tx, contactIds);
}

/**
 * Locks what an erasure of the contact locks first, in the order of imports and of visitors'
 * messages. A check after this holds until the erasure.
 * @throws AppError `contact_not_found`
 */
export async function lockErased(tx: Tx, id: number): Promise<void> {
  await lockOpenImports(tx);
  await lockContactSessions(tx, id);
  await lockContactRow(tx, id);
  await getContactRow(tx, id);
}

/** Contacts merged into this one were the same person: their events hold the person's data too. */
async function lockLosers(tx: Tx, id: number): Promise<number[]> {
  const rows = await tx.manager.query<{ id: number }[]>(
    "SELECT id FROM contacts WHERE account_id = ? AND merged_into_id = ? ORDER BY id FOR UPDATE",
    [tx.actor.accountId, id],
  );
  return rows.map((row) => Number(row.id));
}

async function cancelOpenDeliveries(tx: Tx, contactIds: number[]): Promise<void> {
  const open = await tx.manager.query<{ id: number }[]>(
    `SELECT d.id FROM (
         SELECT id FROM events FORCE INDEX (events_contact)
          WHERE contact_id IN (${placeholders(contactIds)}) AND account_id = ?
          ORDER BY contact_id DESC, id DESC LIMIT ?) e
       STRAIGHT_JOIN deliveries d ON d.event_id = e.id
      WHERE d.state IN (${placeholders(deliveryTransitions.cancel.from)}) LIMIT ?`,
    [
      ...contactIds,
      tx.actor.accountId,
      maxSearched,
      ...deliveryTransitions.cancel.from,
      maxCancelled,
    ],
  );
  await cancelErasedDeliveries(
    tx,
    open.map(({ id }) => id),
  );
}

/** Cancels open and held deliveries among these, with the reason `erased`. */
export async function cancelErasedDeliveries(tx: Tx, deliveryIds: number[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  const cancelled = await setDeliveryStateWhere(
    tx,
    { ids: deliveryIds },
    { trigger: "cancel", reason: "erased" },
  );
  if (cancelled > 0) await recordChange(tx, { kind: "delivery.updated" });
}

async function readPerson(tx: Tx, contactIds: number[]): Promise<ErasedPerson> {
  const { accountId } = tx.actor;
  const contacts = await tx.manager.findBy(Contact, { accountId, id: In(contactIds) });
  const identities = await tx.manager.findBy(ContactIdentity, {
    accountId,
    contactId: In(contactIds),
    channel: "whatsapp",
  });
  const named = [...contacts, ...(await listRetiredIdentifiers(tx, contactIds))];
  const numbers = [
    ...named.map(({ phone }) => phone ?? ""),
    ...identities.map((one) => one.externalId),
  ];
  return {
    names: named.flatMap(({ name }) => name ?? []),
    emails: named.flatMap(({ email }) => email ?? []),
    phoneEndings: numbers.flatMap((digits) => parsePhone(digits)?.slice(-8) ?? []),
  };
}

/**
 * The person's data stays in MySQL until the workflow has ended, because Temporal may hold ids
 * only.
 */
async function requestRest(
  tx: Tx,
  input: EraseContactInput,
  { emails, phoneEndings }: ErasedPerson,
): Promise<void> {
  const [id = 0] = input.contactIds;
  await insertRow(tx, ContactErasure, {
    contactId: id,
    accountId: input.accountId,
    input,
    emails,
    phoneEndings,
    createdAt: tx.now,
  });
  await request(tx, erasureCommand(id, input));
}

/** Command that starts the workflow that erases the rest of a contact. */
export function erasureCommand(contactId: number, input: EraseContactInput): WorkflowCommand {
  return {
    op: "start",
    workflow: "eraseContact",
    workflowId: `erase-contact-${contactId}`,
    taskQueue: "ops",
    input,
    summary: `erase what is kept of contact ${contactId}`,
  };
}

async function tellViews(tx: Tx, contactId: number, conversationIds: number[]): Promise<void> {
  for (const conversationId of conversationIds) {
    await recordChange(tx, { kind: "conversation.updated", conversationId, contactId });
  }
  await recordChange(tx, { kind: "contact.updated", contactId });
}
