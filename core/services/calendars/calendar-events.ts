import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import type { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import {
  CalendarEventRow,
  type CalendarLink,
  type UnheardTime,
} from "../../../db/entities/calendar-link.ts";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendarEvent, CalendarResult } from "../../model/calendar.ts";
import { noteEventId } from "./calendar-event-ids.ts";
import { requestCalendarRead } from "./calendar-reads.ts";
import {
  disconnectCalendarLink,
  findConnectedLink,
  findWritableLink,
  type ConnectedLink,
} from "./calendar-links.ts";
import { disconnectConnection } from "./connections.ts";
import { findOwned, insertOrLose, insertRow, lockOwnedIfThere } from "../sql.ts";

/** One write to an external calendar, recorded before the call is made. */
export interface CalendarWrite {
  link: CalendarLink;
  /** Connection with the credentials of the link. */
  connection: CalendarConnection;
  rowId: number;
  /** Number of this write. Only the last write of a row stores its result. */
  writes: number;
  appointmentId: number;
  eventId: string;
  /** Tag that the event must still have; null if it is unknown whether the event exists. */
  etag: string | null;
  /** Event to write; null deletes. */
  event: CalendarEvent | null;
  /** The provider informs the invited guests. */
  notifyGuests: boolean;
}

/** Tag of an event as the provider has just returned it. */
interface SeenEvent {
  eventId: string;
  etag: string;
}

/** State of one try over several writes. */
export interface MetSoFar {
  seen: SeenEvent | null;
  /** Rows that are left for the next try, so that a calendar with an error delays no other. */
  left: readonly number[];
}

/** Content of an appointment's event. */
type Wanted = Omit<CalendarEvent, "id">;

/** After this long no insert can still be under way to a provider: a call ends within 5 s. */
const unheardMs = 30_000;
/** More writes without an answer differ in their times only after so many moves in an outage. */
const mostUnheard = 20;

/**
 * Prepares the next write for a move under way: it puts the event to the new time.
 * @returns null if the event is there already, the resource has no calendar, or the move has ended.
 */
export async function beginMoveWrite(
  tx: Tx,
  rescheduleId: number,
  met: MetSoFar,
): Promise<CalendarWrite | null> {
  const known = await findOwned(tx, AppointmentReschedule, { id: rescheduleId });
  if (known === null) return null;
  const rows = await lockEvents(tx, known.appointmentId);
  const reschedule = await findOwned(tx, AppointmentReschedule, { id: rescheduleId });
  const appointment = await findOwned(tx, Appointment, { id: known.appointmentId });
  if (reschedule?.state !== "requested" || appointment?.status !== "confirmed") return null;
  const target = await findWritableLink(tx, reschedule.resourceId);
  if (target === null) return null;
  const wanted = await describe(tx, appointment, reschedule);
  return await beginPut(tx, rows, { target, wanted, met });
}

/**
 * Prepares the next write that brings an appointment's external events in line with the
 * appointment. The event on the current calendar comes first, then the events to delete elsewhere.
 * @returns null if all events are in line, except those in `met.left`.
 */
export async function beginSyncWrite(
  tx: Tx,
  appointmentId: number,
  met: MetSoFar,
): Promise<CalendarWrite | null> {
  // The rows are locked before the appointment is read. A run that read an older state then holds
  // an older tag as well. The provider refuses that tag once a newer state was written.
  const rows = await lockEvents(tx, appointmentId);
  const appointment = await findOwned(tx, Appointment, { id: appointmentId });
  const target =
    appointment !== null && isOnCalendar(appointment)
      ? await findWritableLink(tx, appointment.resourceId)
      : null;
  if (appointment !== null && target !== null) {
    const wanted = await describe(tx, appointment, appointment);
    const put = await beginPut(tx, rows, { target, wanted, met });
    if (put !== null) return put;
  }
  const strays = rows.filter(
    ({ id, linkId, goneAt }) =>
      linkId !== target?.link.id && goneAt === null && !met.left.includes(id),
  );
  for (const row of strays) {
    // The customer was erased. The event stays in the calendar of its maker.
    if (appointment === null && row.origin === "google") continue;
    const stray = await findConnectedLink(tx, row.linkId);
    // A calendar for busy times alone is not written to, except that erased people go.
    if (appointment !== null && stray?.link.direction === "busy_only") continue;
    if (stray !== null) return await begin(tx, row, { target: stray, event: null, met });
  }
  return null;
}

