import type { Appointment } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { AppointmentSource, AppointmentTrigger } from "../../model/appointment.ts";
import { requireFree, resourceIn } from "./resource-times.ts";
import {
  lockAppointment,
  presentAppointmentEvent,
  requireTransition,
  storeAppointment,
} from "./appointment-records.ts";
import { releaseOpenReschedules } from "./appointment-holds.ts";
import { requestCalendarSync } from "../calendars/calendar-requests.ts";
import { requestCalendlyTell, requireCancellableHere } from "../calendars/calendly-own-changes.ts";
import { publish } from "../outbox/outbox.ts";

/** An appointment, and the source of its change. */
export interface AppointmentStep {
  appointmentId: number;
  source: AppointmentSource;
}

/**
 * Cancels a confirmed appointment and releases an open move. Publishes `appointment.cancelled`,
 * once.
 * @throws AppError `appointment_not_found`, `appointment_replaced`, `appointment_not_confirmed`,
 * `calendly_group_event`.
 */
export async function cancelAppointment(
  tx: Tx,
  { reason, ...step }: AppointmentStep & { reason?: string | undefined },
): Promise<Appointment> {
  const { row } = await lockAppointment(tx, step.appointmentId);
  await requireCancellableHere(tx, row.id, step.source);
  const why = { cancelReason: reason ?? null, cancelledAt: tx.now };
  return await changeStatus(tx, row, "cancel", step.source, why);
}

/**
 * Confirms an appointment again. A cancelled one publishes `appointment.created` (rule C71); a
 * completed one or a no-show publishes nothing (rule C72). Its time may have passed, or be outside
 * hours.
 * @throws AppError `slot_taken` if its time was booked meanwhile, `resource_archived`;
 * `appointment_not_found`, `appointment_replaced`.
 */
export async function reactivateAppointment(tx: Tx, step: AppointmentStep): Promise<Appointment> {
  const { row, resources } = await lockAppointment(tx, step.appointmentId);
  const archived = resourceIn(resources, row.resourceId).archivedAt !== null;
  if (archived && row.status === "cancelled") throw new AppError("resource_archived");
  const why = { cancelReason: null, cancelledAt: null };
  return await changeStatus(tx, row, "confirm", step.source, why);
}

/**
 * Marks that the visit took place. Publishes nothing (rule C72).
 * @throws AppError `appointment_not_found`, `appointment_replaced`; `appointment_not_confirmed` for
 * a cancelled one; `appointment_not_begun` before its start; `slot_taken` for a no-show whose time
 * was booked meanwhile.
 */
export async function completeAppointment(tx: Tx, step: AppointmentStep): Promise<Appointment> {
  const { row } = await lockAppointment(tx, step.appointmentId);
  return await changeStatus(tx, row, "complete", step.source);
}

/**
 * Marks that the customer did not come, which frees the time. Publishes nothing (rule C72).
 * @throws AppError as `cancelAppointment`, and `appointment_not_begun` before its start.
 */
export async function markNoShow(tx: Tx, step: AppointmentStep): Promise<Appointment> {
  const { row } = await lockAppointment(tx, step.appointmentId);
  return await changeStatus(tx, row, "miss", step.source);
}

async function changeStatus(
  tx: Tx,
  row: Appointment,
  trigger: AppointmentTrigger,
  source: AppointmentSource,
  changes: Partial<Appointment> = {},
): Promise<Appointment> {
  const { status, event, takesTime } = requireTransition(tx, row, trigger);
  if (status === row.status) return row;
  if (takesTime) await requireFree(tx, row.resourceId, row, row.id);
  await storeAppointment(tx, row, { ...changes, status });
  if (status !== "confirmed") await releaseOpenReschedules(tx, row.id, `appointment_${status}`);
  await requestCalendarSync(tx, row);
  await requestCalendlyTell(tx, row, source);
  if (event === "appointment.created") {
    await publish(tx, event, await presentAppointmentEvent(tx, row, "confirmed", source));
  }
  if (event === "appointment.cancelled") {
    await publish(tx, event, await presentAppointmentEvent(tx, row, "cancelled", source));
  }
  return row;
}
