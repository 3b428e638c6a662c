import { In, type EntityTarget, type FindOptionsWhere } from "typeorm";
import { Appointment } from "../../../db/entities/appointment.ts";
import { Resource, Service } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, WriteConflict } from "../../errors.ts";
import {
  hasBegun,
  transitAppointment,
  type AppointmentSource,
  type AppointmentTransition,
  type AppointmentTrigger,
} from "../../model/appointment.ts";
import type { ChangeKind } from "../../model/change.ts";
import type { EventData } from "../../model/events.ts";
import { lockContactRow } from "../contacts/contact-locks.ts";
import { lockResources } from "./resource-times.ts";
import { recordChange } from "../outbox/changes.ts";
import { planReminder } from "./reminder-plans.ts";
import { getOwned, lockOwned } from "../sql.ts";
import { minuteMs } from "../../model/durations.ts";

/** @throws AppError `appointment_not_found` */
export async function getAppointmentRow(tx: Tx, id: number): Promise<Appointment> {
  return await getOwned(tx, Appointment, "appointment", { id });
}

/** A locked appointment with its locked resources. */
export interface LockedAppointment {
  row: Appointment;
  /** The appointment's resource, and the resource of its move. */
  resources: Map<number, Resource>;
}

/**
 * Locks an appointment. Its contact, which may be merged or erased, is locked before, then its
 * resource and the resource of its move.
 * @throws AppError `appointment_not_found`; WriteConflict if contact or resource changed meanwhile.
 */
export async function lockAppointment(
  tx: Tx,
  id: number,
  toResourceId?: number,
): Promise<LockedAppointment> {
  const seen = await getAppointmentRow(tx, id);
  await lockContactRow(tx, seen.contactId);
  const resources = await lockResources(tx, [seen.resourceId, toResourceId ?? seen.resourceId]);
  const row = await lockOwned(tx, Appointment, "appointment", { id });
  if (row.contactId !== seen.contactId || row.resourceId !== seen.resourceId)
    throw new WriteConflict();
  return { row, resources };
}

/**
 * The transition of the state table for this trigger.
 * @throws AppError `appointment_replaced`, `appointment_not_confirmed`, `appointment_not_begun`.
 */
export function requireTransition(
  { now }: Tx,
  { status, startTime, replacedByAppointmentId }: Appointment,
  trigger: AppointmentTrigger,
): AppointmentTransition {
  const next = transitAppointment(status, trigger, hasBegun(startTime, now));
  if (next === "appointment_replaced") {
    throw new AppError(next, {
      details: {
        replaced_by_appointment_id: replacedByAppointmentId,
      },
    });
  }
  if (next === "appointment_not_confirmed") {
    throw new AppError(next, {
      message: `This appointment is ${status}. Only a confirmed one can be changed so.`,
    });
  }
  if (next === "appointment_not_begun") {
    throw new AppError(next, { details: { start_time: startTime.toISOString() } });
  }
  return next;
}

/** Stores changes of a locked appointment, updates its reminder, and notifies live views. */
export async function storeAppointment(
  tx: Tx,
  row: Appointment,
  changes: Partial<Appointment>,
): Promise<void> {
  const changed = { ...changes, updatedAt: tx.now, version: row.version + 1 };
  Object.assign(row, changed);
  await tx.manager.update(Appointment, row.id, changed);
  await planReminder(tx, row);
  await recordAppointmentChange(tx, row, "appointment.updated");
}

/** Notifies live views of an appointment. */
export async function recordAppointmentChange(
  tx: Tx,
  { contactId, conversationId }: Appointment,
  kind: Extract<ChangeKind, `appointment.${string}`>,
): Promise<void> {
  await recordChange(tx, { kind, contactId, conversationId });
}

/**
 * Fields of an appointment in its events.
 * @param source source of this change, which may differ from the source of the booking.
 */
export async function presentAppointmentEvent<Status extends AppointmentEventStatus>(
  tx: Tx,
  row: Appointment,
  status: Status,
  source: AppointmentSource,
): Promise<Omit<EventData<"appointment.created">, "status"> & { status: Status }> {
  const facts = presentFacts(row, await loadNames(tx, [row]));
  return { ...facts, appointment_id: row.id, status, source };
}

type AppointmentEventStatus = EventData<
  "appointment.created" | "appointment.rescheduled" | "appointment.cancelled"
>["status"];

/** Fields of an appointment in events and the Dashboard, without id, status and source. */
export function presentFacts(row: Appointment, { resources, services }: AgendaNames) {
  return {
    title: row.title,
    ...presentTime(row),
    resource_id: row.resourceId,
    resource_name: resources.get(row.resourceId)?.name ?? "",
    service_id: row.serviceId,
    service_name: row.serviceId === null ? null : (services.get(row.serviceId)?.name ?? null),
    contact_id: row.contactId,
    conversation_id: row.conversationId,
    customer_name: row.customerName,
    customer_phone: row.customerPhone,
    google_event_id: row.googleEventId,
    replaced_by_appointment_id: row.replacedByAppointmentId,
  };
}

/** Time and resource of an appointment before a move, as fields of the move's event. */
export function presentPrevious({ startTime, endTime, resourceId }: Appointment) {
  return {
    previous_start_time: startTime.toISOString(),
    previous_end_time: endTime.toISOString(),
    previous_resource_id: resourceId,
  };
}

/** Time of an appointment in events and the Dashboard. The duration is in minutes. */
export function presentTime({ startTime, endTime }: Pick<Appointment, "startTime" | "endTime">) {
  return {
    start_time: startTime.toISOString(),
    end_time: endTime.toISOString(),
    duration_minutes: Math.round((endTime.getTime() - startTime.getTime()) / minuteMs),
  };
}

/** Current resources and services, by id. */
export interface AgendaNames {
  resources: Map<number, Resource>;
  services: Map<number, Service>;
}

/** The resources and services in these appointments, for their names. */
export async function loadNames(tx: Tx, rows: Appointment[]): Promise<AgendaNames> {
  const { accountId } = tx.actor;
  const find = async <Row extends Resource | Service>(
    entity: EntityTarget<Row>,
    ids: (number | null)[],
  ): Promise<Map<number, Row>> => {
    const known = [...new Set(ids.filter((id) => id !== null))];
    const where = { accountId, id: In(known) } as FindOptionsWhere<Row>;
    const found = known.length === 0 ? [] : await tx.manager.findBy(entity, where);
    return new Map(found.map((row) => [row.id, row]));
  };
  const resourceIds = rows.map(({ resourceId }) => resourceId);
  const serviceIds = rows.map(({ serviceId }) => serviceId);
  return {
    resources: await find(Resource, resourceIds),
    services: await find(Service, serviceIds),
  };
}
