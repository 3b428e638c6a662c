import type { Appointment, AppointmentReschedule } from "../../db/entities/appointment.ts";
import type { Tx } from "../../db/transaction.ts";
import { request } from "./outbox.ts";

/** Asks for the workflow that carries a move out, in the transaction that holds its new time. */
export async function requestMove(
  tx: Tx,
  { id: appointmentId, conversationId }: Appointment,
  { id: rescheduleId }: AppointmentReschedule,
): Promise<void> {
  const { accountId } = tx.actor;
  await request(tx, {
    op: "start",
    workflow: "reschedule",
    workflowId: `reschedule-${appointmentId}-${rescheduleId}`,
    taskQueue: "conversations",
    input: { accountId, appointmentId, rescheduleId },
    summary: `move appointment ${appointmentId}`,
    ...idsOf({ id: appointmentId, conversationId }),
  });
}

/**
 * Asks for the external events of an appointment that was just changed to be brought in line with it.
 * Without a calendar of its agenda, and without such events, nothing is asked for.
 */
export async function requestCalendarSync(
  tx: Tx,
  row: Pick<Appointment, "id" | "resourceId" | "conversationId" | "version">,
): Promise<void> {
  const { accountId } = tx.actor;
  const concerned = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM calendar_links WHERE resource_id = ? AND account_id = ? AND state = 'connected'
      UNION ALL
     SELECT 1 FROM calendar_events WHERE appointment_id = ? LIMIT 1`,
    [row.resourceId, accountId, row.id],
  );
  if (concerned.length === 0) return;
  await request(tx, {
    op: "start",
    workflow: "syncAppointment",
    // Each change has its own: one that runs already may have read what was before.
    workflowId: `sync-appointment-${row.id}-${row.version}`,
    taskQueue: "conversations",
    input: { accountId, appointmentId: row.id },
    summary: `calendar events of appointment ${row.id}`,
    ...idsOf(row),
  });
}

function idsOf({ id, conversationId }: Pick<Appointment, "id" | "conversationId">) {
  return { appointmentId: id, ...(conversationId === null ? {} : { conversationId }) };
}
