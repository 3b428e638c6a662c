import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField, notFound } from "../../errors.ts";
import { formatSlot, parseSlot, type Customer } from "../../model/booking-link.ts";
import { bookingWeek } from "../../model/booking-week.ts";
import { bookingHorizonMs } from "../../model/booking-link.ts";
import { asLocale } from "../../model/user.ts";
import type { VisitBookingBody, VisitSlots } from "../../model/widget-visit.ts";
import type { SecretBox } from "../../secrets.ts";
import {
  findBookingLink,
  findFirstOffered,
  listOfferedTimes,
  listOffers,
  type Offer,
  type OpenLink,
} from "../booking/booking-offers.ts";
import { bookThroughLink, getBooking, type BookedVisit } from "../booking/bookings.ts";
import type { LiveWidget } from "./find-widget.ts";
import type { Visit } from "./visit.ts";
import { readSaid, storeSaid } from "./visit-contact.ts";
import { lockVisit } from "./visit-messages.ts";

/**
 * The booking link that a widget offers.
 * @throws AppError `booking_link_not_found` where the widget offers none, or the link is closed
 */
export async function getWidgetLink(
  tx: Tx,
  { accountId, settings: { booking_slug: slug } }: LiveWidget,
): Promise<OpenLink> {
  const link = slug === null ? null : await findBookingLink(tx, slug);
  if (link === null || !link.open || link.accountId !== accountId) throw notFound("booking_link");
  return link;
}

/**
 * Services of a link, and free times of one of them: of the seven days from a date on, else of the
 * first days with a free time. A link with one service needs no choice.
 */
export async function listVisitSlots(
  tx: Tx,
  link: OpenLink,
  { serviceId, from }: { serviceId: number | null; from: string | null },
): Promise<VisitSlots> {
  const offers = await listOffers(tx, link);
  const [only] = offers.length === 1 ? offers : [];
  const offer = only ?? offers.find((one) => one.serviceId === serviceId);
  return {
    time_zone: offer?.timeZone ?? link.accountTimeZone,
    services: offers.map((one) => ({
      id: one.serviceId,
      name: one.serviceName,
      duration_minutes: one.durationMinutes,
    })),
    slots: offer === undefined ? [] : await listTimes(tx, link, offer, from),
  };
}

async function listTimes(
  tx: Tx,
  link: OpenLink,
  { serviceId, timeZone, resources }: Offer,
  from: string | null,
): Promise<VisitSlots["slots"]> {
  const { range } = bookingWeek(timeZone, from, tx.now);
  const found = await listOfferedTimes(tx, link, serviceId, range);
  const rest = { start: range.end, end: new Date(tx.now.getTime() + bookingHorizonMs) };
  const next =
    found.length > 0 || from !== null
      ? null
      : await findFirstOffered(tx, link, serviceId, { range: rest });
  const later =
    next === null
      ? []
      : await listOfferedTimes(tx, link, serviceId, {
          start: next.startTime,
          end: new Date(next.startTime.getTime() + range.end.getTime() - range.start.getTime()),
        });
  return [...found, ...later].map(({ resourceId, startTime }) => ({
    slot: formatSlot({ resourceId, start: startTime }),
    start_time: startTime.toISOString(),
    resource: resources.find(({ id }) => id === resourceId)?.name ?? "",
  }));
}

/** Parts of an installation that a booking needs. */
export interface BookingParts {
  secretBox: SecretBox;
  hasMail: boolean;
}

/** A booking, and the token that opens its page. */
export interface VisitBooking {
  booked: BookedVisit;
  link: OpenLink;
  token: string;
}

/**
 * Books a time for a visitor, by the rules of the booking link. A repeated `client_id` books once.
 * The visitor's contact gets the appointment where there is one, so that nobody books for somebody
 * else by typing their email.
 * @throws AppError `slot_taken`, `validation_error`, and the errors of `bookThroughLink`
 */
export async function bookVisit(
  tx: Tx,
  { secretBox, hasMail }: BookingParts,
  { widget, visit, slug }: { widget: LiveWidget; visit: Visit; slug: string },
  body: VisitBookingBody,
): Promise<VisitBooking> {
  const session = await lockVisit(tx, visit);
  const link = await getWidgetLink(tx, widget);
  const slot = parseSlot(body.slot);
  if (slot === null) throw new AppError("slot_taken");
  const said = readSaid({ name: body.name, email: body.email, phone: body.phone });
  const { name = session.said?.name ?? "", email, phone } = said;
  if (name === "") throw invalidField("body.name", "required", "Give a name.");
  if (session.contactId === null && email === undefined && phone === undefined) {
    throw invalidField("body.email", "required", "Give an email or a phone.");
  }
  await storeSaid(tx, session, said);
  const token = tokenOf(secretBox, visit, body.client_id);
  const customer: Customer = { name, email, phone };
  const locale = asLocale(visit.locale);
  const mail = hasMail
    ? { secretBox, locale, path: `/book/${slug}/a/${token}?lang=${locale}` }
    : null;
  const { contactId, conversationId } = session;
  const place = contactId === null ? null : { contactId, conversationId };
  const request = { token, serviceId: body.service_id, slot, customer, mail, place };
  await bookThroughLink(tx, link, request);
  return { booked: await getBooking(tx, link.id, token), link, token };
}

/** The token follows from the visitor's own id, so a repeat finds the booking. 26 base62 characters. */
function tokenOf(box: SecretBox, { sessionId }: Visit, clientId: string): string {
  const signed = box.sign(`${sessionId}:${clientId}`, "widget_booking");
  return signed.replaceAll("-", "0").replaceAll("_", "1").slice(0, 26);
}
