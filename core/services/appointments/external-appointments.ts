import type { Appointment } from "../../../db/entities/appointment.ts";
import { Resource, Service } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isAgreed, isSameTime, moveTime, statusAfterMove } from "../../model/appointment.ts";
import { minuteMs } from "../../model/durations.ts";
import { maxNameLength, toWellFormed } from "../../model/wire.ts";
import { requestCalendarSync } from "../calendars/calendar-requests.ts";
import { findBookingConversation } from "../contacts/contact-conversations.ts";
import { moveOnBooking } from "../pipelines/stage-moves.ts";
import { notifyOfBooking, notifyOfOverlap } from "../notifications/personal-notifications.ts";
import { publish } from "../outbox/outbox.ts";
import { findOwned } from "../sql.ts";
import { findOverlap, lockResource } from "./resource-times.ts";
import { releaseOpenReschedules } from "./appointment-holds.ts";
import {
  lockAppointment,
  presentAppointmentEvent,
  presentPrevious,
  storeAppointment,
} from "./appointment-records.ts";
import { insertAppointment } from "./appointments.ts";
import { lockCustomer } from "./booking-customer.ts";

/** Calendars of other companies that schedule appointments. */
export type ExternalSource = "google" | "calendly";

/** The customer of an external booking. At least one of phone and email is set. */
export interface ExternalCustomer {
  name: string | null;
  /** Digits with the country code. */
  phone: string | null;
  /** Lower case, as `parseEmail` returns it. */
  email: string | null;
}

/** Handling of a change that an external calendar made. */
interface ExternalChange {
  source: ExternalSource;
  /** The appointment's events on other calendars have to follow. */
  syncCalendars: boolean;
  /** `none`: the change is part of a first reading, or overlaps by design. Default `members`. */
  notify?: "members" | "none";
}

/** A booking that an external calendar made. */
export interface ExternalBooking extends ExternalChange {
  resourceId: number;
  serviceId: number | null;
  startTime: Date;
  endTime: Date;
  customer: ExternalCustomer;
  /** Default: the service's name, else the customer's. */
  title: string | null;
  googleEventId: string | null;
}

/** Appointment titles and customer names are cut to this length. */
const maxTitleLength = 254;

/**
 * Books what an external calendar has already agreed with the customer. Opening hours, other
 * appointments and the past do not refuse it. Publishes `appointment.created`, after the
 * `contact.created` of a new contact. An overlap is told to the members once.
 * @returns null where the resource is archived or deleted
 */
export async function bookExternal(tx: Tx, input: ExternalBooking): Promise<Appointment | null> {
  const { resourceId, source, googleEventId } = input;
  const known = await findOwned(tx, Resource, { id: resourceId });
  if (known === null || known.archivedAt !== null) return null;
  const customer = await lockCustomer(tx, { contact: contactOf(input.customer) });
  const resource = await lockResource(tx, resourceId);
  const service =
    input.serviceId === null ? null : await findOwned(tx, Service, { id: input.serviceId });
  const row = await insertAppointment(tx, {
    resourceId,
    serviceId: service?.id ?? null,
    contactId: customer.row.id,
    conversationId: await findBookingConversation(tx, customer.row.id),
    title: shorten(input.title ?? service?.name ?? customer.name),
    startTime: input.startTime,
    endTime: input.endTime,
    blockedFrom: before(input.startTime, service?.bufferBeforeMinutes ?? 0),
    blockedUntil: before(input.endTime, -(service?.bufferAfterMinutes ?? 0)),
    customerName: shorten(customer.name),
    customerPhone: customer.phone,
    source,
    googleEventId,
    replacesAppointmentId: null,
  });
  if (input.syncCalendars) await requestCalendarSync(tx, row);
  const data = await presentAppointmentEvent(tx, row, "confirmed", source);
  await publish(tx, "appointment.created", data);
  await moveOnBooking(tx, row);
  await tellMembers(tx, row, resource, input, "booked");
  return row;
}

/** The new time of an appointment, and its new resource if that changed. */
export interface ExternalMove extends ExternalChange {
  startTime: Date;
  endTime: Date;
  resourceId?: number | undefined;
}

/**
 * Moves an agreed appointment as an external calendar did. An open move of ours is released. The
 * appointment keeps its id and its buffers. A completed one and a no-show are confirmed again, as
 * `statusAfterMove` says. Publishes `appointment.rescheduled`, unless it has this time already.
 * @returns null, without a change, where the appointment is cancelled, replaced or there already
 */
