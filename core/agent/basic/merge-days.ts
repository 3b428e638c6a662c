import type { DateTime } from "luxon";
import { isOneOf, textAt, type DayMention, type Scan } from "./date-mentions.ts";

// Several mentions of days in one text.

/** A day in ISO 8601. */
export const iso = (day: DateTime): string => day.toISODate() ?? "";

/** Days of a mention: 31 at most, and the first day alone where the mention has no end. */
export function listDays({ from, to, isRepeated }: DayMention): DateTime[] {
  if (isRepeated === true) return [0, 1, 2, 3].map((weeks) => from.plus({ weeks }));
  const count = Math.min(31, Math.round((to ?? from).diff(from, "days").days) + 1);
  return Array.from({ length: count }, (_, index) => from.plus({ days: index }));
}

/** Mentions of one day. */
const isSingle = ({ from, to }: DayMention): boolean => to !== null && +from === +to;

/**
 * The days that all mentions name together. "Martes o jueves": the days between them are added to
 * `excluded`. Beside a range, a single day wins.
 */
export function mergeDays(
  scan: Scan,
  mentions: readonly DayMention[],
  excluded: string[],
): DayMention {
  const [first] = mentions;
  if (first === undefined) throw new RangeError("No days to merge");
  const singles = placeBefore(scan, mentions.filter(isSingle));
  const ranges = mentions.filter((mention) => !isSingle(mention));
  const [range] = ranges;
  if (range === undefined) return joinDays(singles, excluded) ?? first;
  const placed = ranges.length === 1 ? placeDays(scan, singles, range) : null;
  return joinDays(placed ?? [], excluded) ?? singles[0] ?? first;
}

/** "Martes o jueves de la próxima semana": the weekdays before the last one are of its week too. */
function placeBefore(scan: Scan, singles: readonly DayMention[]): DayMention[] {
  return singles.reduceRight<DayMention[]>((later, single) => {
    const [next] = later;
    if (next?.hasWeek !== true || single.isWeekday !== true) return [single, ...later];
    const day = next.from.startOf("week").plus({ days: single.from.weekday - 1 });
    const isListed = scan.words
      .slice(single.end, next.start)
      .every(({ text }) => isOneOf(text, "o u y e or and el on"));
    // "Friday or Monday next week": the Friday is one of this week.
    const isOfWeek = isListed && day < next.from && day >= scan.today;
    return [isOfWeek ? { ...single, from: day, to: day, hasWeek: true } : single, ...later];
  }, []);
}

/** The first to the last of single days. The days between them are added to `excluded`. */
function joinDays(singles: readonly DayMention[], excluded: string[]): DayMention | null {
  const days = singles.map(({ from }) => from).toSorted((one, other) => +one - +other);
  const [first] = singles;
  const [from] = days;
  const to = days.at(-1);
  if (first === undefined || from === undefined || to === undefined) return null;
  const wanted = new Set(days.map(iso));
  const between = listDays({ from, to, start: 0, end: 0 }).map(iso);
  excluded.push(...between.filter((day) => !wanted.has(day)));
  return { ...first, from, to };
}

/**
 * "La próxima semana, el jueves": the days of the range that have the weekdays. Null where one of
 * the days is not in the range, or where the text leaves the range open.
 */
function placeDays(
  scan: Scan,
  singles: readonly DayMention[],
  range: DayMention,
): DayMention[] | null {
  if (range.to === null || range.choices !== undefined) return null;
  if (isAlternative(scan, singles, range)) return null;
  const days = listDays(range);
  const placed = singles.flatMap((single) => {
    const isInside = days.some((day) => +day === +single.from);
    const day = isInside
      ? single.from
      : days.find(({ weekday }) => single.isWeekday === true && weekday === single.from.weekday);
    return day === undefined ? [] : [{ ...single, from: day, to: day }];
  });
  return placed.length === singles.length ? placed : null;
}

/** "El jueves o la próxima semana": the weekday is not one of that week. */
function isAlternative(scan: Scan, singles: readonly DayMention[], range: DayMention): boolean {
  const before = singles.findLast(({ start }) => start < range.start);
  const after = singles.find(({ start }) => start > range.start);
  const hasOr = (from: number, to: number) =>
    scan.words
      .slice(from, to)
      .some((_, at) => isOneOf(textAt(scan, from + at), "o u or otherwise"));
  return (
    (before !== undefined && hasOr(before.end, range.start)) ||
    (after !== undefined && hasOr(range.end, after.start))
  );
}
