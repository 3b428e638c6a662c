import { DateTime } from "luxon";
import { weekdayNumbers } from "../basic/date-words.ts";
import type { AgentContext } from "../context.ts";
import { monthByName, monthName } from "./grounding.ts";

/** A weekday with its date, as in `jueves 3 de diciembre` or `December 3 is a Thursday`. */
interface DatedWeekday {
  shown: string;
  weekday: number;
  day: number;
  /** Null: the reply names the day alone. */
  month: number | null;
  year: number | null;
}

/** Alternatives of a pattern, as its first group. */
export const weekdayName = String.raw`(lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?![\p{L}])`;
const dayNumber = String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th)?`;
const year = String.raw`(?:(?:,| de| del)? (\d{4})(?!\d))?`;
const before = String.raw`${weekdayName},?\s+(?:el\s+(?:d[ií]a\s+)?|d[ií]a\s+|the\s+)?`;
const verb = String.raw`\s+(?:es|cae|ser[aá]|is|falls)(?:\s+(?:en|un|on|a))*\s+`;
// After a comma the weekday ends its clause: else it begins the next day of a list.
const after = String.raw`(?:\s*\(|${verb}|,\s+(?=[\p{L}]+(?:[.,;!?)]|$|\s+(?:a las?|at)\s)))`;
const dayMonth = String.raw`${dayNumber}\s+(?:de\s+|of\s+)?(${monthName})(?![\p{L}])${year}`;
const monthDay = String.raw`(?<![\p{L}])(${monthName})\.?\s+${dayNumber}(?![\d:])${year}`;

const forms: readonly { pattern: string; order: readonly (keyof DatedWeekday)[] }[] = [
  { pattern: before + dayMonth, order: ["weekday", "day", "month", "year"] },
  { pattern: before + monthDay, order: ["weekday", "month", "day", "year"] },
  { pattern: `${before}${dayNumber}(?=\\s+(?:a las?|at)\\s+\\d)`, order: ["weekday", "day"] },
  { pattern: `${dayMonth}${after}${weekdayName}`, order: ["day", "month", "year", "weekday"] },
  { pattern: `${monthDay}${after}${weekdayName}`, order: ["month", "day", "year", "weekday"] },
];
const compiled = forms.map(({ pattern, order }) => ({
  order,
  pattern: new RegExp(pattern, "giu"),
}));

function numberOf(part: keyof DatedWeekday, word: string): number {
  const folded = word.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");
  if (part === "weekday") return weekdayNumbers.get(folded) ?? 0;
  if (part === "month") return monthByName.get(folded) ?? 0;
  return Number(folded);
}

function listDatedWeekdays(text: string): DatedWeekday[] {
  const found: DatedWeekday[] = [];
  let rest = text;
  // Each pair is taken out of the text, so that a date has one weekday.
  for (const { pattern, order } of compiled) {
    rest = rest.replaceAll(pattern, (shown: string, ...words: unknown[]) => {
      const pair: DatedWeekday = { shown, weekday: 0, day: 0, month: null, year: null };
      for (const [index, part] of order.entries()) {
        const word = words[index];
        if (typeof word === "string") Object.assign(pair, { [part]: numberOf(part, word) });
      }
      found.push(pair);
      return " ; ";
    });
  }
  return found;
}

/** The dates that a pair may mean. A date without a year is the next one, or of the last month. */
function datesOf({ day, month, year: given }: DatedWeekday, today: DateTime): DateTime[] {
  if (month === null)
    return [0, 1, 2].map((ahead) => {
      const { year: inYear, month: inMonth } = today.startOf("month").plus({ months: ahead });
      return DateTime.utc(inYear, inMonth, day);
    });
  if (given !== null) return [DateTime.utc(given, month, day)];
  const since = today.minus({ days: 31 });
  // The 29th of February may be years ahead.
  const years = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((ahead) => since.year + ahead);
  const dates = years.map((one) => DateTime.utc(one, month, day));
  return dates.filter((one) => one.isValid && one >= since).slice(0, 1);
}

const keyOf = ({ weekday, day, month }: DatedWeekday): string => `${weekday} ${day} ${month}`;

/**
 * The first weekday of a reply that does not fit its date, with the right one in English; null:
 * none. A pair that the account's own texts hold is the account's own.
 */
export function findWrongWeekday(
  text: string,
  { account, knowledge, persona, now }: AgentContext,
): string | null {
  const today = DateTime.fromJSDate(now, { zone: account.timeZone }).setZone("utc", {
    keepLocalTime: true,
  });
  const own = [persona.instructions, ...knowledge.map(({ answer }) => answer)];
  const known = new Set(own.flatMap((one) => listDatedWeekdays(one).map(keyOf)));
  for (const pair of listDatedWeekdays(text)) {
    const dates = datesOf(pair, today).filter(({ isValid }) => isValid);
    const isRight = dates.some(({ weekday }) => weekday === pair.weekday);
    const [date] = dates;
    if (date === undefined || isRight || known.has(keyOf(pair))) continue;
    return `"${pair.shown}", but ${date.setLocale("en").toFormat("cccc, MMMM d")}, is right`;
  }
  return null;
}
