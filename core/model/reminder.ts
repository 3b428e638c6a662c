// Workflow code takes its types from here alone.
import type { Locale } from "./user.ts";

/** Input of the workflow that reminds of one appointment: ids alone, since Temporal keeps it. */
export type ReminderInput = {
  accountId: number;
  appointmentId: number;
  /** Which reminder of it: an appointment that is moved after it was reminded of gets another one. */
  run: number;
};

/** A reminder is `waiting` until it is one of the others; `failed`: the channel could not take it. */
export const reminderStates = ["waiting", "sent", "failed", "skipped", "cancelled"] as const;
export type ReminderState = (typeof reminderStates)[number];

/** What came of looking at a reminder. `over`: the run is not the appointment's current one any more. */
export type ReminderOutcome =
  | { state: "waiting"; waitMs: number }
  | { state: Exclude<ReminderState, "waiting"> | "over" };

const hourMs = 3_600_000;

/** Before an appointment: a week. */
export const maxReminderHours = 168;
/** Characters of an account's own words. */
export const maxReminderLength = 1_000;

/**
 * When to remind of an appointment, or null: reminders are off, or it was booked or moved so late that
 * the customer has only just heard of it.
 */
export function reminderDueAt(startTime: Date, hoursBefore: number | null, now: Date): Date | null {
  if (hoursBefore === null) return null;
  const dueAt = new Date(startTime.getTime() - hoursBefore * hourMs);
  return dueAt > now ? dueAt : null;
}

/** What a reminder can name. */
export interface ReminderFacts {
  name: string;
  startTime: Date;
  /** Of the resource: the customer comes there. */
  timeZone: string;
  locale: Locale;
}

/** What a reminder says where the account has not set its own words. */
const defaultTexts: Readonly<Record<Locale, string>> = {
  en: "Hello {name}, this is a reminder of your appointment on {date} at {time}.",
  es: "Hola {name}, te recordamos tu cita del {date} a las {time}.",
};

/** What stands for each placeholder of a reminder's text, in the order of a template's parameters. */
export function reminderValues({ name, startTime, timeZone, locale }: ReminderFacts) {
  const format = (style: Intl.DateTimeFormatOptions) => {
    const text = new Intl.DateTimeFormat(locale, { timeZone, ...style }).format(startTime);
    // Some phones show the narrow space before "PM" as a box.
    return text.replaceAll("\u202F", " ");
  };
  return { name, date: format({ dateStyle: "full" }), time: format({ timeStyle: "short" }) };
}

/** The placeholders of a reminder's text. */
export const reminderPlaceholders = ["name", "date", "time"] as const;

/** What stands in braces and names nothing that a reminder can name; undefined: nothing does. */
export function findUnknownPlaceholder(text: string): string | undefined {
  const keys = [...text.matchAll(/\{(\w+)\}/gu)].map(([, key]) => key);
  return keys.find((key) => !reminderPlaceholders.some((known) => known === key));
}

/** The words of a reminder. @param text the account's own; null: ours. */
export function renderReminder(text: string | null, facts: ReminderFacts): string {
  const values: Record<string, string> = reminderValues(facts);
  return (text ?? defaultTexts[facts.locale]).replace(
    /\{(\w+)\}/gu,
    (placeholder, key: string) => values[key] ?? placeholder,
  );
}
