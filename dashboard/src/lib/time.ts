import i18next from "i18next";
import { useEffect, useState } from "react";
import { addDays, wallTime } from "./zoned-time.ts";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** `2 min ago`, `in 3 days`; `now` within a minute. */
export function relativeTime(moment: string, now: number): string {
  const format = new Intl.RelativeTimeFormat(i18next.language, { numeric: "auto", style: "short" });
  const distance = new Date(moment).getTime() - now;
  for (const [unit, ms] of units) {
    if (Math.abs(distance) >= ms) return format.format(Math.trunc(distance / ms), unit);
  }
  return format.format(0, "second");
}

/** Tooltip of a time: the exact moment in UTC, and the time in the account's zone. */
export function exactTime(moment: string, timeZone: string): string {
  const utc = `${moment.replace("T", " ").replace("Z", "")} UTC`;
  return `${utc}\n${dayAndTime(moment, timeZone)} (${zoneText(timeZone)})`;
}

/** Place of a time zone: `Mexico City`. */
export function zoneText(timeZone: string): string {
  return (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ");
}

/** `9:00`, `16:30` in a time zone. */
export function clockTime(moment: string, timeZone: string): string {
  const { hour = "", minute = "" } = partsOf(moment, timeZone);
  return `${Number(hour)}:${minute}`;
}

/** `Mon 23 Nov, 9:00` in a time zone. Another year than the present one follows the month. */
export function dayAndTime(moment: string, timeZone: string): string {
  return `${weekdayText(moment, timeZone)}, ${clockTime(moment, timeZone)}`;
}

function weekdayText(moment: string, timeZone: string): string {
  const { weekday = "", day = "", month = "", year = "" } = partsOf(moment, timeZone);
  const isOther = year !== partsOf(new Date().toISOString(), timeZone)["year"];
  // Intl abbreviates some Spanish months with a point.
  return [weekday, day, month, ...(isOther ? [year] : [])].join(" ").replaceAll(".", "");
}

/** `9:48:02` in a time zone, for a log. */
export function clockSeconds(moment: string, timeZone: string): string {
  return `${clockTime(moment, timeZone)}:${moment.slice(17, 19)}`;
}

/** `Mon 23 Nov, 9:48:02` in a time zone, for a log. */
export function dayAndSeconds(moment: string, timeZone: string): string {
  return `${dayAndTime(moment, timeZone)}:${moment.slice(17, 19)}`;
}

/** `2 Oct` in a time zone. Another year than the present one follows. */
export function dayText(moment: string, timeZone: string): string {
  const { day = "", month = "", year = "" } = partsOf(moment, timeZone);
  const isOther = year !== partsOf(new Date().toISOString(), timeZone)["year"];
  return [day, month, ...(isOther ? [year] : [])].join(" ").replaceAll(".", "");
}

/** `March 2025` in a time zone. */
export function monthText(moment: string, timeZone: string): string {
  return dateFormat({ timeZone, month: "long", year: "numeric" }).format(new Date(moment));
}

/** `Thu` and `26` in a time zone, for a leaf of a calendar. */
export function leafParts(moment: string, timeZone: string): { weekday: string; day: string } {
  const { weekday = "", day = "" } = partsOf(moment, timeZone);
  return { weekday: weekday.replaceAll(".", ""), day };
}

function partsOf(moment: string, timeZone: string): Record<string, string> {
  const format = dateFormat({
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const parts = format.formatToParts(new Date(moment));
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

/**
 * Both languages put the day before the month and use 24 hours. Formats are cached, because making
 * one takes longer than using it.
 */
function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const locale = i18next.language === "en" ? "en-GB" : i18next.language;
  const key = JSON.stringify([locale, options]);
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  dateFormats.set(key, format);
  return format;
}

/** A calendar day such as `2026-11-24`, in words. */
export function dateText(date: string, options: Intl.DateTimeFormatOptions): string {
  return dateFormat({ ...options, timeZone: "UTC" }).format(new Date(`${date}T00:00:00Z`));
}

/** A range of calendar days: `23 – 29 November`. Another year than the present one follows. */
export function weekText(first: string, last: string): string {
  const present = String(new Date().getFullYear());
  const isOther = [first, last].some((date) => !date.startsWith(present));
  const year = isOther ? ({ year: "numeric" } as const) : {};
  const format = dateFormat({ day: "numeric", month: "long", ...year, timeZone: "UTC" });
  return format.formatRange(new Date(`${first}T00:00:00Z`), new Date(`${last}T00:00:00Z`));
}

/** The day of a moment in a time zone: a key that sorts, and words for people. */
export function dayOf(moment: string, timeZone: string): { key: string; label: string } {
  const words = { weekday: "long", day: "numeric", month: "long" } as const;
  const label = dateFormat({ timeZone, ...words }).format(new Date(moment));
  return { key: wallTime(moment, timeZone).date, label };
}

/** The day of a moment, named `today` or `yesterday` where that is so. */
export function namedDay(moment: string, timeZone: string): { key: string; label: string } {
  const day = dayOf(moment, timeZone);
  const now = Date.now();
  const daysAgo = [0, 1].find((days) => dayKey(now - days * 86_400_000, timeZone) === day.key);
  if (daysAgo === undefined) return day;
  return { key: day.key, label: relativeDay(-daysAgo) };
}

function dayKey(ms: number, timeZone: string): string {
  return wallTime(new Date(ms).toISOString(), timeZone).date;
}

/** Time of the newest message in a list: `9:48`, `yesterday`, `Mon 23 Nov`. */
export function rowTime(moment: string, timeZone: string, now: number): string {
  const { date } = wallTime(moment, timeZone);
  const today = wallTime(new Date(now).toISOString(), timeZone).date;
  if (date >= today) return clockTime(moment, timeZone);
  if (date === addDays(today, -1)) return relativeDay(-1);
  return weekdayText(moment, timeZone);
}

/** End of a snooze: `16:00` today, `tomorrow, 9:00`, or `Mon 23 Nov, 9:00`. */
export function snoozeText(moment: string, timeZone: string): string {
  const { date } = wallTime(moment, timeZone);
  const today = wallTime(new Date().toISOString(), timeZone).date;
  if (date === today) return clockTime(moment, timeZone);
  if (date === addDays(today, 1)) return `${relativeDay(1)}, ${clockTime(moment, timeZone)}`;
  return dayAndTime(moment, timeZone);
}

/** `yesterday` for -1, `tomorrow` for 1. */
function relativeDay(days: number): string {
  return new Intl.RelativeTimeFormat(i18next.language, { numeric: "auto" }).format(days, "day");
}

/** A duration as a clock shows it: `6:12`, `1:06:12`. */
export function clockDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? part : String(part).padStart(2, "0"))).join(":");
}

/** Remaining time in hours and minutes: `23 h 56 min`. */
export function hoursAndMinutes(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Length of a wait in one unit: `now`, `38 min`, `5 h`, `2 d`. */
export function waitText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return relativeTime(new Date(0).toISOString(), 0);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** Duration in words: in ms below 1 s, then in s. */
export function tookText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** The current time in ms, updated every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
