import { wallTime } from "../../lib/zoned-time.ts";

/** A range of a day, in minutes since midnight. */
export interface TimeRange {
  from: number;
  to: number;
}

/**
 * Part of a period that falls on a day, in minutes since midnight; null for none. A part whose hour
 * comes twice is as long as it lasts.
 */
export function onDay(
  { start_time, end_time }: { start_time: string; end_time: string },
  date: string,
  timeZone: string,
): TimeRange | null {
  const start = wallTime(start_time, timeZone);
  const end = wallTime(end_time, timeZone);
  const from = start.date < date ? 0 : start.date === date ? start.minutes : 1_440;
  const to = end.date > date ? 1_440 : end.date === date ? end.minutes : 0;
  if (from < to) return { from, to };
  if (start.date !== date || end.date !== date) return null;
  // Daylight saving ended meanwhile, so the clock shows an end that is not after the start.
  const minutes = Math.round((Date.parse(end_time) - Date.parse(start_time)) / 60_000);
  return minutes > 0 ? { from, to: Math.min(from + minutes, 1_440) } : null;
}

/**
 * Minutes by the clock from a start to the midnight at which a later day begins. 0 for a start on
 * the day.
 */
export function minutesBefore(start: string, date: string, timeZone: string): number {
  const first = wallTime(start, timeZone);
  const days = (Date.parse(date) - Date.parse(first.date)) / 86_400_000;
  return Math.max(0, days * 1_440 - first.minutes);
}

/** The periods that fall on a day, with their ranges. */
export function timeRangesOf<Time extends { start_time: string; end_time: string }>(
  times: Time[],
  date: string,
  timeZone: string,
): (Time & TimeRange)[] {
  return times.flatMap((time) => {
    const stretch = onDay(time, date, timeZone);
    return stretch === null ? [] : [{ ...time, ...stretch }];
  });
}
