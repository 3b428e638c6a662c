import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import type { Tx } from "../../../db/transaction.ts";
import { pairWaitMs } from "../../model/workflow/calendly.ts";

/** An event of a Google calendar that may be Calendly's copy of a booking, or the other way round. */
export interface BookingCopy {
  eventId: string | null;
  resourceId: number;
  startTime: Date;
  endTime: Date;
  email: string | null;
}

/** A copy in a Google calendar of a booking that Calendly has just told of. */
interface NamedCopy extends BookingCopy {
  /** The appointments of a group have one event, so the email tells them apart. */
  isGroup: boolean;
}

/** A copy that is gone for longer than this says nothing of a new event. */
const moveWindowMs = pairWaitMs;

/**
 * The appointment that was made from Calendly's copy in a Google calendar before Calendly told us of
 * the booking, or null.
 */
export async function findCopiedAppointment(tx: Tx, copy: NamedCopy): Promise<number | null> {
  const { accountId } = tx.actor;
  const { eventId, resourceId, startTime, endTime, email, isGroup } = copy;
  const [row] = await tx.manager.query<{ id: number }[]>(
    `SELECT a.id FROM appointments a JOIN contacts c ON c.id = a.contact_id
      WHERE a.account_id = ? AND a.resource_id = ? AND a.start_time = ? AND a.end_time = ?
        AND a.source = 'google' AND a.status = 'confirmed'
        AND (a.google_event_id = ? OR (? IS NULL AND c.email = ?)) AND (? = 0 OR c.email = ?)
        AND NOT EXISTS (SELECT 1 FROM calendly_invitees i WHERE i.appointment_id = a.id)
      ORDER BY a.id LIMIT 1`,
    [accountId, resourceId, startTime, endTime, eventId, eventId, email, isGroup ? 1 : 0, email],
  );
  return row?.id ?? null;
}

/**
 * The appointment of a Calendly booking whose copy in a Google calendar is read now, or null. While
 * Calendly has not named the copy's id, agenda, times and email tell.
 */
export async function findCalendlyAppointment(
  tx: Tx,
  { eventId, resourceId, startTime, endTime, email }: BookingCopy,
): Promise<number | null> {
  const [row] = await tx.manager.query<{ id: number }[]>(
    `SELECT a.id FROM appointments a JOIN contacts c ON c.id = a.contact_id
      WHERE a.account_id = ? AND a.resource_id = ? AND a.start_time = ? AND a.end_time = ?
        AND a.status = 'confirmed'
        AND (a.source = 'calendly'
             OR EXISTS (SELECT 1 FROM calendly_invitees i WHERE i.appointment_id = a.id))
        AND (a.google_event_id = ? OR c.email = ?)
      ORDER BY a.id LIMIT 1`,
    [tx.actor.accountId, resourceId, startTime, endTime, eventId, email],
  );
  return row?.id ?? null;
}

/** True if the account has ever connected Calendly. Other accounts have no copies. */
export async function hasCalendly(tx: Tx): Promise<boolean> {
  const where = { accountId: tx.actor.accountId, provider: "calendly" as const };
  return await tx.manager.existsBy(CalendarConnection, where);
}

/** An appointment of Calendly, with the connection of its booking. */
interface MovedBooking {
  appointmentId: number;
  connectionId: number;
}

/**
 * The booking of Calendly that has just moved to an event which is read now, or null. Calendly
 * deletes the copy of a booking that moves, and writes another one for the same customer.
 */
export async function findMovedBooking(
  tx: Tx,
  linkId: number,
  { resourceId, email }: Pick<BookingCopy, "resourceId" | "email">,
): Promise<MovedBooking | null> {
  if (email === null) return null;
  const [row] = await tx.manager.query<MovedBooking[]>(
    `SELECT a.id AS appointmentId, i.connection_id AS connectionId
       FROM contacts c
       JOIN appointments a ON a.contact_id = c.id AND a.account_id = c.account_id
       JOIN calendly_invitees i ON i.appointment_id = a.id AND i.state IN ('active', 'held')
       JOIN calendar_events e ON e.appointment_id = a.id AND e.link_id = ?
      WHERE c.account_id = ? AND c.email = ? AND a.resource_id = ? AND a.status = 'confirmed'
        AND e.gone_at > ?
      ORDER BY e.gone_at DESC, a.id LIMIT 1`,
    [linkId, tx.actor.accountId, email, resourceId, new Date(tx.now.getTime() - moveWindowMs)],
  );
  return row ?? null;
}

/**
 * True for the copy of a Calendly booking in the calendar of another host. The appointment is on
 * the agenda of the first host, and the time of this one is blocked.
 */
export async function isCopyOfOtherHost(
  tx: Tx,
  { resourceId, startTime, endTime, email }: BookingCopy,
): Promise<boolean> {
  const rows = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM busy_blocks b
       JOIN calendly_invitees i ON i.connection_id = b.connection_id AND i.event_id = b.event_id
        AND i.state IN ('active', 'held')
       JOIN appointments a ON a.id = i.appointment_id AND a.status = 'confirmed'
       JOIN contacts c ON c.id = a.contact_id
      WHERE b.account_id = ? AND b.resource_id = ? AND b.start_time = ? AND b.end_time = ?
        AND b.link_id IS NULL AND c.email = ? LIMIT 1`,
    [tx.actor.accountId, resourceId, startTime, endTime, email],
  );
  return rows.length > 0;
}

/**
 * True for an appointment that Calendly keeps. Calendly moves a booking by deleting its copy in
 * Google Calendar and writing another one, so a change of the copy says nothing.
 */
export async function isCalendlyAppointment(tx: Tx, appointmentId: number): Promise<boolean> {
  const rows = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM calendly_invitees
      WHERE appointment_id = ? AND account_id = ? AND state IN ('active', 'held') LIMIT 1`,
    [appointmentId, tx.actor.accountId],
  );
  return rows.length > 0;
}
