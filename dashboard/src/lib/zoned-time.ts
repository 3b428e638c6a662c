import { dayMs, minuteMs } from "../../../core/model/durations.ts";

/** A local date and time in some time zone. */
export interface WallTime {
  /** `2026-11-24` */
  date: string;
  /** Minutes since midnight, 0 to 1,439. */
  minutes: number;
}

/** Local date and time in a time zone at a moment. */
export function wallTime(moment: string, timeZone: string): WallTime {
  const wall = new Date(wallMs(Date.parse(moment), timeZone));
  return {
    date: wall.toISOString().slice(0, 10),
    minutes: wall.getUTCHours() * 60 + wall.getUTCMinutes(),
  };
}

/**
 * The moment with a local time. A time that the start of daylight saving skips becomes as much
 * later. Of a time that exists twice at its end, one is chosen. Minutes below 0 are of the day
 * before.
 */
export function momentAt({ date, minutes }: WallTime, timeZone: string): string {
  const wanted = Date.parse(`${date}T00:00:00Z`) + minutes * minuteMs;
  const guess = wanted - offsetAt(wanted, timeZone);
  const better = wanted - offsetAt(guess, timeZone);
  const found = wallMs(better, timeZone) === wanted ? better : Math.max(guess, better);
  return new Date(found).toISOString();
}

/** The day some days later; a negative number gives an earlier day. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** The seven days from Monday to Sunday of the week that contains `date`. */
export function weekOf(date: string): string[] {
  const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
  return Array.from({ length: 7 }, (_, index) => addDays(date, index - weekday));
}

/** @returns true for a calendar day such as `2026-11-24`, of a year from 1900 to 2199. */
export function isDate(text: string): boolean {
  const ms = /^(19|20|21)\d{2}-\d{2}-\d{2}$/.test(text)
    ? Date.parse(`${text}T00:00:00Z`)
    : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

function offsetAt(ms: number, timeZone: string): number {
  return wallMs(ms, timeZone) - Math.floor(ms / 1_000) * 1_000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local time of a moment, read as UTC, in ms. */
function wallMs(ms: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      dateStyle: "short",
      timeStyle: "medium",
    });
    formats.set(timeZone, format);
  }
  return Date.parse(`${format.format(ms).replace(" ", "T")}Z`);
}
