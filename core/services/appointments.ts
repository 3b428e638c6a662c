import { Appointment } from "../../db/entities/appointment.ts";
import type { Contact } from "../../db/entities/contact.ts";
import { Service, ServiceResource, type Resource } from "../../db/entities/resource.ts";
import type { Tx } from "../../db/transaction.ts";
import { AppError, invalidField } from "../errors.ts";
import {
  maxDurationMinutes,
  type AppointmentSource,
  type BookedTime,
} from "../model/appointment.ts";
import type { ContactUpsertBody } from "../model/contact.ts";
import { actingUserId } from "./actor.ts";
import { lockResource, requireBookable, requireFree, type BookingExceptions } from "./agendas.ts";
import { presentAppointmentEvent, recordAppointmentChange } from "./appointment-records.ts";
import { requestCalendarSync } from "./calendar-requests.ts";
import { findNewestPlace } from "./contact-changes.ts";
import { findContactIdByEmail, findContactIdByPhone } from "./contact-lookup.ts";
import { contactName, findContact } from "./contact-records.ts";
import { upsertContact } from "./contacts.ts";
import { lockContact } from "./conversations.ts";
import { publish } from "./outbox.ts";
import { insertRow } from "./sql.ts";
import { moveOnBooking } from "./stage-moves.ts";

const minuteMs = 60_000;

/** What a new appointment is made of. */
export interface BookingInput extends BookingExceptions {
  resourceId: number;
  serviceId?: number | undefined;
  startTime: Date;
  /** One of the two, or a service that has a duration. */
  endTime?: Date | undefined;
  durationMinutes?: number | undefined;
  /** Who comes: a contact, or what one is known by. A known contact stays as it is, another is created. */
  customer: { contactId: number } | { contact: ContactUpsertBody };
  /** Without one: the service's name, else the customer's. */
  title?: string | undefined;
  source: AppointmentSource;
  googleEventId?: string | undefined;
}

/**
 * Books a time of a resource for a contact. Publishes `appointment.created`, after the `contact.created`
 * of a new contact, and moves the customer to the stage that the account has set for bookings.
 * @throws AppError `slot_taken`, `outside_hours`, `past_time`, `resource_archived`,
 * `service_not_offered`, `contact_conflict`; `validation_error` for an unknown contact, resource or
 * service, and for a time without a length.
 */
export async function bookAppointment(tx: Tx, input: BookingInput): Promise<Appointment> {
  const customer = await lockCustomer(tx, input.customer);
  const resource = await lockResource(tx, input.resourceId);
  const service =
    input.serviceId === undefined ? null : await requireService(tx, input.serviceId, resource);
  const time = bookedTime(input, service);
  await requireBookable(tx, resource, time, input);
  await requireFree(tx, resource.id, time);
  const place = await findNewestPlace(tx, customer.row.id);
  const row = await insertAppointment(tx, {
    resourceId: resource.id,
    serviceId: service?.id ?? null,
    contactId: customer.row.id,
    conversationId: place?.conversationId ?? null,
    title: input.title ?? service?.name ?? customer.name,
    ...time,
    customerName: customer.name,
    customerPhone: customer.row.phone,
    source: input.source,
    googleEventId: input.googleEventId ?? null,
    replacesAppointmentId: null,
  });
  await requestCalendarSync(tx, row);
  await publish(
    tx,
    "appointment.created",
    await presentAppointmentEvent(tx, row, "confirmed", input.source),
  );
  await moveOnBooking(tx, row);
  return row;
}

/** What a new appointment says of itself; the rest it has from the moment. */
type AppointmentFacts = Pick<
  Appointment,
  | "resourceId"
  | "serviceId"
  | "contactId"
  | "conversationId"
  | "title"
  | "customerName"
  | "customerPhone"
  | "source"
  | "googleEventId"
  | "replacesAppointmentId"
> &
  BookedTime;

/** Inserts a confirmed appointment whose time was judged, and tells live views. */
export async function insertAppointment(tx: Tx, facts: AppointmentFacts): Promise<Appointment> {
  const row = tx.manager.create(Appointment, {
    ...facts,
    accountId: tx.actor.accountId,
    status: "confirmed",
    replacedByAppointmentId: null,
    cancelReason: null,
    cancelledAt: null,
    createdByUserId: actingUserId(tx.actor),
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, Appointment, row);
  await recordAppointmentChange(tx, row, "appointment.created");
  return row;
}

/** The contact who comes, locked: it is neither merged nor erased before the appointment is its own. */
async function lockCustomer(
  tx: Tx,
  customer: BookingInput["customer"],
): Promise<{ row: Contact; name: string }> {
  if ("contactId" in customer) {
    await findContact(tx, customer.contactId).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      const message = "Name a contact of this account that was not merged into another one.";
      throw invalidField("body.contact_id", "unknown_contact", message);
    });
    const { row } = await lockContact(tx, customer.contactId);
    return { row, name: contactName(row) };
  }
  const { contact } = customer;
  const known =
    (contact.phone === undefined ? null : await findContactIdByPhone(tx, contact.phone)) ??
    (contact.email === undefined ? null : await findContactIdByEmail(tx, contact.email));
  const { row } =
    known === null ? (await upsertContact(tx, contact)).record : await lockContact(tx, known);
  return { row, name: contact.name ?? contactName(row) };
}

/** @throws AppError `service_not_offered`; `validation_error` with `unknown_service`. */
async function requireService(tx: Tx, id: number, resource: Resource): Promise<Service> {
  // Locked for reading: it is not deleted before it is booked.
  const service = await tx.manager.findOne(Service, {
    where: { id, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_read" },
  });
  if (service === null) {
    throw invalidField("body.service_id", "unknown_service", "Name a service of this account.");
  }
  if (service.archivedAt === null && (await isOffered(tx, id, resource.id))) return service;
  throw serviceNotOffered();
}

/** @throws AppError `service_not_offered` where a service is not given by this resource. */
export async function requireOffered(
  tx: Tx,
  serviceId: number | null,
  resourceId: number,
): Promise<void> {
  if (serviceId === null || (await isOffered(tx, serviceId, resourceId))) return;
  throw serviceNotOffered();
}

async function isOffered(tx: Tx, serviceId: number, resourceId: number): Promise<boolean> {
  const { accountId } = tx.actor;
  const givers = await tx.manager.findBy(ServiceResource, { accountId, serviceId });
  return givers.length === 0 || givers.some((one) => one.resourceId === resourceId);
}

function serviceNotOffered(): AppError {
  return new AppError("service_not_offered", "This resource does not give this service.");
}

function bookedTime(
  { startTime, endTime, durationMinutes }: BookingInput,
  service: Service | null,
): BookedTime {
  const minutes = durationMinutes ?? service?.durationMinutes;
  const end =
    endTime ?? (minutes === undefined ? null : new Date(startTime.getTime() + minutes * minuteMs));
  if (end === null) {
    const message = "Send a duration or an end, or a service that has a duration.";
    throw invalidField("body.duration_minutes", "required", message);
  }
  const lengthMs = end.getTime() - startTime.getTime();
  if (lengthMs <= 0 || lengthMs > maxDurationMinutes * minuteMs) {
    const message = "An appointment ends after it begins, and within 24 hours.";
    throw invalidField("body.end_time", "invalid_length", message);
  }
  return {
    startTime,
    endTime: end,
    blockedFrom: new Date(startTime.getTime() - (service?.bufferBeforeMinutes ?? 0) * minuteMs),
    blockedUntil: new Date(end.getTime() + (service?.bufferAfterMinutes ?? 0) * minuteMs),
  };
}
