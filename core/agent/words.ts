import type { Locale } from "../model/user.ts";

/** A time on an agenda, in the words of a customer. */
export interface TimeInWords {
  startTime: Date;
  /** Empty: the words name no agenda. */
  resourceName: string;
  language: Locale;
  /** Zone of the account. */
  timeZone: string;
}

const styles: Record<Locale, { locale: string; clock: Intl.DateTimeFormatOptions }> = {
  en: { locale: "en-US", clock: { hour: "numeric", minute: "2-digit" } },
  es: { locale: "es-MX", clock: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } },
};

/**
 * Weekday, date, time and agenda: `Tuesday, November 24, 10:00 AM, Dr. Soto` or
 * `martes 24 de noviembre, 10:00, Dra. Soto`.
 */
export function wordsOfTime({ resourceName, ...time }: TimeInWords): string {
  const part = partsOf(time);
  const weekday = part({ weekday: "long" });
  const month = part({ month: "long" });
  const day = part({ day: "numeric" });
  const date =
    time.language === "es" ? `${weekday} ${day} de ${month}` : `${weekday}, ${month} ${day}`;
  const clock = part(styles[time.language].clock);
  return [date, clock, resourceName].filter((text) => text !== "").join(", ");
}

/**
 * A time in at most 20 characters, as a button takes them: `Thu 26, 4:00 PM` or `jue 26, 16:00`.
 * `withMonth` gives `Thu Nov 26, 4:00 PM` or `jue 26 nov, 16:00`.
 */
export function shortWordsOfTime(
  time: Omit<TimeInWords, "resourceName">,
  withMonth = false,
): string {
  const part = partsOf(time);
  const weekday = part({ weekday: "short" });
  const month = withMonth ? part({ month: "short" }) : "";
  const day = part({ day: "numeric" });
  const date = time.language === "es" ? [weekday, day, month] : [weekday, month, day];
  const words = date.filter((text) => text !== "").join(" ");
  return `${words.replaceAll(".", "")}, ${part(styles[time.language].clock)}`;
}

function partsOf({ startTime, language, timeZone }: Omit<TimeInWords, "resourceName">) {
  return (options: Intl.DateTimeFormatOptions): string =>
    formatOf(styles[language].locale, { timeZone, ...options })
      .format(startTime)
      // Some phones show the narrow space before "PM" as a box.
      .replaceAll("\u202F", " ");
}

/** To make a format takes a hundred times as long as to use it. */
const formats = new Map<string, Intl.DateTimeFormat>();
/** Accounts of many time zones must not fill the memory. */
const mostFormats = 200;

function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  if (formats.size >= mostFormats) formats.clear();
  const format = new Intl.DateTimeFormat(locale, options);
  formats.set(key, format);
  return format;
}

/** Effects on appointments of which the customer is told. */
export type AppointmentEffect =
  | "book_appointment"
  | "reschedule_appointment"
  | "cancel_appointment";

const confirmations: Record<Locale, Record<AppointmentEffect, string>> = {
  en: {
    book_appointment: "Appointment confirmed",
    reschedule_appointment: "Appointment moved",
    cancel_appointment: "Appointment cancelled",
  },
  es: {
    book_appointment: "Cita confirmada",
    reschedule_appointment: "Cita movida",
    cancel_appointment: "Cita cancelada",
  },
};

/** The words before the colon of a text that tells of an effect. */
export function wordsOfEffectStart(language: Locale, effect: AppointmentEffect): string {
  return confirmations[language][effect];
}

/** The text that tells of an effect: `Cita confirmada: martes 24 de noviembre, 10:00, Dra. Soto`. */
export function wordsOfEffect(effect: AppointmentEffect, time: TimeInWords): string {
  return `${confirmations[time.language][effect]}: ${wordsOfTime(time)}`;
}
