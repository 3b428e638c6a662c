import ical, { ICalCalendarMethod, ICalEventStatus } from "ical-generator";

/** An appointment in a calendar file. */
export interface CalendarEntry {
  /** Unique and stable, so that a newer file replaces the entry. */
  uid: string;
  /** First time of an instance of a series, whose instances share a UID; null otherwise. */
  recurrenceId: Date | null;
  /** Grows with every change. */
  sequence: number;
  isCancelled: boolean;
  start: Date;
  end: Date;
  /** Time of the last change. It is no time of reading, so that an unchanged file stays the same. */
  updatedAt: Date;
  summary: string;
  location: string | null;
}

/** Content of a calendar file (RFC 5545). */
export interface CalendarFile {
  /** Name of the calendar, for programs that subscribe to it; null for a single appointment. */
  name: string | null;
  entries: readonly CalendarEntry[];
}

/** Programs that subscribe to a feed are asked to read it again after this time. */
const refreshSeconds = 900;

/** Renders a calendar file. Times are in UTC, so it needs no time zones. */
export function renderCalendarFile({ name, entries }: CalendarFile): string {
  const file = ical({
    prodId: { company: "Parley", product: "Booking", language: "EN" },
    method: ICalCalendarMethod.PUBLISH,
    ...(name !== null && { name: oneLine(name), ttl: refreshSeconds }),
  });
  for (const entry of entries) {
    file.createEvent({
      id: entry.uid,
      ...(entry.recurrenceId !== null && { recurrenceId: entry.recurrenceId }),
      sequence: entry.sequence,
      status: entry.isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      stamp: entry.updatedAt,
      start: entry.start,
      end: entry.end,
      summary: cleanText(entry.summary),
      ...(entry.location !== null && { location: cleanText(entry.location) }),
    });
  }
  return `${file.toString()}\r\n`;
}

/**
 * UID of an appointment. A replacement has that of the appointment it replaces.
 * @param firstId id of the first appointment of the chain of replacements
 */
export function appointmentUid(firstId: number, publicUrl: string): string {
  return `appointment-${firstId}@${new URL(publicUrl).hostname}`;
}

/** The library escapes what has a meaning. Other control characters have none in a calendar. */
function cleanText(text: string): string {
  return text.replaceAll(/\r\n?/gu, "\n").replaceAll(/[^\P{Cc}\n]/gu, "");
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}
