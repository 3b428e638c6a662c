import { DateTime } from "luxon";
import { bookingHorizonMs } from "./booking-link.ts";
import type { Interval } from "./slots.ts";

const weekDays = 7;

/** Seven days of a booking page, by the calendar of one time zone. */
export interface BookingWeek {
  range: Interval;
  /** The days, as `2026-11-24`. */
  days: string[];
  /** First days of the pages before and after, as `2026-11-24`; null where there is none. */
  earlier: string | null;
  later: string | null;
}

/**
 * Seven days from `from` on, a date such as `2026-11-24`. They begin today where `from` is null, no
 * date, in the past, or past the horizon. The days end with the horizon.
 */
export function bookingWeek(timeZone: string, from: string | null, now: Date): BookingWeek {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf("day");
  const horizon = DateTime.fromMillis(now.getTime() + bookingHorizonMs, { zone: timeZone });
  const asked = DateTime.fromISO(from ?? "", { zone: timeZone }).startOf("day");
  const first = asked.isValid && asked > today && asked < horizon ? asked : today;
  const next = DateTime.min(first.plus({ days: weekDays }), horizon);
  const before = DateTime.max(first.minus({ days: weekDays }), today);
  const count = Math.ceil(next.diff(first, "days").days);
  return {
    range: { start: first.toJSDate(), end: next.toJSDate() },
    days: Array.from({ length: count }, (_, index) => dateOf(first.plus({ days: index }))),
    earlier: first > today ? before.toISODate() : null,
    later: next < horizon ? next.toISODate() : null,
  };
}

/** The date that a calendar in this zone shows at a moment, as `2026-11-24`. */
export function localDate(timeZone: string, moment: Date): string {
  return dateOf(DateTime.fromJSDate(moment, { zone: timeZone }));
}

function dateOf(moment: DateTime): string {
  return moment.toISODate() ?? "";
}
