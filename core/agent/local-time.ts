import { DateTime } from "luxon";

/** A day with a clock time in a zone; null for a day that no calendar has. */
export function momentAt(day: string, time: string, zone: string): Date | null {
  const moment = DateTime.fromISO(`${day}T${time}`, { zone });
  return moment.isValid ? moment.toJSDate() : null;
}

/** Day (`2026-11-24`) and minutes since midnight of a moment, by the clock of a zone. */
export function localTimeOf(moment: Date, zone: string): { day: string; minutes: number } {
  const local = DateTime.fromJSDate(moment, { zone });
  return { day: local.toISODate() ?? "", minutes: local.hour * 60 + local.minute };
}

/** Midnight of the day of a moment in a zone, and of the days after it. */
export function midnightOf(moment: Date, zone: string, plusDays = 0): Date {
  return DateTime.fromJSDate(moment, { zone }).startOf("day").plus({ days: plusDays }).toJSDate();
}
