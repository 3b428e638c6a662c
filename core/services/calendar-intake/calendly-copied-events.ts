import { Appointment } from "../../../db/entities/appointment.ts";
import { CalendarEventRow } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MappedEvent } from "../../calendars/google-mapping.ts";
import { cancelExternal } from "../appointments/external-appointments.ts";
import { adoptEvent } from "../calendars/adopted-events.ts";
import { requestCalendlyRead } from "../calendars/calendly-commands.ts";
import {
  findCalendlyAppointment,
  findMovedBooking,
  hasCalendly,
  isCalendlyAppointment,
  isCopyOfOtherHost,
  type BookingCopy,
} from "../calendars/calendly-copies.ts";
import { eventIdOf, type IntakeBatch } from "./intake-batch.ts";

/** An event of a Google calendar that may be Calendly's copy of a booking. */
type ReadCopy = BookingCopy & { eventId: string };

/**
 * Gives an event that is Calendly's copy of a booking to the appointment of that booking. If the
 * booking has moved to the event, Calendly is read, which moves the appointment.
 * @returns false for another event
 */
export async function takeCopy(tx: Tx, linkId: number, copy: ReadCopy): Promise<boolean> {
  const { eventId, resourceId } = copy;
  const copiedId = await findCalendlyAppointment(tx, copy);
  const mayMove = copiedId === null && (await hasCalendly(tx));
  if (mayMove && (await isCopyOfOtherHost(tx, copy))) return true;
  const moved = mayMove ? await findMovedBooking(tx, linkId, copy) : null;
  const appointmentId = copiedId ?? moved?.appointmentId;
  if (appointmentId === undefined) return false;
  await adoptEvent(tx, { appointmentId, resourceId, eventId });
  await tx.manager.update(Appointment, appointmentId, { googleEventId: eventId });
  if (moved !== null) await requestCalendlyRead(tx, moved.connectionId);
  return true;
}

/**
 * Notes which copies of Calendly's bookings are gone, before the other events of a page are applied:
 * the page may name the next copy of a moved booking first.
 */
export async function noteGoneCopies(
  tx: Tx,
  { rows }: Pick<IntakeBatch, "rows">,
  events: readonly MappedEvent[],
): Promise<void> {
  for (const event of events) {
    const row = rows.get(eventIdOf(event));
    if (event.kind !== "removed" || row === undefined || row.goneAt !== null) continue;
    if (!(await isCalendlyAppointment(tx, row.appointmentId))) continue;
    const gone = { goneAt: tx.now, updatedAt: tx.now };
    await tx.manager.update(CalendarEventRow, row.id, gone);
    Object.assign(row, gone);
  }
}

/**
 * Ends an appointment that was made from Calendly's copy in a Google calendar, because another
 * appointment has the booking. The event itself stays, and belongs to that one.
 */
export async function endCopy(
  tx: Tx,
  copiedId: number,
  booking: { appointmentId: number; resourceId: number } | null,
): Promise<void> {
  const { accountId } = tx.actor;
  const where = { accountId, appointmentId: copiedId };
  const rows = await tx.manager.findBy(CalendarEventRow, where);
  await tx.manager.delete(CalendarEventRow, where);
  await cancelExternal(tx, copiedId, { source: "calendly", syncCalendars: false, reason: null });
  await tx.manager.update(Appointment, { id: copiedId, accountId }, { googleEventId: null });
  if (booking === null) return;
  for (const { eventId } of rows) await adoptEvent(tx, { ...booking, eventId });
}