/**
 * Stores the result of a write.
 * @returns the next step.
 * - `look`: check for further writes.
 * - `wait`: repeat this write a while later.
 * - `leave`: another write of the same event has begun since. Its run read a state at least as new
 *   as ours, and finishes the event.
 */
export async function recordCalendarWrite(
  tx: Tx,
  write: CalendarWrite,
  result: Extract<CalendarResult, { kind: "done" | "gone" | "disconnected" }>,
): Promise<"look" | "wait" | "leave"> {
  const { link, connection, rowId: id, writes, event, etag } = write;
  if (result.kind === "disconnected") {
    if (result.of === "calendar") await disconnectCalendarLink(tx, link);
    else await disconnectConnection(tx, connection, result.code);
    return "look";
  }
  // Locked before the event, the order of every transaction that changes both.
  const appointment = await lockOwnedIfThere(tx, Appointment, { id: write.appointmentId });
  const row = await tx.manager.findOne(CalendarEventRow, {
    where: { id, writes },
    lock: { mode: "pessimistic_write" },
  });
  if (row === null) return "leave";
  // A changed series has given its instance another id meanwhile. That event is written next.
  if (row.eventId !== write.eventId) return "look";
  if (event === null) {
    // An insert without an answer may still arrive.
    const unheard = result.kind === "gone" && etag === null;
    if (unheard && tx.now.getTime() - row.updatedAt.getTime() < unheardMs) return "wait";
    const isOfAgenda = appointment?.resourceId === link.resourceId;
    const isInBin = link.direction === "two_way" && !unheard && appointment?.status === "cancelled";
    await forgetEvent(tx, row, isOfAgenda && (row.origin === "google" || isInBin));
  } else if (result.kind === "gone") {
    // A deletion in the calendar cancels the appointment. The next reading finds it.
    if (link.direction === "two_way" && etag !== null) {
      await requestCalendarRead(tx, link.id);
      return "leave";
    }
    // A provider does not free the id of a deleted event.
    await tx.manager.update(CalendarEventRow, id, { eventId: makeEventId(), etag: null });
  } else {
    const seen = { seenStart: event.startTime, seenEnd: event.endTime, wroteAt: tx.now };
    await tx.manager.update(CalendarEventRow, id, {
      ...seen,
      etag: result.etag,
      written: hash(event),
      unheard: null,
    });
  }
  if (appointment !== null) await noteEventId(tx, appointment);
  return "look";
}

/**
 * Forgets a deleted event. The row of one that its owner may take back from the bin stays, so that
 * the return is recognized.
 */
async function forgetEvent(tx: Tx, row: CalendarEventRow, mayReturn: boolean): Promise<void> {
  if (!mayReturn) {
    await tx.manager.delete(CalendarEventRow, row.id);
    return;
  }
  const gone = { goneAt: tx.now, wroteAt: tx.now, etag: null };
  await tx.manager.update(CalendarEventRow, row.id, gone);
}

/**
 * Stores that an event did not take the times of a write. Somebody else may give it those times
 * later, and then they count as theirs.
 */
export async function recordRefusal(tx: Tx, { rowId: id, writes }: CalendarWrite): Promise<void> {
  await tx.manager.update(CalendarEventRow, { id, writes }, nothingSent);
}

/** Columns of an event whose times are no longer those of a write of ours. */
export const nothingSent = { sentStart: null, sentEnd: null, unheard: null } as const;

function isOnCalendar({ status }: Appointment): boolean {
  return status !== "cancelled" && status !== "rescheduled";
}

