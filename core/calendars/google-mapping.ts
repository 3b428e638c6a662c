import { DateTime } from "luxon";
import { maxDurationMinutes } from "../model/appointment.ts";
import type { OtherEvents } from "../model/calendar.ts";
import { parseEmail } from "../model/contact.ts";
import { minuteMs } from "../model/durations.ts";
import { seriesOf, type GoogleAttendee, type GoogleEventBody } from "./google-event.ts";
import { findTextCustomer, nameInText } from "./text-customer.ts";

/** Knowledge about a calendar that the meaning of its events depends on. */
export interface CalendarView {
  /** IANA zone of the list, in which all-day dates are meant. */
  timeZone: string;
  /** Addresses of members and of connected calendars, in lower case. They are no customers. */
  ownEmails: ReadonlySet<string>;
  otherEvents: OtherEvents;
  /** True where no event of this calendar becomes an appointment. */
  busyOnly: boolean;
}

/** The customer of an event. At least one of phone and email is set. */
export interface EventCustomer {
  name: string | null;
  phone: string | null;
  email: string | null;
}

/** Facts of an event that is in the calendar. */
export interface EventFacts {
  eventId: string;
  etag: string | null;
  /** Moment of the last change by anybody; null where Google sent none. */
  updatedAt: Date | null;
  iCalUid: string | null;
  /** Id of the series, equal for its instances before and after a change; null: no series. */
  seriesId: string | null;
  startTime: Date;
  endTime: Date;
  /** People other than the owner are invited. */
  hasGuests: boolean;
  /**
   * An appointment that was made of this event stays one: it is timed, at most 24 hours long,
   * neither free nor declined by the owner or by all guests.
   */
  keepsAppointment: boolean;
  /** Emails of guests from outside who have declined, in lower case. */
  declinedBy: string[];
}

/** Meaning of an event for an agenda. */
export type MappedEvent =
  /** The event was deleted. */
  | { kind: "removed"; eventId: string; seriesId: string | null }
  | { kind: "appointment"; facts: EventFacts; title: string | null; customer: EventCustomer }
  /** The time is taken. Nothing else of the event is stored. */
  | { kind: "busy"; facts: EventFacts }
  /** The event takes no time. */
  | { kind: "ignored"; facts: EventFacts }
  /** The event has no readable time. */
  | { kind: "unreadable"; eventId: string };

/** Types of events that take time and are nobody's appointment. */
const busyTypes = new Set(["outOfOffice", "focusTime", "fromGmail"]);
const ignoredTypes = new Set(["workingLocation", "birthday"]);

/** Maps an event to its meaning for the agenda. */
export function mapGoogleEvent(event: GoogleEventBody, view: CalendarView): MappedEvent {
  const { id: eventId, eventType = "default" } = event;
  if (event.status === "cancelled") return { kind: "removed", eventId, seriesId: seriesOf(event) };
  const time = timeOf(event, view.timeZone);
  if (time === null) return { kind: "unreadable", eventId };
  const facts = factsOf(event, time);
  const takesNoTime = event.transparency === "transparent" || isDeclinedByOwner(event);
  if (takesNoTime || ignoredTypes.has(eventType)) return { kind: "ignored", facts };
  if (busyTypes.has(eventType)) return { kind: "busy", facts };
  const other = { kind: view.otherEvents === "busy" ? "busy" : "ignored", facts } as const;
  const fits = eventType === "default" && time.isTimed && isShort(time);
  if (view.busyOnly || !fits || isPrivate(event)) return other;
  const { customer, declinedBy, isNamedInText } = findCustomer(event, view.ownEmails);
  const answered = { ...facts, declinedBy };
  if (customer !== null) {
    return { kind: "appointment", facts: answered, title: titleOf(event), customer };
  }
  if (declinedBy.length === 0) return other;
  // The text may name a customer, whom no guest can decline for.
  return { kind: "ignored", facts: { ...answered, keepsAppointment: isNamedInText } };
}

interface EventTime {
  startTime: Date;
  endTime: Date;
  isTimed: boolean;
}

function timeOf({ start, end }: GoogleEventBody, zone: string): EventTime | null {
  const from = momentOf(start, zone);
  const until = momentOf(end, zone);
  if (from === null || until === null || from > until) return null;
  return { startTime: from, endTime: until, isTimed: start?.dateTime !== undefined };
}

