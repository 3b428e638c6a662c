// Workflow code takes its types from here alone.
import type { Locale } from "./user.ts";
import { hourMs } from "./durations.ts";

/**
 * Input of the workflow that reminds of one appointment: ids alone, since Temporal keeps the input.
 */
export type ReminderInput = {
  accountId: number;
  appointmentId: number;
  /** Number of the reminder. An appointment that moves after its reminder gets another reminder. */
  run: number;
};

/**
 * States of a reminder. Every state but `waiting` is final. `failed`: the channel could not take
 * the reminder.
 */
export const reminderStates = ["waiting", "sent", "failed", "skipped", "cancelled"] as const;
export type ReminderState = (typeof reminderStates)[number];

/** Outcome of a check of a reminder. `over`: the run is no longer the appointment's current run. */
export type ReminderOutcome =
  | { state: "waiting"; waitMs: number }
  | { state: Exclude<ReminderState, "waiting"> | "over" };

/** Maximum hours from a reminder to its appointment: a week. */
export const maxReminderHours = 168;
/** Maximum number of characters in an account's own text. */
export const maxReminderLength = 1_000;

/**
 * Moment of the reminder of an appointment, or null. Null: reminders are off, or the reminder would
 * be in the past. The customer of a late booking or move has only just read of the time.
 */
export function reminderDueAt(startTime: Date, hoursBefore: number | null, now: Date): Date | null {
  if (hoursBefore === null) return null;
  const dueAt = new Date(startTime.getTime() - hoursBefore * hourMs);
  return dueAt > now ? dueAt : null;
}

/** Facts that a reminder can name. */
export interface ReminderFacts {
  name: string;
  startTime: Date;
  /** Time zone of the resource, because the customer comes there. */
  timeZone: string;
  locale: Locale;
}

/** Default text of a reminder, where the account has not set its own. */
const defaultTexts: Readonly<Record<Locale, string>> = {
  en: "Hello {name}, this is a reminder of your appointment on {date} at {time}.",
  es: "Hola {name}, te recordamos tu cita del {date} a las {time}.",
};

/** Value of each placeholder in a reminder's text, in the order of a template's parameters. */
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

/** First placeholder of a text that a reminder cannot fill. Undefined where all are known. */
export function findUnknownPlaceholder(text: string): string | undefined {
  const keys = [...text.matchAll(/\{(\w+)\}/gu)].map(([, key]) => key);
  return keys.find((key) => !reminderPlaceholders.some((known) => known === key));
}

/**
 * The text of a reminder.
 * @param text the account's own text; null: the default text.
 */
export function renderReminder(text: string | null, facts: ReminderFacts): string {
  const values: Record<string, string> = reminderValues(facts);
  return (text ?? defaultTexts[facts.locale]).replace(
    /\{(\w+)\}/gu,
    (placeholder, key: string) => values[key] ?? placeholder,
  );
}
