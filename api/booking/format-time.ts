import { localDate } from "../../core/model/booking-week.ts";
import type { Locale } from "../../core/model/user.ts";

/** Formats of moments in one language and time zone. */
export interface TimeFormat {
  timeZone: string;
  /** `Tuesday, November 24` */
  day: (moment: Date) => string;
  /** `Thu, Nov 26, 6:00 PM` */
  brief: (moment: Date) => string;
  /** `6:00 – 6:30 PM` */
  range: (start: Date, end: Date) => string;
  /** Parts of a day: `Thu`, `26`, `Nov`. */
  parts: (moment: Date) => { weekday: string; day: string; month: string };
  /** `Tuesday, November 24, 2026 at 9:00 AM PST` */
  full: (moment: Date) => string;
  /** `Pacific Time (Tijuana)` */
  zone: string;
  /** `Tijuana` */
  city: string;
  /** True before noon. */
  isMorning: (moment: Date) => boolean;
  /** Times of one day, `9:00 AM`. A time that the clock shows twice has its offset from UTC. */
  times: (moments: readonly Date[]) => string[];
}

/** Formats moments as people in `timeZone` read them. */
export function createTimeFormat(language: Locale, timeZone: string): TimeFormat {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone, ...options });
  const dayParts = { weekday: "long", day: "numeric", month: "long" } as const;
  const timeParts = { hour: "numeric", minute: "2-digit" } as const;
  const day = format(dayParts);
  const full = format({ ...dayParts, year: "numeric", ...timeParts, timeZoneName: "short" });
  const time = format(timeParts);
  const brief = format({ weekday: "short", day: "numeric", month: "short", ...timeParts });
  const weekday = format({ weekday: "short" });
  const number = format({ day: "numeric" });
  const month = format({ month: "short" });
  const hour = new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", hourCycle: "h23" });
  const timeWithOffset = format({ ...timeParts, timeZoneName: "shortOffset" });
  return {
    timeZone,
    day: (moment) => day.format(moment),
    full: (moment) => full.format(moment),
    brief: (moment) => brief.format(moment),
    range: (start, end) => time.formatRange(start, end),
    parts: (moment) => ({
      weekday: weekday.format(moment),
      day: number.format(moment),
      month: month.format(moment),
    }),
    city: cityOf(timeZone),
    isMorning: (moment) => Number(hour.format(moment)) < 12,
    zone: `${nameZone(format({ timeZoneName: "longGeneric" }))} (${cityOf(timeZone)})`,
    times: (moments) => {
      const plain = moments.map((moment) => time.format(moment));
      return moments.map((moment, index) => {
        const text = plain[index] ?? "";
        return plain.filter((one) => one === text).length > 1
          ? timeWithOffset.format(moment)
          : text;
      });
    },
  };
}

function nameZone(format: Intl.DateTimeFormat): string {
  const parts = format.formatToParts(new Date());
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

function cityOf(timeZone: string): string {
  return (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ");
}

/** Groups rows by their local day, in order. */
export function groupByDay<Row extends { startTime: Date }>(
  rows: readonly Row[],
  timeZone: string,
): Row[][] {
  const days = new Map<string, Row[]>();
  for (const row of rows) {
    const date = localDate(timeZone, row.startTime);
    days.set(date, [...(days.get(date) ?? []), row]);
  }
  return [...days.values()];
}
