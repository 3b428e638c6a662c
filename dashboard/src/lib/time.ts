import i18next from "i18next";
import { useEffect, useState } from "react";

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

/** The exact moment in UTC and in the account's time zone. */
export function exactTime(moment: string, timeZone: string): string {
  return [`${moment.replace("T", " ").replace("Z", "")} UTC`, localTime(moment, timeZone)].join(
    "\n",
  );
}

/** Date and time in a time zone, with its name. */
export function localTime(moment: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat(i18next.language, {
    timeZone,
    dateStyle: "medium",
    timeStyle: "medium",
  });
  return `${format.format(new Date(moment))} ${timeZone}`;
}

/** Hours and minutes in a time zone. */
export function clockTime(moment: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat(i18next.language, { timeZone, timeStyle: "short" });
  return format.format(new Date(moment));
}

/** `Tue, Nov 24, 10:00 AM` in a time zone. */
export function dayAndTime(moment: string, timeZone: string): string {
  return new Intl.DateTimeFormat(i18next.language, {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "numeric",
    minute: "2-digit",
  }).format(new Date(moment));
}

/** A day of the calendar such as `2026-11-24`, in words. */
export function dateText(date: string, options: Intl.DateTimeFormatOptions): string {
  const format = new Intl.DateTimeFormat(i18next.language, { ...options, timeZone: "UTC" });
  return format.format(new Date(`${date}T00:00:00Z`));
}

/** Two days of the calendar and what lies between them: `Nov 23 – 29, 2026`. */
export function weekText(first: string, last: string): string {
  const format = new Intl.DateTimeFormat(i18next.language, {
    dateStyle: "medium",
    timeZone: "UTC",
  });
  return format.formatRange(new Date(`${first}T00:00:00Z`), new Date(`${last}T00:00:00Z`));
}

/** The day of a moment in a time zone: a key that sorts, and words for people. */
export function dayOf(moment: string, timeZone: string): { key: string; label: string } {
  const date = new Date(moment);
  const key = new Intl.DateTimeFormat("sv-SE", { timeZone }).format(date);
  const label = new Intl.DateTimeFormat(i18next.language, {
    timeZone,
    weekday: "long",
    day: "numeric",
    month: "long",
  }).format(date);
  return { key, label };
}

/** A duration as a clock shows it: `6:12`, `1:06:12`. */
export function clockDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? part : String(part).padStart(2, "0"))).join(":");
}

/** How long something took: ms up to 1 s, then s. */
export function tookText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** The time, again every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
