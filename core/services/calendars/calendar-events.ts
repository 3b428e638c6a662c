import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import { CalendarEventRow, CalendarLink } from "../../../db/entities/calendar-link.ts";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendarEvent, CalendarResult } from "../../model/calendar.ts";
import { noteEventId } from "./calendar-event-ids.ts";
import { disconnectCalendarLink, findConnectedLink } from "./calendar-links.ts";
import { insertOrLose, insertRow } from "../sql.ts";

/** One write to an external calendar, noted down before it is made. */
export interface CalendarWrite {
  link: CalendarLink;
  rowId: number;
  /** Only the last write of a row notes down what came of it. */
  writes: number;
  appointmentId: number;
  eventId: string;
  /** As the event must still be; null: nobody knows whether it is there. */
  etag: string | null;
  /** What is to be there; null: nothing. */
  event: CalendarEvent | null;
}

/** The tag of an event as the provider just gave it. */
interface SeenEvent {
  eventId: string;
  etag: string;
}

/** What a try has met so far. */
export interface MetSoFar {
  seen: SeenEvent | null;
  /** Rows that are left for the next try: one whose calendar is in trouble holds no other one up. */
  left: readonly number[];
}

/** What a calendar is to show of an appointment. */
type Wanted = Omit<CalendarEvent, "id">;

/** No insert can still be under way to a provider after this long: a call ends within 5 s. */
const unheardMs = 30_000;

/**
 * What has to be written next so that the event of an appointment is where a move under way wants it.
 * @returns null where that is so, where the agenda has no calendar, and where the move has ended.
 */
export async function beginMoveWrite(
  tx: Tx,
  rescheduleId: number,
  met: MetSoFar,
): Promise<CalendarWrite | null> {
  const known = await findReschedule(tx, rescheduleId);
  if (known === null) return null;
  const rows = await lockEvents(tx, known.appointmentId);
  const reschedule = await findReschedule(tx, rescheduleId);
  const appointment = await findOwn(tx, known.appointmentId);
  if (reschedule?.state !== "requested" || appointment?.status !== "confirmed") return null;
  const link = await findConnectedLink(tx, reschedule.resourceId);
  if (link === null) return null;
  const wanted = await describe(tx, appointment, reschedule);
  return await beginPut(tx, rows, { link, wanted, met });
}

/**
 * What has to be written next so that the external events of an appointment are in line with it: first
 * the one where it is, then those where it is no more.
 * @returns null where they are, but for those that are left.
 */
export async function beginSyncWrite(
  tx: Tx,
  appointmentId: number,
  met: MetSoFar,
): Promise<CalendarWrite | null> {
  // The rows come first: who reads an older state of the appointment then has an older tag as well,
  // and is refused by the provider once a newer state has been written.
  const rows = await lockEvents(tx, appointmentId);
  const appointment = await findOwn(tx, appointmentId);
  const link =
    appointment !== null && isOnCalendar(appointment)
      ? await findConnectedLink(tx, appointment.resourceId)
      : null;
  if (appointment !== null && link !== null) {
    const wanted = await describe(tx, appointment, appointment);
    const put = await beginPut(tx, rows, { link, wanted, met });
    if (put !== null) return put;
  }
  for (const row of rows.filter(
    ({ id, linkId }) => linkId !== link?.id && !met.left.includes(id),
  )) {
    const stray = await tx.manager.findOneBy(CalendarLink, { id: row.linkId, state: "connected" });
    if (stray !== null) return await begin(tx, row, { link: stray, event: null, met });
  }
  return null;
}

/**
 * Notes down what came of a write.
 * @returns what to do next. `look`: see whether anything is left to write. `wait`: make this one again a
 * while later. `leave`: another write of the same event has begun since; whoever made it read a state
 * that is at least as new as ours, and looks after the event in the end.
 */
export async function recordCalendarWrite(
  tx: Tx,
  write: CalendarWrite,
  result: Extract<CalendarResult, { kind: "done" | "gone" | "disconnected" }>,
): Promise<"look" | "wait" | "leave"> {
  const { link, rowId: id, writes, event, etag } = write;
  if (result.kind === "disconnected") {
    await disconnectCalendarLink(tx, link);
    return "look";
  }
  // Locked before the event, as by everything that changes both.
  const appointment = await findOwn(tx, write.appointmentId, true);
  const row = await tx.manager.findOne(CalendarEventRow, {
    where: { id, writes },
    lock: { mode: "pessimistic_write" },
  });
  if (row === null) return "leave";
  if (event === null) {
    // An insert that nobody heard back from may arrive yet.
    const unheard = result.kind === "gone" && etag === null;
    if (unheard && tx.now.getTime() - row.updatedAt.getTime() < unheardMs) return "wait";
    await tx.manager.delete(CalendarEventRow, id);
  } else if (result.kind === "gone") {
    // The id of a deleted event stays taken.
    await tx.manager.update(CalendarEventRow, id, { eventId: makeEventId(), etag: null });
  } else {
    await tx.manager.update(CalendarEventRow, id, { etag: result.etag, written: hash(event) });
  }
  if (appointment !== null) await noteEventId(tx, appointment);
  return "look";
}

function isOnCalendar({ status }: Appointment): boolean {
  return status !== "cancelled" && status !== "rescheduled";
}

async function findOwn(tx: Tx, id: number, lock = false): Promise<Appointment | null> {
  return await tx.manager.findOne(Appointment, {
    where: { id, accountId: tx.actor.accountId },
    ...(lock ? { lock: { mode: "pessimistic_write" as const } } : {}),
  });
}

async function findReschedule(tx: Tx, id: number): Promise<AppointmentReschedule | null> {
  return await tx.manager.findOneBy(AppointmentReschedule, { id, accountId: tx.actor.accountId });
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
  return { appointmentId, summary, startTime, endTime, timeZone };
}

async function beginPut(
  tx: Tx,
  rows: CalendarEventRow[],
  { link, wanted, met }: { link: CalendarLink; wanted: Wanted; met: MetSoFar },
): Promise<CalendarWrite | null> {
  const row =
    rows.find(({ linkId }) => linkId === link.id) ?? (await insertEvent(tx, link, wanted));
  if (met.left.includes(row.id) || row.written?.equals(hash(wanted)) === true) return null;
  return await begin(tx, row, { link, event: { ...wanted, id: row.eventId }, met });
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

/** Hexadecimal digits are in every provider's alphabet. */
function makeEventId(): string {
  return uuidv7().replaceAll("-", "");
}

/** What is there is not known from here on, until the outcome is noted down. */
async function begin(
  tx: Tx,
  row: CalendarEventRow,
  { link, event, met: { seen } }: Pick<CalendarWrite, "link" | "event"> & { met: MetSoFar },
): Promise<CalendarWrite> {
  const writes = row.writes + 1;
  const since = event === null ? {} : { updatedAt: tx.now };
  await tx.manager.update(CalendarEventRow, row.id, { writes, written: null, ...since });
  const { id: rowId, eventId, appointmentId } = row;
  const etag = seen?.eventId === eventId ? seen.etag : row.etag;
  return { link, rowId, writes, appointmentId, eventId, etag, event };
}

/** Of what a calendar shows, whatever the event's id. */
function hash({ appointmentId, summary, startTime, endTime, timeZone }: Wanted): Buffer {
  const shown = [appointmentId, summary, startTime, endTime, timeZone];
  return createHash("sha256").update(JSON.stringify(shown)).digest();
}
