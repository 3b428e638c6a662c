import { addDays, momentAt, wallTime, weekOf } from "../../lib/zoned-time.ts";

/** A moment that a snooze menu offers. */
export interface SnoozeChoice {
  key: "later" | "tomorrow" | "monday";
  at: string;
}

/** Hour of the morning at which a snooze of days ends. */
const morning = 9 * 60;
/** Minutes of "later today", and the latest time of day that still counts as today. */
const later = { minutes: 3 * 60, until: 20 * 60 };

/**
 * Moments to snooze until, in the account's time zone: three hours ahead at a full hour, tomorrow
 * and Monday in the morning. Later today ends with the working day, and on a Sunday tomorrow is
 * Monday.
 */
export function snoozeChoices(now: string, timeZone: string): SnoozeChoice[] {
  const { date, minutes } = wallTime(now, timeZone);
  const soon = Math.ceil((minutes + later.minutes) / 60) * 60;
  const tomorrow = addDays(date, 1);
  const monday = addDays(weekOf(date)[0] ?? date, 7);
  const at = (day: string, time: number) => momentAt({ date: day, minutes: time }, timeZone);
  return [
    ...(soon <= later.until ? [{ key: "later" as const, at: at(date, soon) }] : []),
    { key: "tomorrow", at: at(tomorrow, morning) },
    ...(monday === tomorrow ? [] : [{ key: "monday" as const, at: at(monday, morning) }]),
  ];
}
