import { AppointmentReschedule, type Appointment } from "../../../db/entities/appointment.ts";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import {
  isSameTime,
  moveTime,
  rescheduleHoldMs,
  hasBegun,
  transitAppointment,
  type AppointmentSource,
  type AppointmentTrigger,
  type RescheduleMode,
} from "../../model/appointment.ts";
import { actingUserId } from "../accounts/actor.ts";
import {
  listBusy,
  requireBookable,
  requireFree,
  resourceIn,
  type BookingExceptions,
} from "./resource-times.ts";
import {
  findOpenReschedule,
  findReschedule,
  finishReschedule,
  lockReschedule,
  outcomeOf,
  releaseOpenReschedules,
  type RescheduleOutcome,
} from "./appointment-holds.ts";
import {
  getAppointmentRow,
  lockAppointment,
  presentAppointmentEvent,
  presentPrevious,
  recordAppointmentChange,
  requireTransition,
  storeAppointment,
} from "./appointment-records.ts";
import { insertAppointment } from "./appointments.ts";
import { findEventId, handOverEvent } from "../calendars/calendar-event-ids.ts";
import { moveCommand, noteCalendarSync } from "../calendars/calendar-requests.ts";
import { requireMovableHere } from "../calendars/calendly-own-changes.ts";
import { publish, request } from "../outbox/outbox.ts";
import { requireOffered } from "./service-offers.ts";
import { insertRow } from "../sql.ts";

/** Target and mode of a move. */
export interface RescheduleInput extends BookingExceptions {
  appointmentId: number;
  startTime: Date;
  /** New end, if the length changes. */
  endTime?: Date | undefined;
  /** New resource, if the resource changes. */
  resourceId?: number | undefined;
  mode: RescheduleMode;
  source: AppointmentSource;
}

/**
 * Checks a move of a confirmed appointment and holds its new time for 15 minutes. The appointment
 * stays at its time until `commitReschedule`, and keeps its buffers.
 * @returns the move, or null if the appointment is at that time already.
 * @throws AppError `slot_taken`, `reschedule_in_progress`, `appointment_replaced`,
 * `appointment_not_confirmed`, `calendly_moves_itself`, and the errors of `bookAppointment` about time, resource and
 * service.
 */
