import type { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { request } from "../outbox/outbox.ts";

/** What a request names of an appointment. */
type AppointmentIds = Pick<Appointment, "id" | "accountId" | "conversationId">;

/** What starts the workflow that carries a move out. */
export function moveCommand(
  appointment: AppointmentIds,
  { id: rescheduleId }: Pick<AppointmentReschedule, "id">,
): WorkflowCommand {
  const { id: appointmentId, accountId } = appointment;
  return {
    op: "start",
    workflow: "reschedule",
    workflowId: `reschedule-${appointmentId}-${rescheduleId}`,
    taskQueue: "conversations",
    input: { accountId, appointmentId, rescheduleId },
    summary: `move appointment ${appointmentId}`,
    ...idsOf(appointment),
  };
}

/** What starts the workflow that brings external events in line with one version of an appointment. */
export function syncCommand(appointment: AppointmentIds, version: number): WorkflowCommand {
  const { id, accountId } = appointment;
  return {
    op: "start",
    workflow: "syncAppointment",
    // Each change has its own: one that runs already may have read what was before.
    workflowId: `sync-appointment-${id}-${version}`,
    taskQueue: "conversations",
    input: { accountId, appointmentId: id },
    summary: `calendar events of appointment ${id}`,
    ...idsOf(appointment),
  };
}

/** An appointment that was just changed, with the version that came of it. */
type Changed = AppointmentIds & Pick<Appointment, "resourceId" | "version">;

/**
 * Asks for the external events of an appointment that was just changed to be brought in line with it.
 * Without a calendar of its agenda, and without such events, nothing is asked for.
 */
export async function requestCalendarSync(tx: Tx, row: Changed): Promise<void> {
  if (await noteCalendarSync(tx, row)) await request(tx, syncCommand(row, row.version));
}

/**
 * Writes down that the external events of an appointment have yet to be brought in line with it. A run
 * that is under way does it; should that run be lost, the row tells of it.
 * @returns false without a calendar of its agenda and without such events: then nothing is written.
 */
export async function noteCalendarSync(
  tx: Tx,
  { id, resourceId, version }: Omit<Changed, "accountId" | "conversationId">,
): Promise<boolean> {
  const { accountId } = tx.actor;
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `INSERT INTO calendar_syncs (appointment_id, account_id, version, requested_at)
     SELECT ?, ?, ?, ? FROM DUAL
      WHERE EXISTS (SELECT 1 FROM calendar_links
                     WHERE resource_id = ? AND account_id = ? AND state = 'connected')
         OR EXISTS (SELECT 1 FROM calendar_events WHERE appointment_id = ?)
     ON DUPLICATE KEY UPDATE version = VALUES(version), requested_at = VALUES(requested_at)`,
    [id, accountId, version, tx.now, resourceId, accountId, id],
  );
  return affectedRows > 0;
}

/** The version of an appointment that has yet to be brought to external calendars; null: none. */
export async function findDueSync(tx: Tx, appointmentId: number): Promise<number | null> {
  const [row] = await tx.manager.query<{ version: number }[]>(
    "SELECT version FROM calendar_syncs WHERE appointment_id = ? AND account_id = ?",
    [appointmentId, tx.actor.accountId],
  );
  return row?.version ?? null;
}

/** Forgets that a version had to be brought to external calendars; a later one stays. */
export async function endSync(tx: Tx, appointmentId: number, version: number): Promise<void> {
  await tx.manager.query(
    "DELETE FROM calendar_syncs WHERE appointment_id = ? AND account_id = ? AND version <= ?",
    [appointmentId, tx.actor.accountId, version],
  );
}

function idsOf({ id, conversationId }: Pick<Appointment, "id" | "conversationId">) {
  return { appointmentId: id, ...(conversationId === null ? {} : { conversationId }) };
}