export async function moveExternal(
  tx: Tx,
  id: number,
  move: ExternalMove,
): Promise<Appointment | null> {
  const { row, resources } = await lockAppointment(tx, id, move.resourceId);
  const { status: agreed } = row;
  if (!isAgreed(agreed)) return null;
  const resourceId = move.resourceId ?? row.resourceId;
  const time = moveTime(row, move.startTime, move.endTime);
  if (resourceId === row.resourceId && isSameTime(row, time)) return null;
  const previous = presentPrevious(row);
  await releaseOpenReschedules(tx, id, "moved_in_calendar");
  const status = statusAfterMove(agreed, row, time, tx.now);
  await storeAppointment(tx, row, { ...time, resourceId, status });
  if (move.syncCalendars) await requestCalendarSync(tx, row);
  const data = await presentAppointmentEvent(tx, row, status, move.source);
  await publish(tx, "appointment.rescheduled", { ...data, ...previous });
  const resource = resources.get(resourceId);
  // An overlap with a visit that is over needs nobody.
  const isOpen = status === "confirmed";
  if (isOpen && resource !== undefined) await tellMembers(tx, row, resource, move, "moved");
  return row;
}

/**
 * Cancels a confirmed appointment as an external calendar did. Publishes `appointment.cancelled`.
 * @returns null, without a change, where the appointment is not confirmed
 */
export async function cancelExternal(
  tx: Tx,
  id: number,
  { source, syncCalendars, reason }: ExternalChange & { reason: string | null },
): Promise<Appointment | null> {
  const { row } = await lockAppointment(tx, id);
  if (row.status !== "confirmed") return null;
  const cancelReason = reason === null ? null : shorten(reason, 500);
  await storeAppointment(tx, row, { status: "cancelled", cancelReason, cancelledAt: tx.now });
  await releaseOpenReschedules(tx, id, "appointment_cancelled");
  if (syncCalendars) await requestCalendarSync(tx, row);
  const data = await presentAppointmentEvent(tx, row, "cancelled", source);
  await publish(tx, "appointment.cancelled", data);
  return row;
}

/**
 * Confirms a cancelled appointment again, at the time that the external calendar names. Publishes
 * `appointment.created` with the same id (rule C71).
 * @returns null, without a change, where the appointment is not cancelled
 */
export async function restoreExternal(
  tx: Tx,
  id: number,
  move: ExternalMove,
): Promise<Appointment | null> {
  const { row, resources } = await lockAppointment(tx, id, move.resourceId);
  if (row.status !== "cancelled") return null;
  const resourceId = move.resourceId ?? row.resourceId;
  const time = moveTime(row, move.startTime, move.endTime);
  const again = { status: "confirmed", cancelReason: null, cancelledAt: null } as const;
  await storeAppointment(tx, row, { ...time, ...again, resourceId });
  if (move.syncCalendars) await requestCalendarSync(tx, row);
  const data = await presentAppointmentEvent(tx, row, "confirmed", move.source);
  await publish(tx, "appointment.created", data);
  const resource = resources.get(resourceId);
  if (resource !== undefined) await tellMembers(tx, row, resource, move, "moved");
  return row;
}

/** One notification: of the overlap, else of the booking. */
async function tellMembers(
  tx: Tx,
  row: Appointment,
  { id: resourceId, name }: Resource,
  { notify = "members" }: ExternalChange,
  what: "booked" | "moved",
): Promise<void> {
  if (notify === "none") return;
  const otherId = await findOverlap(tx, resourceId, row, row.id);
  if (otherId !== null) await notifyOfOverlap(tx, row, { resourceName: name, otherId });
  else if (what === "booked") await notifyOfBooking(tx, row, name);
}

function contactOf({ name, phone, email }: ExternalCustomer) {
  const known = name?.trim() ?? "";
  return {
    ...(phone === null ? {} : { phone }),
    ...(email === null ? {} : { email }),
    ...(known === "" ? {} : { name: shorten(known, maxNameLength) }),
  };
}

function shorten(text: string, length = maxTitleLength): string {
  return toWellFormed(text.slice(0, length));
}

function before(moment: Date, minutes: number): Date {
  return new Date(moment.getTime() - minutes * minuteMs);
}
