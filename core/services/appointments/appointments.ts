import { Appointment } from "../../../db/entities/appointment.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Service } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import type { AppointmentSource, BookedTime } from "../../model/appointment.ts";
import { actingUserId } from "../accounts/actor.ts";
import {
  lockResource,
  requireBookable,
  requireFree,
  type BookingExceptions,
} from "./resource-times.ts";
import { presentAppointmentEvent, recordAppointmentChange } from "./appointment-records.ts";
import { lockCustomer, type BookingCustomer } from "./booking-customer.ts";
import { requestCalendarSync } from "../calendars/calendar-requests.ts";
import { findBookingConversation } from "../contacts/contact-conversations.ts";
import { notifyOfBooking } from "../notifications/personal-notifications.ts";
import { publish } from "../outbox/outbox.ts";
import { planReminder } from "./reminder-plans.ts";
import { requireService } from "./service-offers.ts";
import { findOwned, insertRow } from "../sql.ts";
import { moveOnBooking } from "../pipelines/stage-moves.ts";
import { minuteMs } from "../../model/durations.ts";

/** Source of the bookings that people make in the Dashboard. */
const panelSource = "panel";

/** Data of a new appointment. */
export interface BookingInput extends BookingExceptions {
  resourceId: number;
  serviceId?: number | undefined;
  startTime: Date;
  /** End or duration, unless a service has a duration. */
  endTime?: Date | undefined;
  durationMinutes?: number | undefined;
  customer: BookingCustomer;
  /** The customer's conversation of the booking; default: as `findBookingConversation` says. */
  conversationId?: number | undefined;
  /** Default: the service's name, else the customer's. */
  title?: string | undefined;
  source: AppointmentSource;
  googleEventId?: string | undefined;
}

/**
 * Books a time of a resource for a contact. Publishes `appointment.created`, after the
 * `contact.created` of a new contact. Moves the customer to the account's stage for bookings.
 * Notifies the members of a booking that none of them made in the Dashboard.
 * @throws AppError `slot_taken`, `outside_hours`, `past_time`, `resource_archived`,
 * `service_not_offered`, `contact_conflict`; `validation_error` for an unknown contact, resource or
 * service, for a conversation of another contact, and for a time without a length.
 */
export async function bookAppointment(tx: Tx, input: BookingInput): Promise<Appointment> {
  const customer = await lockCustomer(tx, input.customer);
  const resource = await lockResource(tx, input.resourceId);
  const service =
    input.serviceId === undefined ? null : await requireService(tx, input.serviceId, resource);
  const time = bookedTime(input, service);
  await requireBookable(tx, resource, time, input);
  await requireFree(tx, resource.id, time);
  const conversationId = await chooseConversation(tx, customer.row.id, input.conversationId);
  const row = await insertAppointment(tx, {
    resourceId: resource.id,
    serviceId: service?.id ?? null,
    contactId: customer.row.id,
    conversationId,
    title: input.title ?? service?.name ?? customer.name,
    ...time,
    customerName: customer.name,
    customerPhone: customer.phone,
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
  // A member who books in the Dashboard knows of it.
  if (input.source !== panelSource) await notifyOfBooking(tx, row, resource.name);
  return row;
}

/** Columns of a new appointment. The other columns follow from the transaction. */
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

/** Inserts a confirmed appointment whose time was checked, and notifies live views. */
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
  await planReminder(tx, row);
  await recordAppointmentChange(tx, row, "appointment.created");
  return row;
}

async function chooseConversation(
  tx: Tx,
  contactId: number,
  id: number | undefined,
): Promise<number | null> {
  if (id === undefined) return await findBookingConversation(tx, contactId);
  if ((await findOwned(tx, Conversation, { id, contactId })) !== null) return id;
  const message = "Name a conversation of the appointment's contact.";
  throw invalidField("body.conversation_id", "unknown_conversation", message);
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
  return {
    startTime,
    endTime: end,
    blockedFrom: new Date(startTime.getTime() - (service?.bufferBeforeMinutes ?? 0) * minuteMs),
    blockedUntil: new Date(end.getTime() + (service?.bufferAfterMinutes ?? 0) * minuteMs),
  };
}
