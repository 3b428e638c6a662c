import type { WidgetLocale } from "../../core/model/widget.ts";
import type { Words } from "./locales/words.ts";

/** Puts values into the places of a text. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replaceAll(/\{(\w+)\}/gu, (all, name: string) => String(values[name] ?? all));
}

/** First letter of a name, for its round picture. */
export function initialOf(name: string): string {
  return Array.from(name)[0]?.toUpperCase() ?? "";
}

/** Time of day, as the visitor's language writes it. */
export function formatTime(iso: string, locale: WidgetLocale): string {
  return new Date(iso).toLocaleTimeString(locale, { hour: "numeric", minute: "2-digit" });
}

/** Date and time, for a tooltip. */
export function formatFull(iso: string, locale: WidgetLocale): string {
  return new Date(iso).toLocaleString(locale, { dateStyle: "full", timeStyle: "short" });
}

/** Days from today in the visitor's zone: 0 is today, -1 yesterday. */
export function daysFromToday(iso: string, now = new Date()): number {
  const dayOf = (date: Date): number =>
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((dayOf(new Date(iso)) - dayOf(now)) / 86_400_000);
}

/** Heading of a day in the conversation. */
export function formatDay(iso: string, locale: WidgetLocale, words: Words): string {
  const days = daysFromToday(iso);
  if (days === 0) return words.today;
  if (days === -1) return words.yesterday;
  return new Date(iso).toLocaleDateString(locale, {
    weekday: "long",
    day: "numeric",
    month: "long",
  });
}

/** Moment at which people are back, such as `tomorrow 9:00` or `Monday 9:00`. */
export function formatBackAt(iso: string, locale: WidgetLocale): string {
  const days = daysFromToday(iso);
  const time = formatTime(iso, locale);
  if (days === 0) return time;
  const day =
    days === 1
      ? new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(1, "day")
      : new Date(iso).toLocaleDateString(locale, { weekday: "long" });
  return `${day} ${time}`;
}

/** Size of a file for people. */
export function formatSize(bytes: number, locale: WidgetLocale): string {
  const isLarge = bytes >= 1_000_000;
  const value = isLarge ? bytes / 1_000_000 : Math.max(1, bytes / 1_000);
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: isLarge ? "megabyte" : "kilobyte",
    maximumFractionDigits: isLarge ? 1 : 0,
  }).format(value);
}
