import { DateTime } from "luxon";

/** The first moment of the month that a time zone is in now. */
export function startOfMonth(now: Date, timeZone: string): Date {
  return DateTime.fromJSDate(now, { zone: timeZone }).startOf("month").toJSDate();
}