async function lockEvents(tx: Tx, appointmentId: number): Promise<CalendarEventRow[]> {
  return await tx.manager.find(CalendarEventRow, {
    where: { appointmentId, accountId: tx.actor.accountId },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
}

async function describe(
  tx: Tx,
  { id: appointmentId, title, customerName }: Appointment,
  { resourceId, startTime, endTime }: Pick<Appointment, "resourceId" | "startTime" | "endTime">,
): Promise<Wanted> {
  const { timeZone } = await tx.manager.findOneByOrFail(Resource, { id: resourceId });
  const summary = title === customerName ? title : `${title}: ${customerName}`;
  const asOurs = { timesOnly: false, notifyGuests: false };
  return { appointmentId, summary, startTime, endTime, timeZone, ...asOurs };
}

async function beginPut(
  tx: Tx,
  rows: CalendarEventRow[],
  { target, wanted, met }: { target: ConnectedLink; wanted: Wanted; met: MetSoFar },
): Promise<CalendarWrite | null> {
  const { link } = target;
  const row =
    rows.find(({ linkId }) => linkId === link.id) ?? (await insertEvent(tx, link, wanted));
  if (met.left.includes(row.id) || isInLine(row, wanted)) return null;
  if (row.goneAt !== null) await renewEvent(tx, row);
  const isTheirs = row.origin === "google";
  const write = { timesOnly: isTheirs, notifyGuests: isTheirs && row.hasGuests };
  return await begin(tx, row, { target, event: { ...wanted, ...write, id: row.eventId }, met });
}

/** An event that somebody made in the calendar keeps everything but its times. */
function isInLine(row: CalendarEventRow, wanted: Wanted): boolean {
  if (row.goneAt !== null) return false;
  if (row.origin === "parley") return row.written?.equals(hash(wanted)) === true;
  return (
    row.seenStart?.getTime() === wanted.startTime.getTime() &&
    row.seenEnd?.getTime() === wanted.endTime.getTime()
  );
}

/** An appointment whose event was deleted, and that was confirmed again, gets an event of ours. */
async function renewEvent(tx: Tx, row: CalendarEventRow): Promise<void> {
  const fresh = { eventId: makeEventId(), etag: null, written: null, goneAt: null } as const;
  const ours = { origin: "parley", icalUid: null, seriesId: null, hasGuests: false } as const;
  await tx.manager.update(CalendarEventRow, row.id, { ...fresh, ...ours });
  Object.assign(row, fresh, ours);
}

async function insertEvent(
  tx: Tx,
  link: CalendarLink,
  { appointmentId }: Wanted,
): Promise<CalendarEventRow> {
  const row = tx.manager.create(CalendarEventRow, {
    accountId: tx.actor.accountId,
    appointmentId,
    linkId: link.id,
    eventId: makeEventId(),
    etag: null,
    written: null,
    writes: 0,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  row.id = await insertOrLose(() => insertRow(tx, CalendarEventRow, row));
  return row;
}

/** Hexadecimal digits are valid in the ids of every provider. */
function makeEventId(): string {
  return uuidv7().replaceAll("-", "");
}

/** Clears `written`: the event's content is unknown until the result of this write is stored. */
async function begin(
  tx: Tx,
  row: CalendarEventRow,
  {
    target,
    event,
    met: { seen },
  }: Pick<CalendarWrite, "event"> & { target: ConnectedLink; met: MetSoFar },
): Promise<CalendarWrite> {
  const writes = row.writes + 1;
  const sent =
    event === null ? {} : { updatedAt: tx.now, sentStart: event.startTime, sentEnd: event.endTime };
  const begun = { writes, written: null, wroteAt: tx.now, unheard: listUnheard(row) };
  await tx.manager.update(CalendarEventRow, row.id, { ...begun, ...sent });
  const { id: rowId, eventId, appointmentId } = row;
  const etag = seen?.eventId === eventId ? seen.etag : row.etag;
  const notifyGuests = row.origin === "google" && row.hasGuests;
  return { ...target, rowId, writes, appointmentId, eventId, etag, event, notifyGuests };
}

/**
 * Times of writes that the calendar may have taken without our knowledge, the last one too. They are
 * no change of somebody else.
 */
function listUnheard({ unheard, written, sentStart, sentEnd }: CalendarEventRow): UnheardTime[] {
  if (written !== null || !sentStart || !sentEnd) return unheard ?? [];
  const last = { start: sentStart.toISOString(), end: sentEnd.toISOString() };
  const others = (unheard ?? []).filter(
    ({ start, end }) => start !== last.start || end !== last.end,
  );
  return [...others, last].slice(-mostUnheard);
}

/** Hash of the content that a calendar shows, without the event's id. */
function hash({ appointmentId, summary, startTime, endTime, timeZone }: Wanted): Buffer {
  const shown = [appointmentId, summary, startTime, endTime, timeZone];
  return createHash("sha256").update(JSON.stringify(shown)).digest();
}
