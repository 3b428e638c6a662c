import { DateTime } from "luxon";
import {
  monthNumbers,
  numberWords,
  ordinalWords,
  shortWeekdays,
  weekdayNumbers,
} from "./date-words.ts";
import type { Locale } from "../../model/user.ts";
import type { Word } from "./text.ts";

/** The text being read. */
export interface Scan {
  words: readonly Word[];
  language: Locale;
  /** Now, in the account's zone. */
  now: DateTime;
  /** Start of the present day. */
  today: DateTime;
}

/** Days that a text names, first to last. `to` null has no end. */
export interface DaySpan {
  from: DateTime;
  to: DateTime | null;
}

/** Days that were read at words `start` to `end`, the latter not included. */
export interface DayMention extends DaySpan {
  start: number;
  end: number;
  /** Other days that the words may mean. */
  choices?: DateTime[];
  /** True where the words name no day that exists, such as 31 February. */
  isInvalid?: boolean;
  /** True for a weekday of every week, such as `los lunes`. */
  isRepeated?: boolean;
  /** True for a weekday alone: another mention may say in which week. "Este jueves" says so itself. */
  isWeekday?: boolean;
  /** True for a weekday with its week, such as `jueves de la próxima semana`. */
  hasWeek?: boolean;
}

export const textAt = ({ words }: Scan, index: number): string => words[index]?.text ?? "";

export const isOneOf = (text: string, list: string): boolean =>
  text !== "" && ` ${list} `.includes(` ${text} `);

/** The number at `index`, in digits or in one or two words, and the words that it takes. */
export function numberAt(scan: Scan, index: number): { value: number; length: number } | null {
  const word = scan.words[index];
  if (word === undefined) return null;
  if (word.kind === "number") return { value: word.numbers[0] ?? 0, length: 1 };
  const value = numberWords.get(word.text);
  if (value === undefined) return null;
  const isTens = value >= 20 && value % 10 === 0;
  const hasAnd = textAt(scan, index + 1) === "y" && value >= 30;
  const unitIndex = index + (hasAnd ? 2 : 1);
  const unit = numberWords.get(textAt(scan, unitIndex));
  const isJoined = isTens && unit !== undefined && unit > 0 && unit < 10;
  const isSpanishTwenty = word.text === "veinte";
  if (!isJoined || isSpanishTwenty) return { value, length: 1 };
  if (!hasAnd && ["treinta", "cuarenta", "cincuenta"].includes(word.text)) {
    return { value, length: 1 };
  }
  return { value: value + unit, length: unitIndex - index + 1 };
}

/** A day of a month with its ordinal form: `27`, `27th`, `primero`, `twenty seventh`. */
function dayNumberAt(
  scan: Scan,
  index: number,
): { value: number; length: number; isOrdinal: boolean } | null {
  const ordinal = ordinalWords.get(textAt(scan, index));
  if (ordinal !== undefined) return { value: ordinal, length: 1, isOrdinal: true };
  const number = numberAt(scan, index);
  if (number === null) return null;
  const next = scan.words[index + number.length];
  if (next?.isGlued === true && isOneOf(next.text, "th st nd rd ro er do")) {
    return { value: number.value, length: number.length + 1, isOrdinal: true };
  }
  const unit = ordinalWords.get(next?.text ?? "");
  if ((number.value === 20 || number.value === 30) && unit !== undefined && unit < 10) {
    return { value: number.value + unit, length: number.length + 1, isOrdinal: true };
  }
  return { ...number, isOrdinal: false };
}

const yearAt = (scan: Scan, index: number): number | null => {
  const word = scan.words[index];
  const value = word?.kind === "number" ? (word.numbers[0] ?? 0) : 0;
  return value >= 2000 && value < 2100 ? value : null;
};

/** The days named at word `index`, or null. Reads a bounded number of words. */
export function readDay(scan: Scan, index: number): DayMention | null {
  return (
    readDigits(scan, index) ??
    readNearDay(scan, index) ??
    readDistance(scan, index) ??
    readWeek(scan, index) ??
    readWeekday(scan, index) ??
    readMonthDay(scan, index) ??
    readMonth(scan, index)
  );
}

const one = (day: DateTime, start: number, end: number): DayMention => ({
  from: day,
  to: day,
  start,
  end,
});

function readDigits(scan: Scan, index: number): DayMention | null {
  const word = scan.words[index];
  if (word?.kind !== "date") return null;
  const [first = 0, second = 0, third] = word.numbers;
  if (word.raw.length >= 8 && first >= 1000) {
    return exactDay(scan, { year: first, month: second, day: third ?? 0 }, index, index + 1);
  }
  // 10-12 without a year is rather a range of hours.
  if (third === undefined && word.raw.includes("-")) return null;
  const isDayFirst = scan.language === "es" ? second <= 12 : first > 12;
  const year = third === undefined ? undefined : third < 100 ? 2000 + third : third;
  const [day, month] = isDayFirst ? [first, second] : [second, first];
  return exactDay(scan, { year, month, day }, index, index + 1);
}

