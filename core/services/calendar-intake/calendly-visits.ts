import { Appointment } from "../../../db/entities/appointment.ts";
import { CalendlyInviteeRow } from "../../../db/entities/calendly.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendlyInvitee } from "../../calendars/calendly-payload.ts";
import { AppError } from "../../errors.ts";
import { lockAppointment, storeAppointment } from "../appointments/appointment-records.ts";
import { markNoShow } from "../appointments/appointment-status.ts";
import {
  bookExternal,
  moveExternal,
  restoreExternal,
} from "../appointments/external-appointments.ts";
import { findCopiedAppointment } from "../calendars/calendly-copies.ts";
import { endCopy } from "./calendly-copied-events.ts";
import { findServiceId, type EventAgendas } from "./calendly-agendas.ts";

/** A visit of an invitee, with its agenda. */
interface Visit<Agendas = EventAgendas | null> {
  connectionId: number;
  invitee: CalendlyInvitee;
  agendas: Agendas;
}

/** Calendly writes, moves and deletes its own copy in the calendars of its hosts. */
const source = { source: "calendly", syncCalendars: false } as const;

/**
 * The appointment of an invitee of whom we hear first: the one that Calendly's copy in Google
 * Calendar has made already, else a new one.
 * @returns null if none of the hosts has an agenda
 */
export async function placeNewcomer(tx: Tx, { agendas, ...visit }: Visit): Promise<number | null> {
  if (agendas === null) return null;
  const known = await findCopyAt(tx, visit.invitee, agendas.resourceId);
  return known ?? (await bookVisit(tx, { ...visit, agendas }));
}

/** The appointment that the copy of a booking in the Google calendar of this agenda has made. */
async function findCopyAt(
  tx: Tx,
  { email, event }: CalendlyInvitee,
  resourceId: number,
): Promise<number | null> {
  const { startTime, endTime, googleEventId: eventId, isGroup } = event;
  const copy = { eventId, email, resourceId, startTime, endTime, isGroup };
  return await findCopiedAppointment(tx, copy);
}

/** Ends appointments that copies in the Google calendars of other hosts have made. */
export async function endCopiesOfOtherHosts(
  tx: Tx,
  invitee: CalendlyInvitee,
  { otherResourceIds }: EventAgendas,
): Promise<void> {
  for (const resourceId of otherResourceIds) {
    const copiedId = await findCopyAt(tx, invitee, resourceId);
    if (copiedId !== null) await endCopy(tx, copiedId, null);
  }
}

/** Books an appointment of an invitee. @returns null without a phone and an email */
export async function bookVisit(
  tx: Tx,
  { connectionId, invitee, agendas }: Visit<EventAgendas>,
): Promise<number | null> {
  const { name, phone, email, event } = invitee;
  if (phone === null && email === null) return null;
  const { title, startTime, endTime, googleEventId, eventId } = event;
  const others = { accountId: tx.actor.accountId, connectionId, eventId, state: "active" as const };
  // The other invitees of a group are at the same time by design.
  const isFurther = event.isGroup && (await tx.manager.countBy(CalendlyInviteeRow, others)) > 1;
  const booked = await bookExternal(tx, {
    ...source,
    resourceId: agendas.resourceId,
    serviceId: await findServiceId(tx, connectionId, event.typeId),
    startTime,
    endTime,
    customer: { name, phone, email },
    title,
    googleEventId,
    notify: isFurther ? "none" : "members",
  });
  if (booked === null) return null;
  return booked.id;
}

/**
 * Moves an appointment to the time and the agenda of an invitee. A cancelled one is confirmed again
 * there. Without an agenda it keeps its own. An appointment that the copy of the new time has made
 * in a Google calendar ends first. An appointment that was replaced here stays, and the new time
 * gets another one.
 * @returns the id of the appointment at the new time
 */
export async function moveVisit(tx: Tx, appointmentId: number, visit: Visit): Promise<number> {
  const { invitee, agendas } = visit;
  const { startTime, endTime, googleEventId } = invitee.event;
  const resourceId = agendas?.resourceId;
  const { row } = await lockAppointment(tx, appointmentId, resourceId);
  if (row.status === "rescheduled") return (await placeNewcomer(tx, visit)) ?? appointmentId;
  const to = { ...source, startTime, endTime, resourceId };
  const copiedId = resourceId === undefined ? null : await findCopyAt(tx, invitee, resourceId);
  if (copiedId !== null && resourceId !== undefined) {
    await endCopy(tx, copiedId, { appointmentId, resourceId });
  }
  // The event of the move names it.
  if (googleEventId !== null) {
    await tx.manager.update(Appointment, appointmentId, { googleEventId });
  }
  const moved = await moveExternal(tx, appointmentId, to);
  if (!moved) await restoreExternal(tx, appointmentId, to);
  return appointmentId;
}

/** Marks a visit as missed, or takes the mark back. Publishes nothing (rule C72). */
export async function followNoShow(
  tx: Tx,
  appointmentId: number,
  from: string | null,
  to: string | null,
): Promise<void> {
  if ((from === null) === (to === null)) return;
  if (to === null) return await unmark(tx, appointmentId);
  try {
    await markNoShow(tx, { appointmentId, source: source.source });
  } catch (error) {
    // A cancelled visit, and one that has not begun by our clock, stay as they are.
    if (!(error instanceof AppError)) throw error;
  }
}

/** The time may have been booked meanwhile. The calendar decides, and both show. */
async function unmark(tx: Tx, appointmentId: number): Promise<void> {
  const { row } = await lockAppointment(tx, appointmentId);
  if (row.status === "no_show") await storeAppointment(tx, row, { status: "confirmed" });
}
