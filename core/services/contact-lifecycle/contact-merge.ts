import { In } from "typeorm";
import { Contact, ContactIdentity, ContactTag } from "../../../db/entities/contact.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import { MessageMedia } from "../../../db/entities/message-media.ts";
import { ContactPlacement, ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField } from "../../errors.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { moveAgentRows } from "../agent/contact-rows.ts";
import { moveAppointments } from "../appointments/contact-appointments.ts";
import { storeChange } from "../contacts/contact-changes.ts";
import { getContactRow, loadRecord, type ContactRecord } from "../contacts/contact-records.ts";
import { storeTags } from "../contacts/contact-tags.ts";
import { endContactSessions, moveContactSessions } from "../widgets/contact-sessions.ts";
import { applyPlacements } from "../pipelines/contact-placements.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";

/**
 * Merges one contact into another. Identities, tags, conversations, messages, stages,
 * appointments and turns of the agent move. The winner takes the name, phone and email that it lacks. The loser has none
 * of them and is unknown from then on; its published events stay under its id. Publishes
 * `contact.updated` of the winner if the winner changed.
 * @returns the winner.
 * @throws AppError `contact_not_found`; `validation_error` if the winner is unknown, is the loser
 * itself, or would have over 100 tags.
 */
export async function mergeContacts(tx: Tx, loserId: number, winnerId: number) {
  // A visitor of web chat must not go on in the conversations of somebody else.
  await endContactSessions(tx, [loserId]);
  await endContactSessions(tx, [winnerId], "anonymous");
  const { loser, winner } = await lockBoth(tx, loserId, winnerId);
  await retire(tx, loser, winnerId);
  const moved = await moveConversations(tx, loserId, winnerId);
  await moveAppointments(tx, loserId, winnerId);
  await moveAgentRows(tx, loserId, winnerId);
  await moveStages(tx, loserId, winnerId);
  await moveContactSessions(tx, loserId, winnerId);
  const tags = await storeTags(tx, winner, [...winner.tags, ...loser.tags]);
  const { identities } = await loadRecord(tx, winner.row);
  const row = tx.manager.create(Contact, winner.row);
  row.name ??= loser.row.name;
  row.email ??= loser.row.email;
  if (row.phone === null) Object.assign(row, phoneOf(loser.row));
  const record = await storeChange(tx, winner, { row, tags, identities }, null);
  await keepLaterActivity(tx, loser.row, winnerId);
  await recordAudit(tx, {
    action: "contact.merged",
    targetType: "contact",
    targetId: loserId,
    details: { into_contact_id: winnerId, conversations: moved.length },
  });
  for (const { id } of moved) {
    const ids = idsOfConversation({ id, contactId: winnerId });
    await recordChange(tx, { kind: "conversation.updated", ...ids });
  }
  await recordChange(tx, { kind: "contact.updated", contactId: loserId });
  return record;
}

async function keepLaterActivity(tx: Tx, { lastActivityAt }: Contact, winnerId: number) {
  await tx.manager.query(
    "UPDATE contacts SET last_activity_at = GREATEST(last_activity_at, ?) WHERE id = ?",
    [lastActivityAt, winnerId],
  );
}

/** Locks both contacts, in the order of their ids. */
async function lockBoth(
  tx: Tx,
  loserId: number,
  winnerId: number,
): Promise<{ loser: ContactRecord; winner: ContactRecord }> {
  await tx.manager.find(Contact, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, id: In([loserId, winnerId]) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  const loser = await loadRecord(tx, await getContactRow(tx, loserId));
  if (loserId === winnerId) throw refuse("same_contact", "Name another contact than this one.");
  const winner = await getContactRow(tx, winnerId).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    throw refuse("unknown_contact", "Name a contact of this account that was not merged itself.");
  });
  return { loser, winner: await loadRecord(tx, winner) };
}

function refuse(code: string, message: string): AppError {
  return invalidField("body.into_contact_id", code, message);
}