/** A date with a month. Without a year: the next such date. */
function exactDay(
  { today }: Scan,
  { year, month, day }: { year?: number | undefined; month: number; day: number },
  start: number,
  end: number,
): DayMention {
  const at = (inYear: number) =>
    DateTime.fromObject({ year: inYear, month, day }, { zone: today.zone });
  let date = at(year ?? today.year);
  if (year === undefined && (date < today || !date.isValid)) {
    for (let ahead = 1; ahead <= 4 && (date < today || !date.isValid); ahead += 1) {
      date = at(today.year + ahead);
    }
  }
  if (!date.isValid) return { ...one(today, start, end), isInvalid: true };
  return one(date, start, end);
}

function readNearDay(scan: Scan, index: number): DayMention | null {
  const { today } = scan;
  const text = textAt(scan, index);
  const previous = textAt(scan, index - 1);
  if (text === "pasado" && textAt(scan, index + 1) === "manana") {
    return one(today.plus({ days: 2 }), index, index + 2);
  }
  if (
    text === "day" &&
    textAt(scan, index + 1) === "after" &&
    textAt(scan, index + 2) === "tomorrow"
  ) {
    return one(today.plus({ days: 2 }), index, index + 3);
  }
  if (isOneOf(text, "hoy today tonight")) return weeksFrom(scan, today, index);
  if (text === "tomorrow") return one(today.plus({ days: 1 }), index, index + 1);
  if (isOneOf(text, "ayer yesterday")) return one(today.minus({ days: 1 }), index, index + 1);
  if (text === "manana" && !isOneOf(previous, "la las esta cada toda otra una")) {
    // "por la mañana" and "mañana por la mañana": only the first of them is a day.
    return weeksFrom(scan, today.plus({ days: 1 }), index);
  }
  if (
    isOneOf(text, "esta this") &&
    isOneOf(textAt(scan, index + 1), "manana tarde noche morning afternoon evening")
  ) {
    return one(today, index, index + 1);
  }
  return null;
}

/** The day at `index`, or that of "en ocho" or "en quince días" behind it: one or two weeks later. */
function weeksFrom(scan: Scan, day: DateTime, index: number): DayMention {
  const number = textAt(scan, index + 1) === "en" ? numberAt(scan, index + 2) : null;
  const weeks = number?.value === 8 ? 1 : number?.value === 15 ? 2 : 0;
  const unit = textAt(scan, index + 3);
  if (weeks === 0 || isOneOf(unit, "min mins minuto minutos hora horas h am pm semanas meses anos"))
    return one(day, index, index + 1);
  return one(day.plus({ weeks }), index, index + (isOneOf(unit, "dia dias") ? 4 : 3));
}

/** "en 3 días", "dentro de una semana", "in two weeks". */
function readDistance(scan: Scan, index: number): DayMention | null {
  const text = textAt(scan, index);
  const start =
    text === "dentro" && textAt(scan, index + 1) === "de"
      ? index + 2
      : isOneOf(text, "en in within")
        ? index + 1
        : -1;
  if (start < 0) return null;
  const number =
    numberAt(scan, start) ?? (isOneOf(textAt(scan, start), "a") ? { value: 1, length: 1 } : null);
  if (number === null || number.value > 400) return null;
  const unit = textAt(scan, start + number.length);
  const end = start + number.length + 1;
  if (isOneOf(unit, "dia dias day days"))
    return one(scan.today.plus({ days: number.value }), index, end);
  if (isOneOf(unit, "semana semanas week weeks")) {
    return one(scan.today.plus({ weeks: number.value }), index, end);
  }
  if (isOneOf(unit, "mes meses month months")) {
    return one(scan.today.plus({ months: number.value }), index, end);
  }
  return null;
}

const nextBefore = "proximo proxima next siguiente";
const nextAfter = "proximo proxima siguiente entrante";

/** The last word of "que viene" and its like, counted from `index`; 0 where none stands there. */
function lengthOfNext(scan: Scan, index: number): number {
  if (textAt(scan, index) === "que" && isOneOf(textAt(scan, index + 1), "viene entra sigue"))
    return 2;
  return isOneOf(textAt(scan, index), nextAfter) ? 1 : 0;
}

