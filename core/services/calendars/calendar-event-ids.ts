import { Appointment } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";

/**
 * External event id of an appointment, as readers would see the id on this resource. If the
 * resource has a calendar, that is the id on this calendar once the event was written there.
 * Otherwise an id that another system set stays while the resource stays the same.
 */
export async function findEventId(
  tx: Tx,
  appointment: Pick<Appointment, "id" | "resourceId" | "googleEventId">,
  resourceId: number,
): Promise<string | null> {
  const [row] = await tx.manager.query<{ event_id: string | null }[]>(
    `SELECT IF(e.etag IS NULL, NULL, e.event_id) AS event_id FROM calendar_links l
       LEFT JOIN calendar_events e ON e.appointment_id = ? AND e.link_id = l.id
      WHERE l.resource_id = ? AND l.account_id = ? AND l.direction <> 'busy_only'`,
    [appointment.id, resourceId, tx.actor.accountId],
  );
  if (row !== undefined) return row.event_id;
  return resourceId === appointment.resourceId ? appointment.googleEventId : null;
}

/** Moves the event on a resource's calendar from a replaced appointment to its replacement. */
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

/** Stores the current event id in the appointment, or null while there is no event. */
export async function noteEventId(tx: Tx, row: Appointment): Promise<void> {
  const googleEventId = await findEventId(tx, row, row.resourceId);
  if (googleEventId === row.googleEventId) return;
  await tx.manager.update(Appointment, row.id, { googleEventId });
}
