const minuteMs = 60_000;
const dayMs = 86_400_000;

/** What a calendar and a clock on the wall show. */
export interface WallTime {
  /** `2026-11-24` */
  date: string;
  /** From midnight, 0 to 1,439. */
  minutes: number;
}

/** What the wall shows in a time zone at a moment. */
export function wallTime(moment: string, timeZone: string): WallTime {
  const wall = new Date(wallMs(Date.parse(moment), timeZone));
  return {
    date: wall.toISOString().slice(0, 10),
    minutes: wall.getUTCHours() * 60 + wall.getUTCMinutes(),
  };
}

/**
 * The moment at which the wall shows a time. Where the clock is put forward over it, as much later;
 * where it is put back and shows it twice, one of the two.
 */
export function momentAt({ date, minutes }: WallTime, timeZone: string): string {
  const wanted = Date.parse(`${date}T00:00:00Z`) + minutes * minuteMs;
  const guess = wanted - offsetAt(wanted, timeZone);
  const better = wanted - offsetAt(guess, timeZone);
  const found = wallMs(better, timeZone) === wanted ? better : Math.max(guess, better);
  return new Date(found).toISOString();
}

/** The day some days later, or earlier. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** The seven days of a week from Monday on, which hold this one. */
export function weekOf(date: string): string[] {
  const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
  return Array.from({ length: 7 }, (_, index) => addDays(date, index - weekday));
}

/**
 * Whether a text is a day of the calendar, as `2026-11-24`, of a year from 1900 to 2199.
 */
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

/** What the wall shows, as the moment at which UTC shows it. */
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