function readWeek(scan: Scan, index: number): DayMention | null {
  const { today } = scan;
  const text = textAt(scan, index);
  const previous = textAt(scan, index - 1);
  const monday = today.startOf("week");
  const weekend = weekendEnd(scan, index);
  if (weekend > 0) {
    const shift = isOneOf(previous, nextBefore) || lengthOfNext(scan, weekend) > 0;
    const saturday = monday.plus({ days: shift ? 12 : 5 });
    const end = weekend + lengthOfNext(scan, weekend);
    const from = saturday < today ? today : saturday;
    const mention = { from, to: saturday.plus({ days: 1 }), start: index, end };
    // "Next weekend" on a weekday may mean the one of this week.
    if (shift && today.weekday <= 5)
      return { ...mention, choices: [saturday.minus({ weeks: 1 }), saturday] };
    return mention;
  }
  if (!isOneOf(text, "semana week")) return null;
  const after = lengthOfNext(scan, index + 1);
  const isNext = isOneOf(previous, `${nextBefore} otra`) || after > 0;
  const end = index + 1 + after;
  const from = isNext ? monday.plus({ weeks: 1 }) : today;
  const to = monday.plus({ weeks: isNext ? 1 : 0, days: 6 });
  if (isNext || isOneOf(previous, "esta this")) return { from, to, start: index, end };
  return null;
}

function weekendEnd(scan: Scan, index: number): number {
  const text = textAt(scan, index);
  if (isOneOf(text, "weekend finde")) return index + 1;
  const isFin =
    text === "fin" && textAt(scan, index + 1) === "de" && textAt(scan, index + 2) === "semana";
  return isFin ? index + 3 : 0;
}

function readWeekday(scan: Scan, index: number): DayMention | null {
  const previous = textAt(scan, index - 1);
  const text = textAt(scan, index);
  const isLed = isOneOf(previous, "el este on this next for proximo del al by");
  const weekday = weekdayNumbers.get(text) ?? (isLed ? shortWeekdays.get(text) : undefined);
  if (weekday === undefined) return null;
  const isOfThisWeek = isOneOf(previous, "este this hoy today");
  const upcoming = nextWeekday(scan, weekday, isOfThisWeek);
  const dated = readDatedWeekday(scan, index, weekday);
  if (dated !== null) return dated;
  const week = weekdayOfWeek(scan, index + 1, weekday);
  if (week !== null) return { ...week, start: index };
  if (textAt(scan, index + 1) === "pasado" || previous === "last") {
    return one(upcoming.minus({ weeks: 1 }), index, index + (previous === "last" ? 1 : 2));
  }
  const later = weeksFrom(scan, upcoming, index);
  if (later.from > upcoming) return later;
  const end = index + 1 + lengthOfNext(scan, index + 1);
  const isThisWeek = upcoming.hasSame(scan.today, "week");
  const mention = { ...one(upcoming, index, end), isWeekday: !isOfThisWeek };
  if ((previous === "next" && isThisWeek) || previous === "otro") {
    return { ...mention, choices: [upcoming, upcoming.plus({ weeks: 1 })] };
  }
  const isRepeated =
    isOneOf(previous, "los todos") || /^(?:mon|tues|wednes|thurs|fri|satur|sun)days$/u.test(text);
  return isRepeated ? { ...mention, isRepeated } : mention;
}

function nextWeekday({ today }: Scan, weekday: number, mayBeToday: boolean): DateTime {
  const days = (weekday - today.weekday + 7) % 7;
  return today.plus({ days: days === 0 && !mayBeToday ? 7 : days });
}

/** "lunes de la próxima semana", "lunes de la semana que viene", "Monday next week". */
function weekdayOfWeek(scan: Scan, index: number, weekday: number): DayMention | null {
  let at = index;
  if (isOneOf(textAt(scan, at), "de of")) at += 1;
  if (isOneOf(textAt(scan, at), "la the")) at += 1;
  for (const candidate of [at, at + 1]) {
    if (!isOneOf(textAt(scan, candidate), "semana week")) continue;
    const week = readWeek(scan, candidate);
    if (week === null) continue;
    const day = week.from.startOf("week").plus({ days: weekday - 1 });
    return { ...one(day, index, week.end), hasWeek: true };
  }
  return null;
}

/** "jueves 26", "jueves 26 de noviembre", "Thursday the 26th", "Thursday, November 26". */
function readDatedWeekday(scan: Scan, index: number, weekday: number): DayMention | null {
  let at = index + 1;
  if (isOneOf(textAt(scan, at), "the dia")) at += 1;
  const digits = readDigits(scan, at);
  if (digits !== null) return { ...digits, start: index };
  const date = readMonthDay(scan, at, "weekday");
  if (date === null) return null;
  if (date.from.weekday === weekday) return { ...date, start: index };
  const isBare = date.end - at === 1;
  if (isBare) {
    const number = date.from.day;
    const later = date.from.plus({ months: 1 }).set({ day: number });
    if (later.weekday === weekday) return one(later, index, date.end);
    // "el jueves 5" where the 5th is no Thursday: an hour, which the caller reads.
    if (number <= 12) return null;
  }
  const upcoming = nextWeekday(scan, weekday, false);
  return { ...date, start: index, choices: [upcoming, date.from] };
}

