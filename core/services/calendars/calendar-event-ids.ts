import { Appointment } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";

/**
 * The id of an appointment's event as it is to be read where the appointment is on this agenda: that on
 * the agenda's calendar, once it is there. What another system noted is kept as long as nothing moves.
 */
export async function findEventId(
  tx: Tx,
  appointment: Pick<Appointment, "id" | "resourceId" | "googleEventId">,
  resourceId: number,
): Promise<string | null> {
  const [row] = await tx.manager.query<{ event_id: string | null }[]>(
    `SELECT IF(e.etag IS NULL, NULL, e.event_id) AS event_id FROM calendar_links l
       LEFT JOIN calendar_events e ON e.appointment_id = ? AND e.link_id = l.id
      WHERE l.resource_id = ? AND l.account_id = ?`,
    [appointment.id, resourceId, tx.actor.accountId],
  );
  if (row !== undefined) return row.event_id;
  return resourceId === appointment.resourceId ? appointment.googleEventId : null;
}

/** Gives the event on the calendar of an agenda to the appointment that replaces the one it was made for. */
export async function handOverEvent(
  tx: Tx,
  { from, to, resourceId }: { from: number; to: number; resourceId: number },
): Promise<void> {
  await tx.manager.query(
    `UPDATE calendar_events e JOIN calendar_links l ON l.id = e.link_id
        SET e.appointment_id = ?, e.written = NULL
      WHERE e.appointment_id = ? AND l.resource_id = ? AND l.account_id = ?`,
    [to, from, resourceId, tx.actor.accountId],
  );
}

/** The appointment names its event for as long as that is there. */
export async function noteEventId(tx: Tx, row: Appointment): Promise<void> {
  const googleEventId = await findEventId(tx, row, row.resourceId);
  if (googleEventId === row.googleEventId) return;
  await tx.manager.update(Appointment, row.id, { googleEventId });
}