export async function requestReschedule(
  tx: Tx,
  input: RescheduleInput,
): Promise<AppointmentReschedule | null> {
  const { row, resources } = await lockAppointment(tx, input.appointmentId, input.resourceId);
  requireTransition(tx, row, triggerOf(input.mode));
  await requireMovableHere(tx, row.id);
  await requireNoneOpen(tx, row);
  const resourceId = input.resourceId ?? row.resourceId;
  const time = moveTime(row, input.startTime, input.endTime);
  if (resourceId === row.resourceId && isSameTime(row, time)) return null;
  await requireOffered(tx, row.serviceId, resourceId);
  await requireBookable(tx, resourceIn(resources, resourceId), time, input);
  await requireFree(tx, resourceId, time, row.id);
  const reschedule = tx.manager.create(AppointmentReschedule, {
    accountId: tx.actor.accountId,
    appointmentId: row.id,
    resourceId,
    ...time,
    mode: input.mode,
    source: input.source,
    state: "requested",
    failureCode: null,
    newAppointmentId: null,
    requestedByUserId: actingUserId(tx.actor),
    expiresAt: new Date(tx.now.getTime() + rescheduleHoldMs),
    finishedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  reschedule.id = await insertRow(tx, AppointmentReschedule, reschedule);
  await request(tx, moveCommand(row, reschedule));
  await recordAppointmentChange(tx, row, "appointment.updated");
  return reschedule;
}

/**
 * Carries a move out, once (rule C70). Mode `same` publishes `appointment.rescheduled`. Mode
 * `replace` publishes `appointment.created` of the new appointment, then `appointment.rescheduled`
 * of the old one.
 *
 * The move is released instead in these cases:
 * - its appointment was changed meanwhile;
 * - its resource was archived or deleted;
 * - its hold expired, and the time was booked by another one.
 */
export async function commitReschedule(tx: Tx, id: number): Promise<RescheduleOutcome> {
  const seen = await findReschedule(tx, id);
  if (seen === null) return erased;
  if (seen.state !== "requested") return outcomeOf(seen);
  const { accountId, appointmentId, resourceId } = seen;
  if (!(await tx.manager.existsBy(Resource, { accountId, id: resourceId }))) {
    return await releaseReschedule(tx, id, "resource_archived");
  }
  const { row, resources } = await lockAppointment(tx, appointmentId, resourceId);
  const reschedule = await lockReschedule(tx, id);
  if (reschedule === null) return erased;
  if (reschedule.state !== "requested") return outcomeOf(reschedule);
  const failureCode = await findFailure(tx, row, resourceIn(resources, resourceId), reschedule);
  if (failureCode !== null) return await releaseHold(tx, reschedule, row, failureCode);
  const newAppointmentId = await apply(tx, row, reschedule);
  return await finishReschedule(tx, reschedule, { state: "committed", newAppointmentId });
}

/**
 * Releases a move, unless it was carried out: the appointment stays as it is, and the time is free.
 */
export async function releaseReschedule(
  tx: Tx,
  id: number,
  failureCode: string,
): Promise<RescheduleOutcome> {
  const reschedule = await lockReschedule(tx, id);
  if (reschedule === null) return erased;
  if (reschedule.state !== "requested") return outcomeOf(reschedule);
  const row = await getAppointmentRow(tx, reschedule.appointmentId);
  return await releaseHold(tx, reschedule, row, failureCode);
}

async function releaseHold(
  tx: Tx,
  reschedule: AppointmentReschedule,
  row: Appointment,
  failureCode: string,
): Promise<RescheduleOutcome> {
  await recordAppointmentChange(tx, row, "appointment.updated");
  // The external event may be at the new time already.
  await noteCalendarSync(tx, row);
  return await finishReschedule(tx, reschedule, { state: "released", failureCode });
}

const erased: RescheduleOutcome = { state: "released", failureCode: "appointment_not_found" };

function triggerOf(mode: RescheduleMode): AppointmentTrigger {
  return mode === "same" ? "move" : "replace";
}

async function requireNoneOpen(tx: Tx, row: Appointment): Promise<void> {
  if ((await findOpenReschedule(tx, row.id)) !== null) {
    throw new AppError("reschedule_in_progress");
  }
  await releaseOpenReschedules(tx, row.id, "hold_expired");
}

async function findFailure(
  tx: Tx,
  row: Appointment,
  resource: Resource,
  { mode, blockedFrom, blockedUntil }: AppointmentReschedule,
): Promise<string | null> {
  const next = transitAppointment(row.status, triggerOf(mode), hasBegun(row.startTime, tx.now));
  if (typeof next === "string") return next;
  if (resource.archivedAt !== null) return "resource_archived";
  const range = { start: blockedFrom, end: blockedUntil };
  const busy = await listBusy(tx, resource.id, range, row.id);
  return busy.length > 0 ? "slot_taken" : null;
}

/** @returns the id of the new appointment, or null if the appointment keeps its id. */
async function apply(
  tx: Tx,
  row: Appointment,
  reschedule: AppointmentReschedule,
): Promise<number | null> {
  const previous = presentPrevious(row);
  const { mode, source, resourceId, startTime, endTime, blockedFrom, blockedUntil } = reschedule;
  const googleEventId = await findEventId(tx, row, resourceId);
  const place = { resourceId, startTime, endTime, blockedFrom, blockedUntil, googleEventId };
  if (mode === "same") {
    await storeAppointment(tx, row, place);
    await noteCalendarSync(tx, row);
    const data = await presentAppointmentEvent(tx, row, "confirmed", source);
    await publish(tx, "appointment.rescheduled", { ...data, ...previous });
    return null;
  }
  const next = await insertAppointment(tx, { ...factsOf(row), ...place, source });
  await handOverEvent(tx, { from: row.id, to: next.id, resourceId });
  await noteCalendarSync(tx, next);
  const data = await presentAppointmentEvent(tx, next, "confirmed", source);
  await publish(tx, "appointment.created", data);
  const { status } = requireTransition(tx, row, "replace");
  const successor = { replacedByAppointmentId: next.id, googleEventId: null };
  await storeAppointment(tx, row, { status, ...successor });
  await noteCalendarSync(tx, row);
  const old = await presentAppointmentEvent(tx, row, "rescheduled", source);
  await publish(tx, "appointment.rescheduled", { ...old, ...previous });
  return next.id;
}

/** Columns that a new appointment takes over from the appointment that it replaces. */
function factsOf(row: Appointment) {
  const { id, serviceId, contactId, conversationId, title } = row;
  const { customerName, customerPhone } = row;
  const customer = { contactId, conversationId, customerName, customerPhone };
  return { ...customer, serviceId, title, replacesAppointmentId: id };
}
