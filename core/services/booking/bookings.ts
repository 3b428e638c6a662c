import { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import { Booking } from "../../../db/entities/booking-link.ts";
import { Mail } from "../../../db/entities/mail.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import { maxOpenBookings, type Customer, type SlotChoice } from "../../model/booking-link.ts";
import { hashToken, type SecretBox } from "../../secrets.ts";
import type { Locale } from "../../model/user.ts";
import { queueBookingMail } from "../accounts/mails.ts";
import { loadNames } from "../appointments/appointment-records.ts";
import { cancelAppointment } from "../appointments/appointment-status.ts";
import { requestReschedule } from "../appointments/appointment-reschedules.ts";
import { bookAppointment } from "../appointments/appointments.ts";
import { findReminderHours } from "../appointments/reminders.ts";
import { isInOffer, isTimeOffered, listOffers, type OpenLink } from "./booking-offers.ts";
import { insertRow } from "../sql.ts";

/** A customer's request to book a time. */
export interface BookingRequest {
  /**
   * Token of the form: a form that is sent twice books once. The token opens the appointment's
   * page.
   */
  token: string;
  serviceId: number;
  slot: SlotChoice;
  customer: Customer;
  /** The contact who books, with its conversation; null: found by phone or email. */
  place?: { contactId: number; conversationId: number | null } | null;
  /** Mail with the address of the appointment's page; null where no mail server is set up. */
  mail: { secretBox: SecretBox; locale: Locale; path: string } | null;
}

/**
 * Books a time that the link offers. A contact with this phone, else with this email, is not
 * changed by data that a stranger types. A missing contact is created. A token that has booked
 * already books nothing more. Where an email was typed and a mail server is set up, a mail follows.
 * @throws AppError `slot_taken` if the time is not offered; the errors of `bookAppointment` about
 * time, resource and service; `too_many_bookings` if the customer has 5 open ones;
 * `booking_link_not_found` if the link was closed.
 */
export async function bookThroughLink(
  tx: Tx,
  link: OpenLink,
  { token, serviceId, slot, customer, mail, place = null }: BookingRequest,
): Promise<void> {
  await lockOpenLink(tx, link.id);
  if ((await findRow(tx, link.id, token)) !== null) return;
  await requireOfferedTime(tx, link, serviceId, slot);
  const { id, contactId } = await bookAppointment(tx, {
    resourceId: slot.resourceId,
    serviceId,
    startTime: slot.start,
    customer: place === null ? { contact: customer } : { contactId: place.contactId },
    conversationId: place?.conversationId ?? undefined,
    source: "enlace",
  });
  await requireFewBookings(tx, contactId);
  await insertRow(tx, Booking, {
    accountId: link.accountId,
    linkId: link.id,
    appointmentId: id,
    tokenHash: hashToken(token),
    createdAt: tx.now,
  });
  if (mail === null || customer.email === undefined) return;
  const { secretBox, ...content } = mail;
  await queueBookingMail(tx, secretBox, id, { to: customer.email, ...content });
}

/**
 * The count includes the new booking. Its contact is locked, so two forms at once are counted one
 * after the other.
 */
async function requireFewBookings(tx: Tx, contactId: number): Promise<void> {
  const open = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM appointments
      WHERE contact_id = ? AND account_id = ? AND start_time > ? AND status = 'confirmed' AND source = 'enlace'
      LIMIT ?`,
    [contactId, tx.actor.accountId, tx.now, maxOpenBookings + 1],
  );
  if (open.length <= maxOpenBookings) return;
  throw new AppError("too_many_bookings", {
    message: `This customer has ${maxOpenBookings} open bookings. Cancel one of them first.`,
  });
}

/**
 * Requires that the link offers the service, and that time of that resource. @throws AppError
 * `slot_taken`
 */
async function requireOfferedTime(
  tx: Tx,
  link: OpenLink,
  serviceId: number,
  slot: SlotChoice,
): Promise<void> {
  const [offer] = await listOffers(tx, link, serviceId);
  if (offer !== undefined && (await isInOffer(tx, offer, slot))) return;
  throw new AppError("slot_taken");
}

/** Locks the link: the second of two forms with one token finds the booking of the first. */
async function lockOpenLink(tx: Tx, id: number): Promise<void> {
  const rows = await tx.manager.query<unknown[]>(
    `SELECT id FROM booking_links
      WHERE id = ? AND account_id = ? AND enabled = 1 AND deleted_at IS NULL FOR UPDATE`,
    [id, tx.actor.accountId],
  );
  if (rows.length === 0) throw notFound("booking_link");
}

async function findRow(tx: Tx, linkId: number, token: string): Promise<Booking | null> {
  return await tx.manager.findOneBy(Booking, {
    tokenHash: hashToken(token),
    accountId: tx.actor.accountId,
    linkId,
  });
}

/** A booking for the holder of its token. Holds nothing of the contact. */
export interface BookedVisit {
  appointment: Appointment;
  serviceName: string | null;
  resourceName: string;
  timeZone: string;
  /** The appointment's newest move; null if there was none. */
  move: AppointmentReschedule | null;
  /** State of the confirmation by email; null where no mail was asked for, or where it failed. */
  mail: "queued" | "sent" | null;
  /** Hours from a planned reminder to the start; null where none can be promised. */
  reminderHours: number | null;
}

/**
 * The appointment behind a token, or its replacement, until its end.
 * @throws AppError `booking_not_found`
 */
export async function getBooking(tx: Tx, linkId: number, token: string): Promise<BookedVisit> {
  const booking = await findRow(tx, linkId, token);
  const appointment = booking === null ? null : await findCurrent(tx, booking.appointmentId);
  if (booking === null || appointment === null || appointment.endTime <= tx.now)
    throw notFound("booking");
  const { resources, services } = await loadNames(tx, [appointment]);
  const resource = resources.get(appointment.resourceId);
  const { accountId } = tx.actor;
  const [move] = await tx.manager.find(AppointmentReschedule, {
    where: { accountId, appointmentId: appointment.id },
    order: { id: "DESC" },
    take: 1,
  });
  return {
    appointment,
    serviceName: services.get(appointment.serviceId ?? 0)?.name ?? null,
    resourceName: resource?.name ?? "",
    timeZone: resource?.timeZone ?? "UTC",
    move: move ?? null,
    mail: await findMailState(tx, booking),
    reminderHours: await findReminderHours(tx, appointment),
  };
}

/** The mail belongs to the appointment that was booked first, also after a move. */
async function findMailState(
  tx: Tx,
  { accountId, appointmentId, createdAt }: Booking,
): Promise<BookedVisit["mail"]> {
  // The time bounds the search: it is the time of the mail, too.
  const where = { accountId, appointmentId, kind: "booking_made", createdAt } as const;
  const mail = await tx.manager.findOneBy(Mail, where);
  return mail?.state === "queued" || mail?.state === "sent" ? mail.state : null;
}

/** An appointment, or the last one of its chain of replacements; null if it was erased. */
async function findCurrent(tx: Tx, id: number): Promise<Appointment | null> {
  const row = await tx.manager.findOneBy(Appointment, { id, accountId: tx.actor.accountId });
  const next = row?.replacedByAppointmentId ?? null;
  // Ids grow along the chain, so it ends.
  return next === null || next <= id ? row : await findCurrent(tx, next);
}

/**
 * Cancels a booked appointment that has not begun. A cancelled one stays cancelled.
 * @throws AppError `booking_not_found`, `past_time`, `appointment_not_confirmed`.
 */
export async function cancelBooking(tx: Tx, linkId: number, token: string): Promise<void> {
  const { appointment } = await getBooking(tx, linkId, token);
  requireToCome(tx, appointment);
  await cancelAppointment(tx, { appointmentId: appointment.id, source: "enlace" });
}

/**
 * Requests a move of a booked appointment to an offered time. The appointment keeps its resource.
 * Does nothing if the appointment is at that time already.
 * @returns the id of the move, or null if none was needed.
 * @throws AppError `booking_not_found`, `past_time`, and the errors of `requestReschedule`.
 */
export async function moveBooking(
  tx: Tx,
  linkId: number,
  token: string,
  slot: SlotChoice,
): Promise<number | null> {
  const { appointment } = await getBooking(tx, linkId, token);
  requireToCome(tx, appointment);
  const { id, resourceId, serviceId, startTime } = appointment;
  if (startTime.getTime() === slot.start.getTime()) return null;
  const place = { resourceId, exceptAppointmentId: id };
  if (serviceId === null || !(await isTimeOffered(tx, place, serviceId, slot)))
    throw new AppError("slot_taken");
  const times = { appointmentId: id, startTime: slot.start };
  const move = await requestReschedule(tx, { ...times, mode: "same", source: "enlace" });
  return move?.id ?? null;
}

function requireToCome(tx: Tx, { startTime }: Appointment): void {
  if (startTime > tx.now) return;
  throw new AppError("past_time", {
    message: "The appointment has begun. It can no longer be changed.",
  });
}