function momentOf(given: GoogleEventBody["start"], zone: string): Date | null {
  const local = given?.dateTime ?? given?.date;
  if (local === undefined) return null;
  const moment = DateTime.fromISO(local, { zone });
  return moment.isValid ? moment.toJSDate() : null;
}

function factsOf(event: GoogleEventBody, time: EventTime): EventFacts {
  const updated = new Date(event.updated ?? "");
  const isDefault = (event.eventType ?? "default") === "default";
  const isFree = event.transparency === "transparent" || isDeclinedByOwner(event);
  return {
    eventId: event.id,
    etag: event.etag ?? null,
    updatedAt: Number.isNaN(updated.getTime()) ? null : updated,
    iCalUid: event.iCalUID ?? null,
    seriesId: seriesOf(event),
    startTime: time.startTime,
    endTime: time.endTime,
    hasGuests: (event.attendees ?? []).some(({ self, resource }) => !self && !resource),
    keepsAppointment: isDefault && time.isTimed && isShort(time) && !isFree,
    declinedBy: [],
  };
}

function isShort({ startTime, endTime }: EventTime): boolean {
  const lengthMs = endTime.getTime() - startTime.getTime();
  return lengthMs > 0 && lengthMs <= maxDurationMinutes * minuteMs;
}

function isDeclinedByOwner({ attendees = [] }: GoogleEventBody): boolean {
  return attendees.some(({ self, responseStatus }) => self === true && hasDeclined(responseStatus));
}

function isPrivate({ visibility }: GoogleEventBody): boolean {
  return visibility === "private" || visibility === "confidential";
}

interface FoundCustomer {
  /** Null without a customer, and where all guests from outside have declined. */
  customer: EventCustomer | null;
  declinedBy: string[];
  isNamedInText: boolean;
}

/**
 * The customer: an outside organizer, else the first invited person from outside who has not
 * declined. Where nobody from outside is invited, it is a phone or an address in the text.
 */
function findCustomer(event: GoogleEventBody, ownEmails: ReadonlySet<string>): FoundCustomer {
  const isOwn = (email: string): boolean => ownEmails.has(email) || isGooglesOwn(email);
  const { organizer, attendees = [], summary = "", description = "" } = event;
  const contactIn = (person: Pick<GoogleAttendee, "email" | "displayName" | "self">) => {
    const email = parseEmail(person.email ?? "");
    if (email === null || person.self === true || isOwn(email)) return null;
    return { name: person.displayName ?? null, email };
  };
  const host = organizer === undefined ? null : contactIn(organizer);
  const coming = host === null ? [] : [host];
  const declinedBy: string[] = [];
  for (const guest of attendees) {
    if (guest.organizer === true || guest.resource === true) continue;
    const known = contactIn(guest);
    if (known === null) continue;
    if (hasDeclined(guest.responseStatus)) declinedBy.push(known.email);
    else coming.push(known);
  }
  const named = findTextCustomer(summary, isOwn) ?? findTextCustomer(description, isOwn);
  const isNamedInText = named !== null;
  const [first] = coming;
  if (first !== undefined) {
    // An organizer need not be among the guests.
    const isApart = host !== null && !attendees.some(({ organizer: isHost }) => isHost === true);
    const people = attendees.filter(({ self, resource }) => self !== true && resource !== true);
    const isOnly = people.length + Number(isApart) <= 1;
    const phone = isOnly ? findTextPhone(event, isOwn) : null;
    return { customer: { ...first, phone }, declinedBy, isNamedInText };
  }
  const isAlone = named !== null && declinedBy.length === 0;
  const customer = isAlone ? { name: nameInText(summary), ...named } : null;
  return { customer, declinedBy, isNamedInText };
}

/** The phone in the text of an event. It is the customer's where nobody else is invited. */
function findTextPhone(
  { summary = "", description = "" }: GoogleEventBody,
  isOwn: (email: string) => boolean,
): string | null {
  return findTextCustomer(`${summary}\n${description}`, isOwn)?.phone ?? null;
}

/** Addresses of calendars and rooms. */
function isGooglesOwn(email: string): boolean {
  return /@(?:group|resource|import)\.(?:v\.)?calendar\.google\.com$/u.test(email);
}

function hasDeclined(responseStatus: string | undefined): boolean {
  return responseStatus === "declined";
}

function titleOf({ summary }: GoogleEventBody): string | null {
  const title = summary?.trim() ?? "";
  return title === "" ? null : title;
}
