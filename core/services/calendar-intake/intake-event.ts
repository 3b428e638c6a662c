import type { EventFacts, MappedEvent } from "../../calendars/google-mapping.ts";
import type { Appointment } from "../../../db/entities/appointment.ts";
import { CalendarEventRow } from "../../../db/entities/calendar-link.ts";
import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isAgreed } from "../../model/appointment.ts";
import { dayMs } from "../../model/durations.ts";
import {
  bookExternal,
  cancelExternal,
  moveExternal,
  restoreExternal,
} from "../appointments/external-appointments.ts";
import { removeBusyBlock, type BusyTime } from "../calendars/busy-blocks.ts";
import { noteEventId } from "../calendars/calendar-event-ids.ts";
import { nothingSent } from "../calendars/calendar-events.ts";
import { isCalendlyAppointment } from "../calendars/calendly-copies.ts";
import { isForeignTime, listWantedTimes, noteOverruled } from "../calendars/calendar-conflicts.ts";
import { findOwned, insertOrLose, insertRow } from "../sql.ts";
import { takeCopy } from "./calendly-copied-events.ts";
import { eventIdOf, type IntakeBatch } from "./intake-batch.ts";
import { stageChange } from "./staged-changes.ts";

/** Effect of an event on the agenda. */
export interface IntakeEffect {
  /** Somebody else changed the agenda. */
  changed: boolean;
  /** Moment of that change; null if unknown. */
  at: Date | null;
  /** A time to block, together with those of the other events of the page. */
  block: BusyTime | null;
  /** Our own write came after the page was read. The next reading tells. */
  isStale?: boolean;
}

const none: IntakeEffect = { changed: false, at: null, block: null };

/** A removal of an older appointment is a cleaning of the calendar. */
const pastMs = dayMs;
const maxIdLength = 255;

/** Applies one event to the agenda of its calendar. The event's rows are locked. */
export async function applyEvent(
  tx: Tx,
  batch: IntakeBatch,
  event: MappedEvent,
): Promise<IntakeEffect> {
  const row = batch.rows.get(eventIdOf(event));
  return row === undefined
    ? await applyUnknown(tx, batch, event)
    : await applyKnown(tx, batch, row, event);
}

async function applyUnknown(tx: Tx, batch: IntakeBatch, event: MappedEvent): Promise<IntakeEffect> {
  if (event.kind === "unreadable" || eventIdOf(event).length > maxIdLength) return none;
  if (event.kind === "busy" && isInReach(batch, event.facts)) return blockOf(batch, event.facts);
  await unblock(tx, batch, event);
  if (event.kind !== "appointment" || !isInReach(batch, event.facts)) return none;
  const { facts } = event;
  if (batch.pairsSeries && facts.seriesId !== null) {
    await stageChange(tx, batch.link, { kind: "appeared", event });
    return none;
  }
  return (await bookEvent(tx, batch, event)) ? changedBy(facts) : none;
}

/** A list of changes has no bounds: it may name years of an endless series. */
function isInReach({ horizon, readAt }: IntakeBatch, { startTime, endTime }: EventFacts): boolean {
  return startTime < horizon && endTime.getTime() >= readAt.getTime() - pastMs;
}

/**
 * Makes an appointment of an event. Calendly's copy of a booking belongs to the appointment of that
 * booking.
 * @returns false where no appointment was made
 */