/**
 * Clears the loser's phone and email before the winner takes them: no two contacts may share one.
 * The winner need not take them, so the loser's row keeps them for the erasure.
 */
async function retire(tx: Tx, { row }: ContactRecord, winnerId: number): Promise<void> {
  const { accountId } = tx.actor;
  const { name, phone, email } = row;
  const nothing = { name: null, phone: null, phoneKey: null, email: null };
  await tx.manager.update(Contact, row.id, {
    ...nothing,
    retiredIdentifiers: { name, phone, email },
    mergedIntoId: winnerId,
    updatedAt: tx.now,
    version: row.version + 1,
  });
  await tx.manager.delete(ContactTag, { accountId, contactId: row.id });
  const earlier = { accountId, mergedIntoId: row.id };
  await tx.manager.update(Contact, earlier, { mergedIntoId: winnerId });
  const own = { accountId, contactId: row.id };
  await tx.manager.update(ContactIdentity, own, { contactId: winnerId });
  await settleSamePersons(tx, row.id, winnerId);
}

/** Hints that name the loser name the winner from now on, and those between the two end. */
async function settleSamePersons(tx: Tx, loserId: number, winnerId: number): Promise<void> {
  await tx.manager.query(
    `UPDATE contact_identities SET same_as_contact_id = IF(contact_id = ?, NULL, ?)
      WHERE account_id = ? AND same_as_contact_id IN (?, ?)`,
    [winnerId, winnerId, tx.actor.accountId, loserId, winnerId],
  );
}

async function moveConversations(
  tx: Tx,
  loserId: number,
  winnerId: number,
): Promise<Conversation[]> {
  const own = { accountId: tx.actor.accountId, contactId: loserId };
  const rows = await tx.manager.find(Conversation, {
    select: { id: true },
    where: own,
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  await tx.manager.update(Conversation, own, { contactId: winnerId });
  await tx.manager.update(Message, own, { contactId: winnerId });
  await tx.manager.update(MessageMedia, own, { contactId: winnerId });
  return rows;
}

/**
 * If both are in a pipeline, the winner keeps its stage and takes the value that it lacks. This is
 * no move, so no event is published.
 */
async function moveStages(tx: Tx, loserId: number, winnerId: number): Promise<void> {
  await tx.manager.query(
    `UPDATE contact_stages w
       JOIN contact_stages l ON l.contact_id = ? AND l.pipeline_id = w.pipeline_id
        SET w.amount = l.amount, w.currency = l.currency
      WHERE w.contact_id = ? AND w.account_id = ? AND w.amount IS NULL`,
    [loserId, winnerId, tx.actor.accountId],
  );
  await tx.manager.query(
    `DELETE l FROM contact_stages l
       JOIN contact_stages w ON w.contact_id = ? AND w.pipeline_id = l.pipeline_id
      WHERE l.contact_id = ? AND l.account_id = ?`,
    [winnerId, loserId, tx.actor.accountId],
  );
  const own = { accountId: tx.actor.accountId, contactId: loserId };
  await tx.manager.update(ContactStage, own, { contactId: winnerId });
  await movePlacements(tx, loserId, winnerId);
}

/** Stages and notes that wait for a conversation need not wait where either contact has one. */
async function movePlacements(tx: Tx, loserId: number, winnerId: number): Promise<void> {
  const own = { accountId: tx.actor.accountId, contactId: loserId };
  await tx.manager.update(ContactPlacement, own, { contactId: winnerId });
  const newest = await tx.manager.findOne(Conversation, {
    where: { accountId: tx.actor.accountId, contactId: winnerId },
    order: { id: "DESC" },
  });
  if (newest !== null) await applyPlacements(tx, newest);
}

function phoneOf({ phone, phoneKey }: Contact): Pick<Contact, "phone" | "phoneKey"> {
  return { phone, phoneKey };
}