const units =
  "anos ano personas persona pesos peso minutos minuto horas hora h h. dias dia semanas meses " +
  "years year people persons dollars minutes hours days weeks am pm oclock y de por para mil " +
  "million veces unidades piezas";

/** "27 de noviembre", "November 27th", "el 27", "the 27th". */
function readMonthDay(scan: Scan, index: number, lead?: "weekday" | "range"): DayMention | null {
  const month = monthNumbers.get(textAt(scan, index));
  if (month !== undefined) return readMonthFirst(scan, index, month);
  const number = dayNumberAt(scan, index);
  if (number === null || number.value < 1 || number.value > 99) return null;
  if (isOneOf(textAt(scan, index - 1), "calle avenida av colonia col boulevard blvd")) return null;
  let end = index + number.length;
  const monthIndex = isOneOf(textAt(scan, end), "de of del") ? end + 1 : end;
  const named = monthNumbers.get(textAt(scan, monthIndex));
  if (named !== undefined) {
    end = monthIndex + 1;
    const yearIndex = isOneOf(textAt(scan, end), "de del") ? end + 1 : end;
    const year = yearAt(scan, yearIndex);
    if (year !== null) end = yearIndex + 1;
    return exactDay(scan, { year: year ?? undefined, month: named, day: number.value }, index, end);
  }
  const previous = textAt(scan, index - 1);
  const isLed = lead !== undefined || isOneOf(previous, "el dia al");
  const isEnglishOrdinal = number.isOrdinal && scan.words[index]?.kind === "number";
  const isTheOrdinal = number.isOrdinal && previous === "the" && number.value > 3;
  if (!isLed && !isEnglishOrdinal && !isTheOrdinal) return null;
  const next = textAt(scan, end);
  if (isOneOf(next, units) && !(next === "de" && isOneOf(textAt(scan, end + 1), "este ese"))) {
    const isClock = isOneOf(next, "am pm h oclock");
    const isPlace = isOneOf(next, "por para y") && !isOneOf(textAt(scan, end + 1), "media cuarto");
    if (isClock || !isPlace) return null;
  }
  return nextMonthDay(scan, number.value, index, end);
}

function readMonthFirst(scan: Scan, index: number, month: number): DayMention | null {
  const at = textAt(scan, index + 1) === "the" ? index + 2 : index + 1;
  const number = dayNumberAt(scan, at);
  if (number === null || number.value < 1 || number.value > 31) return null;
  if (scan.words[at]?.isAfterBreak === true) return null;
  let end = at + number.length;
  const year = yearAt(scan, end);
  if (year !== null) end += 1;
  return exactDay(scan, { year: year ?? undefined, month, day: number.value }, index, end);
}

/** The next day with this number, today included. */
function nextMonthDay({ today }: Scan, day: number, start: number, end: number): DayMention {
  for (let ahead = 0; ahead < 4; ahead += 1) {
    const month = today.startOf("month").plus({ months: ahead });
    if (day > (month.daysInMonth ?? 0)) continue;
    const date = month.set({ day });
    if (date >= today) return one(date, start, end);
  }
  return { ...one(today, start, end), isInvalid: true };
}

/** "en diciembre", "el mes que viene", "next month". */
function readMonth(scan: Scan, index: number): DayMention | null {
  const { today } = scan;
  const text = textAt(scan, index);
  const previous = textAt(scan, index - 1);
  const month = monthNumbers.get(text);
  if (month !== undefined && isOneOf(previous, "en in for para next")) {
    if (scan.language === "en" && text === "may" && previous !== "in") return null;
    const year = month < today.month ? today.year + 1 : today.year;
    const first = DateTime.fromObject({ year, month }, { zone: today.zone });
    return {
      from: first < today ? today : first,
      to: first.endOf("month").startOf("day"),
      start: index,
      end: index + 1,
    };
  }
  if (!isOneOf(text, "mes month")) return null;
  const after = lengthOfNext(scan, index + 1);
  const isNext = isOneOf(previous, nextBefore) || after > 0;
  if (!isNext && !isOneOf(previous, "este this")) return null;
  const first = today.startOf("month").plus({ months: isNext ? 1 : 0 });
  return {
    from: isNext ? first : today,
    to: first.endOf("month").startOf("day"),
    start: index,
    end: index + 1 + after,
  };
}

/** The day at `index` as an end of a range: a bare number counts as a day of the month. */
export function readRangeDay(scan: Scan, index: number): DayMention | null {
  const at = isOneOf(textAt(scan, index), "el the dia") ? index + 1 : index;
  return readDay(scan, at) ?? readMonthDay(scan, at, "range");
}
