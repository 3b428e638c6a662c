import type { Tx } from "../../../db/transaction.ts";

/** An event of a Google calendar that may be Calendly's copy of a booking, or the other way round. */
export interface BookingCopy {
  eventId: string | null;
  resourceId: number;
  startTime: Date;
  endTime: Date;
  email: string | null;
}

/**
 * The appointment that was made from Calendly's copy in a Google calendar before Calendly told us of
 * the booking, or null.
 */
export async function findCopiedAppointment(tx: Tx, copy: BookingCopy): Promise<number | null> {
  const { accountId } = tx.actor;
  const { eventId, resourceId, startTime, endTime, email } = copy;
  const [row] = await tx.manager.query<{ id: number }[]>(
    `SELECT a.id FROM appointments a JOIN contacts c ON c.id = a.contact_id
      WHERE a.account_id = ? AND a.resource_id = ? AND a.start_time = ? AND a.end_time = ?
        AND a.source = 'google' AND a.status = 'confirmed'
        AND (a.google_event_id = ? OR (? IS NULL AND c.email = ?))
        AND NOT EXISTS (SELECT 1 FROM calendly_invitees i WHERE i.appointment_id = a.id)
      ORDER BY a.id LIMIT 1`,
    [accountId, resourceId, startTime, endTime, eventId, eventId, email],
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
