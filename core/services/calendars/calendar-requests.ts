import type { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { isCalendlyAppointment } from "./calendly-copies.ts";
import { request } from "../outbox/outbox.ts";

/** Ids of an appointment in a request. */
type AppointmentIds = Pick<Appointment, "id" | "accountId" | "conversationId">;

/** Command that starts the workflow of a move. */
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

/**
 * Command that starts the workflow that brings external events in line with one version of an
 * appointment.
 */
export function syncCommand(appointment: AppointmentIds, version: number): WorkflowCommand {
  const { id, accountId } = appointment;
  return {
    op: "start",
    workflow: "syncAppointment",
    // Each change has its own run, because a running one may have read an older version.
    workflowId: `sync-appointment-${id}-${version}`,
    taskQueue: "conversations",
    input: { accountId, appointmentId: id },
    summary: `calendar events of appointment ${id}`,
    ...idsOf(appointment),
  };
}

/** An appointment that was just changed, with its new version. */
type Changed = AppointmentIds & Pick<Appointment, "resourceId" | "version">;

/**
 * Requests a calendar sync for an appointment that was just changed. Does nothing if neither its
 * resource has a calendar nor the appointment external events.
 */
export async function requestCalendarSync(tx: Tx, row: Changed): Promise<void> {
  if (await noteCalendarSync(tx, row)) await request(tx, syncCommand(row, row.version));
}

/** The same for an appointment of which a run may have ended without its effect. */
export async function repeatCalendarSync(tx: Tx, row: Changed): Promise<void> {
  if (!(await noteCalendarSync(tx, row))) return;
  await request(tx, { ...syncCommand(row, row.version), again: true });
}

/**
 * Records that the external events of an appointment are out of date. A run that is under way
 * brings them in line. If that run is lost, it is found by this row.
 * @returns false, without a row, if neither the resource has a calendar nor the appointment
 * external events. Also for a booking of Calendly, which keeps its copy in the calendar itself.
 */
export async function noteCalendarSync(
  tx: Tx,
  { id, resourceId, version }: Omit<Changed, "accountId" | "conversationId">,
): Promise<boolean> {
  const { accountId } = tx.actor;
  if (await isCalendlyAppointment(tx, id)) return false;
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `INSERT INTO calendar_syncs (appointment_id, account_id, version, requested_at)
     SELECT ?, ?, ?, ? FROM DUAL
      WHERE EXISTS (SELECT 1 FROM calendar_links
                     WHERE resource_id = ? AND account_id = ? AND state = 'connected'
                       AND direction <> 'busy_only')
         OR EXISTS (SELECT 1 FROM calendar_events WHERE appointment_id = ?)
     ON DUPLICATE KEY UPDATE version = VALUES(version), requested_at = VALUES(requested_at)`,
    [id, accountId, version, tx.now, resourceId, accountId, id],
  );
  return affectedRows > 0;
}

/** The version of an appointment whose calendar sync is due, or null. */
export async function findDueSync(tx: Tx, appointmentId: number): Promise<number | null> {
  const [row] = await tx.manager.query<{ version: number }[]>(
    "SELECT version FROM calendar_syncs WHERE appointment_id = ? AND account_id = ?",
    [appointmentId, tx.actor.accountId],
  );
  return row?.version ?? null;
}

/** Deletes the record of a due sync, unless a later version has replaced it. */
export async function endSync(tx: Tx, appointmentId: number, version: number): Promise<void> {
  await tx.manager.query(
    "DELETE FROM calendar_syncs WHERE appointment_id = ? AND account_id = ? AND version <= ?",
    [appointmentId, tx.actor.accountId, version],
  );
}

function idsOf({ id, conversationId }: Pick<Appointment, "id" | "conversationId">) {
  return { appointmentId: id, ...(conversationId === null ? {} : { conversationId }) };
}
