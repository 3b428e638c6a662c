/** Beginning of a message: its date, in the order of the text, its time of day, and the rest. */
export interface ChatHead {
  /** Three numbers; a year of two digits is one of this century. */
  date: readonly [number, number, number];
  /** True for `2026/03/06`, whose month always stands before its day. */
  isYearFirst: boolean;
  /** Hours 0 to 23, minutes, seconds. */
  time: readonly [number, number, number];
  /** Author and text, or the text of a system line. */
  rest: string;
}

const marks = "[\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]*";
const date = "(\\d{1,4})[-/.] ?(\\d{1,2})[-/.] ?(\\d{1,4})";
const gap = "[,.]?\\s";
/** Words such as `kl.`, and halves of the day that East Asian languages put before the time. */
const before = "([^\\d\\s:\\]]{1,6}\\s?)?";
const clock = "(\\d{1,2})[.:](\\d{2})(?:[.:](\\d{2}))?";
const half = "(?:\\s?([ap])\\.?\\s?m\\.?)?";
const ios = new RegExp(`^${marks}\\[${date}${gap}${before}${clock}${half}\\]\\s(.*)$`, "isu");
const android = new RegExp(`^${marks}${date}${gap}${before}${clock}${half}\\s-\\s(.*)$`, "isu");

const morning = /^(?:上午|午前|오전|凌晨|早上)/u;
const afternoon = /^(?:下午|午後|오후|晚上|中午)/u;

/** The head of a line, or null for a line that belongs to the message before. */
export function parseHead(line: string): ChatHead | null {
  const match = ios.exec(line) ?? android.exec(line);
  if (match === null) return null;
  const [, one = "", two = "", three = "", word = "", hour, minute, second, letter, rest] = match;
  const isYearFirst = one.length > 2;
  const time = toTime(Number(hour), halfOf(word, letter));
  const parts = isYearFirst
    ? ([Number(one), Number(two), Number(three)] as const)
    : ([Number(one), Number(two), toYear(three)] as const);
  if (time === null || Number(minute) > 59) return null;
  const head = { date: parts, isYearFirst, rest: rest ?? "" };
  return { ...head, time: [time, Number(minute), Number(second ?? 0)] };
}

type Half = "am" | "pm" | null;

function halfOf(word: string, letter: string | undefined): Half {
  if (letter !== undefined) return letter.toLowerCase() === "p" ? "pm" : "am";
  if (morning.test(word)) return "am";
  return afternoon.test(word) ? "pm" : null;
}

function toTime(hour: number, halfOfDay: Half): number | null {
  if (hour > 23) return null;
  if (halfOfDay === null || hour > 12) return hour;
  return (hour % 12) + (halfOfDay === "pm" ? 12 : 0);
}

const toYear = (digits: string): number => Number(digits) + (digits.length <= 2 ? 2000 : 0);

/** A day without a zone. Months count from 1. */
export interface ChatDay {
  year: number;
  month: number;
  day: number;
}

/**
 * Day of a head. A date that has one reading alone is read so, whichever order is asked for.
 * @returns null for a date that no calendar has
 */
export function dayOf({ date: [one, two, three], isYearFirst }: ChatHead, dayFirst: boolean) {
  if (isYearFirst) return toDay(one, two, three);
  const asked = dayFirst ? toDay(three, two, one) : toDay(three, one, two);
  return asked ?? (dayFirst ? toDay(three, one, two) : toDay(three, two, one));
}

function toDay(year: number, month: number, day: number): ChatDay | null {
  if (month < 1 || month > 12 || day < 1) return null;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() ? { year, month, day } : null;
}