export async function bookEvent(
  tx: Tx,
  { link, isFirstReading }: Pick<IntakeBatch, "link" | "isFirstReading">,
  { facts, title, customer }: Extract<MappedEvent, { kind: "appointment" }>,
): Promise<boolean> {
  const { eventId, startTime, endTime } = facts;
  const { resourceId } = link;
  const copy = { eventId, resourceId, startTime, endTime, email: customer.email };
  if (await takeCopy(tx, link.id, copy)) return false;
  const booked = await bookExternal(tx, {
    resourceId,
    serviceId: null,
    startTime,
    endTime,
    customer,
    title,
    source: "google",
    googleEventId: eventId,
    syncCalendars: false,
    notify: isFirstReading ? "none" : "members",
  });
  if (booked === null) return false;
  const row = {
    ...seenColumns(link.generation, facts),
    accountId: link.accountId,
    appointmentId: booked.id,
    linkId: link.id,
    origin: "google" as const,
    eventId,
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  await insertOrLose(() => insertRow(tx, CalendarEventRow, row));
  return true;
}

async function applyKnown(
  tx: Tx,
  batch: IntakeBatch,
  row: CalendarEventRow,
  event: MappedEvent,
): Promise<IntakeEffect> {
  const appointment = batch.appointments.get(row.appointmentId) ?? null;
  // Our own write came after the page, so the page shows an older state.
  if (row.wroteAt !== null && row.wroteAt >= batch.readAt) return stale;
  if (event.kind === "unreadable") return none;
  if (appointment === null) return await applyErased(tx, batch, row, event);
  if (appointment.resourceId !== batch.link.resourceId) {
    // The appointment has moved to another agenda, and its old event is being deleted.
    return none;
  }
  // Calendly moves a booking by deleting its copy and writing another one.
  if (await isCalendlyAppointment(tx, appointment.id)) return none;
  if (event.kind === "removed" || (await isGone(tx, row, appointment, event))) {
    return await applyGone(tx, batch, { row, appointment, event });
  }
  await unblock(tx, batch, event);
  const isAsKnown = row.goneAt === null && row.etag !== null && row.etag === event.facts.etag;
  if (isAsKnown) return none;
  return await applyPresent(tx, batch, { row, appointment, facts: event.facts });
}

/**
 * The event is no appointment any more. A guest declines for nobody else: the owner may invite
 * others to the event of a customer.
 */
async function isGone(
  tx: Tx,
  { origin, hasGuests }: CalendarEventRow,
  { contactId }: Appointment,
  { kind, facts }: Exclude<MappedEvent, { kind: "unreadable" | "removed" }>,
): Promise<boolean> {
  const { keepsAppointment, declinedBy } = facts;
  if (declinedBy.length === 0) return !keepsAppointment;
  if (origin === "google" && !keepsAppointment) return true;
  const contact = await findOwned(tx, Contact, { id: contactId });
  const email = contact?.email ?? null;
  if (email !== null) return declinedBy.includes(email);
  // A contact who was known by the phone in the text may be the one guest of before.
  return origin === "google" && hasGuests && kind === "ignored" && declinedBy.length === 1;
}

const stale: IntakeEffect = { changed: false, at: null, block: null, isStale: true };

/** The customer was erased here. The time stays taken as long as the event is there. */
async function applyErased(
  tx: Tx,
  batch: IntakeBatch,
  row: CalendarEventRow,
  event: Exclude<MappedEvent, { kind: "unreadable" }>,
): Promise<IntakeEffect> {
  if (event.kind === "removed") {
    if (row.origin === "google") await tx.manager.delete(CalendarEventRow, row.id);
    await unblock(tx, batch, event);
    return none;
  }
  if (event.kind === "ignored" || row.origin === "parley") {
    await unblock(tx, batch, event);
    return none;
  }
  await storeSeen(tx, batch, row, event.facts, { isForeign: false });
  return blockOf(batch, event.facts);
}

interface KnownEvent {
  row: CalendarEventRow;
  appointment: Appointment;
}

async function applyGone(
  tx: Tx,
  batch: IntakeBatch,
  { row, appointment, event }: KnownEvent & { event: Exclude<MappedEvent, { kind: "unreadable" }> },
): Promise<IntakeEffect> {
  const isOver = appointment.endTime.getTime() < batch.readAt.getTime() - pastMs;
  const isInstance = row.seriesId !== null && event.kind === "removed";
  if (row.goneAt === null && isInstance && batch.pairsSeries && !isOver) {
    await stageChange(tx, batch.link, { kind: "vanished", row });
    return none;
  }
  const effect = row.goneAt === null ? await endAppointment(tx, row, { isOver }) : none;
  // After the customer's refusal the event of another guest takes the time.
  const isTaken = event.kind === "busy" || event.kind === "appointment";
  if (!isTaken) await unblock(tx, batch, event);
  if (event.kind === "removed") return effect;
  await tx.manager.update(CalendarEventRow, row.id, { generation: batch.link.generation });
  const { block } = isTaken ? blockOf(batch, event.facts) : none;
  return { changed: effect.changed, at: event.facts.updatedAt, block };
}

/**
 * Cancels the appointment of an event that is gone, and keeps the row for its return.
 * @param isOver the appointment is in the past, and stays as it is
 */
export async function endAppointment(
  tx: Tx,
  row: CalendarEventRow,
  { isOver }: { isOver: boolean },
): Promise<IntakeEffect> {
  const gone = { goneAt: tx.now, etag: null, updatedAt: tx.now };
  await tx.manager.update(CalendarEventRow, row.id, gone);
  if (isOver) return none;
  const change = { source: "google", syncCalendars: false, reason: null } as const;
  const changed = await cancelExternal(tx, row.appointmentId, change);
  return { changed: changed !== null, at: null, block: null };
}

async function applyPresent(
  tx: Tx,
  batch: IntakeBatch,
  { row, appointment, facts }: KnownEvent & { facts: EventFacts },
): Promise<IntakeEffect> {
  const move = moveOf(facts);
  if (row.goneAt !== null) {
    await storeSeen(tx, batch, row, facts, { isForeign: true });
    await noteEventId(tx, appointment);
    await restoreExternal(tx, appointment.id, move);
    return changedBy(facts);
  }
  const wanted = await listWantedTimes(tx, appointment);
  const isForeign = isAgreed(appointment.status) && isForeignTime(facts, row, wanted);
  if (isForeign && isOlderThanOurs(row, appointment, facts)) {
    await noteOverruled(tx, appointment, facts);
    await storeTag(tx, batch, row, facts);
    return none;
  }
  await storeSeen(tx, batch, row, facts, { isForeign });
  if (!isForeign) return none;
  await moveExternal(tx, appointment.id, move);
  return changedBy(facts);
}

/** Both sides have moved the appointment, and ours came later and is about to be written. */
function isOlderThanOurs(
  row: CalendarEventRow,
  appointment: Appointment,
  { updatedAt }: EventFacts,
): boolean {
  const isWritten =
    row.seenStart?.getTime() === appointment.startTime.getTime() &&
    row.seenEnd?.getTime() === appointment.endTime.getTime();
  return !isWritten && updatedAt !== null && updatedAt < appointment.updatedAt;
}

/**
 * Stores the event as it is now.
 * @param isForeign somebody else gave it these times. A later return to times of ours is theirs too.
 */
export async function storeSeen(
  tx: Tx,
  { link }: Pick<IntakeBatch, "link">,
  row: CalendarEventRow,
  facts: EventFacts,
  { isForeign }: { isForeign: boolean },
): Promise<void> {
  const sent = isForeign ? nothingSent : {};
  const seen = { ...seenColumns(link.generation, facts), ...sent, goneAt: null };
  await tx.manager.update(CalendarEventRow, row.id, { ...seen, updatedAt: tx.now });
  Object.assign(row, seen);
}

/** Stores the tag alone, so that our pending write replaces the event. */
async function storeTag(
  tx: Tx,
  { link }: Pick<IntakeBatch, "link">,
  row: CalendarEventRow,
  { etag }: EventFacts,
): Promise<void> {
  await tx.manager.update(CalendarEventRow, row.id, { etag, generation: link.generation });
}

function seenColumns(generation: number, facts: EventFacts) {
  const { etag, iCalUid, seriesId, startTime, endTime, hasGuests } = facts;
  return {
    etag,
    icalUid: iCalUid?.slice(0, maxIdLength) ?? null,
    seriesId,
    seenStart: startTime,
    seenEnd: endTime,
    hasGuests,
    generation,
  };
}

/** Values of a move that an event asks for. */
export function moveOf({ startTime, endTime }: Pick<EventFacts, "startTime" | "endTime">) {
  return { startTime, endTime, source: "google", syncCalendars: false } as const;
}

function blockOf({ link }: IntakeBatch, { eventId, startTime, endTime }: EventFacts): IntakeEffect {
  if (startTime >= endTime) return none;
  const { id: linkId, resourceId, connectionId, generation } = link;
  const block = { resourceId, connectionId, linkId, eventId, startTime, endTime, generation };
  return { changed: false, at: null, block };
}

/** Frees the time that the event has blocked until now. */
async function unblock(
  tx: Tx,
  { link: { resourceId, connectionId }, blocked }: IntakeBatch,
  event: MappedEvent,
): Promise<void> {
  const eventId = eventIdOf(event);
  if (blocked.has(eventId)) await removeBusyBlock(tx, { resourceId, connectionId, eventId });
}

function changedBy({ updatedAt }: EventFacts): IntakeEffect {
  return { changed: true, at: updatedAt, block: null };
}
