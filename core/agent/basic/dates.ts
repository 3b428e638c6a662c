import { DateTime } from "luxon";
import { minutesOfDay, weekdays, type WeeklyHours } from "../../model/schedule.ts";
import type { Locale } from "../../model/user.ts";
import {
  isOneOf,
  numberAt,
  readDay,
  readRangeDay,
  textAt,
  type DayMention,
  type Scan,
} from "./date-mentions.ts";
import { isCorrection, isExcluded, isName, namedWords } from "./date-clauses.ts";
import { monthNumbers, type Part } from "./date-words.ts";
import { iso, listDays, mergeDays } from "./merge-days.ts";
import { isPartRefused } from "./refusals.ts";
import { joinWords, onlyOf, type Word } from "./text.ts";
import { readPart, readTime, type ClockTime, type TimeMention } from "./time-mentions.ts";

/** Days in ISO 8601, first to last. `to` null has no end. */
export interface DayRange {
  from: string;
  to: string | null;
}

/** A question that the words leave open, with the answers that they allow. */
export interface OpenQuestion {
  about: "day" | "time";
  /** Days in ISO 8601, or times such as `17:00`; empty where the words name none that exists. */
  choices: string[];
}

/** Days and times that a text names, in the account's zone. */
export interface TimeReading {
  days: DayRange | null;
  /** Days that the text rules out. */
  excluded: string[];
  /** Days that tell which appointment the text speaks of, as in "mi cita del martes". */
  named: DayRange | null;
  part: Part | null;
  /** `HH:MM` */
  time: string | null;
  /** Times between two ends, `00:00` to `24:00`. */
  window: { from: string; to: string } | null;
  question: OpenQuestion | null;
}

/** True where the text names a day, a time, or a part of the day. */
export function hasDates({
  days,
  excluded,
  named,
  part,
  time,
  window,
  question,
}: TimeReading): boolean {
  return (
    [days, named, part, time, window, question].some((value) => value !== null) ||
    excluded.length > 0
  );
}

export interface ReadOptions {
  now: Date;
  timeZone: string;
  language: Locale;
  /** Opening hours, by which a bare hour is judged. */
  hours: readonly WeeklyHours[];
  /** The value that was asked for: a bare number is read as it. */
  expected?: "day" | "time" | null;
}

/** Mentions of a text in their order. */
interface Mentions {
  days: (DayMention & { isExcluded: boolean; isName: boolean })[];
  times: TimeMention[];
  part: Part | null;
}

/** Reads days and times in one pass over the words. */
export function readDates(words: readonly Word[], options: ReadOptions): TimeReading {
  const now = DateTime.fromJSDate(options.now, { zone: options.timeZone });
  const scan: Scan = { words, language: options.language, now, today: now.startOf("day") };
  const mentions = listMentions(scan, options.expected ?? null);
  const reading = combineDays(scan, mentions);
  return { ...reading, part: mentions.part, ...combineTimes(scan, mentions, reading, options) };
}

function listMentions(scan: Scan, expected: "day" | "time" | null): Mentions {
  const mentions: Mentions = { days: [], times: [], part: null };
  const names = namedWords(scan);
  const isShort = scan.words.length <= 3;
  for (let index = 0; index < scan.words.length;) {
    const end = names.has(index)
      ? index + 1
      : readMention(scan, index, mentions, isShort ? expected : null);
    index = Math.max(end, index + 1);
  }
  return mentions;
}

function readMention(
  scan: Scan,
  index: number,
  mentions: Mentions,
  expected: "day" | "time" | null,
): number {
  const day = readSpan(scan, index, expected === "day");
  if (day !== null) {
    dropCorrected(scan, mentions.days, day.start);
    mentions.days.push({
      ...day,
      isExcluded: isExcluded(scan, day),
      isName: isName(scan, day.start),
    });
    if (textAt(scan, index) === "tonight") mentions.part = "evening";
    return afterDay(scan, day, mentions);
  }
  const time = readTime(scan, index, expected === "time");
  if (time !== null) {
    if (isCorrection(scan, mentions.times.at(-1)?.end ?? index, time.start))
      mentions.times.length = 0;
    mentions.times.push(time);
    return time.end;
  }
  const part = readPart(scan, index);
  if (part === null) return index + 1;
  if (!isPartRefused(scan, index, part.end)) mentions.part = part.part;
  // "El jueves por la mañana no puedo" says nothing of the afternoons of other days.
  else if (mentions.days.length === 0)
    mentions.part = part.part === "morning" ? "afternoon" : "morning";
  return part.end;
}

/** "mañana 10", "el jueves 5 pm", "hoy 16:30": a number right after a day is an hour. */
function afterDay(scan: Scan, day: DayMention, mentions: Mentions): number {
  const next = scan.words[day.end];
  if (next === undefined || next.isAfterBreak || !isBareHour(scan, day.end)) return day.end;
  const time = readTime(scan, day.end, true);
  if (time === null) return day.end;
  mentions.times.push(time);
  return time.end;
}

function isBareHour(scan: Scan, index: number): boolean {
  const word = scan.words[index];
  if (word?.kind === "clock") return true;
  return (
    word?.kind === "number" &&
    (word.numbers[0] ?? 99) <= 24 &&
    !isOneOf(textAt(scan, index + 1), "personas people anos de")
  );
}

const rangeLeads = "del de desde from between entre";

/** Days, or a range of two of them, at `index`. */
function readSpan(scan: Scan, index: number, isExpected: boolean): DayMention | null {
  const lead = textAt(scan, index);
  if (
    isOneOf(lead, "del desde entre between from") &&
    !isOneOf(textAt(scan, index + 1), "las la")
  ) {
    const range = readRange(scan, index, readRangeDay(scan, index + 1));
    if (range !== null && (lead === "del" || !isOfHours(scan, index + 1, range.end))) return range;
  }
  const bare =
    isExpected && scan.words[index]?.kind === "number" ? readRangeDay(scan, index) : null;
  const day = readDay(scan, index) ?? bare;
  if (day === null) return null;
  // "Move my appointment on Friday to Monday" names no range.
  if (textAt(scan, index - 1) === "on" && isName(scan, index)) return day;
  return readRange(scan, index, day) ?? readBound(scan, day);
}

/** "entre 10 y 12": bare numbers without a month are rather hours. */
function isOfHours(scan: Scan, start: number, end: number): boolean {
  if (numberAt(scan, start) === null) return false;
  const words = scan.words.slice(start, end);
  return !words.some(
    ({ kind, text }) => kind === "date" || monthNumbers.has(text) || text === "el",
  );
}

function readRange(scan: Scan, start: number, first: DayMention | null): DayMention | null {
  if (first === null || first.to === null) return null;
  const joint = textAt(scan, first.end);
  const lead = isOneOf(textAt(scan, start), rangeLeads)
    ? textAt(scan, start)
    : textAt(scan, start - 1);
  const isBetween =
    isOneOf(lead, "entre between") || isOneOf(textAt(scan, start - 2), "entre between");
  const isJoined =
    isOneOf(joint, "al a hasta to through until thru") || (isBetween && isOneOf(joint, "y and"));
  if (!isJoined) return null;
  const skipped = isOneOf(textAt(scan, first.end + 1), "el the") ? first.end + 2 : first.end + 1;
  const last = readRangeDay(scan, skipped);
  if (last === null) return null;
  // "del 10 al 15 de diciembre": the month belongs to both.
  const isFirstBare = isOneOf(textAt(scan, first.end - 1), String(first.from.day));
  const from =
    isFirstBare && first.from.month !== last.from.month && first.from.day < last.from.day
      ? last.from.set({ day: first.from.day })
      : first.from;
  const end = last.from < from ? last.from.plus({ weeks: 1 }) : (last.to ?? last.from);
  if (end < from) return null;
  return {
    from,
    to: end,
    start,
    end: last.end,
    isInvalid: first.isInvalid === true || last.isInvalid === true,
  };
}

/** "a partir del lunes", "después del 27", "antes del viernes", "from Monday on". */
function readBound(scan: Scan, day: DayMention): DayMention {
  const words = [1, 2, 3].map((back) => textAt(scan, day.start - back));
  const [near = "", far = ""] = isOneOf(words[0] ?? "", "el the de del") ? words.slice(1) : words;
  const isDe = isOneOf(words[0] ?? "", "de del");
  if (
    isOneOf(near, "partir starting desde onwards") ||
    (near === "from" && textAt(scan, day.end) === "on")
  ) {
    return { ...day, to: null };
  }
  if (near === "after" || (near === "despues" && isDe) || far === "despues") {
    return { ...day, from: (day.to ?? day.from).plus({ days: 1 }), to: null };
  }
  if (near === "before" || (near === "antes" && isDe)) {
    return { ...day, from: scan.today, to: day.from.minus({ days: 1 }) };
  }
  return day;
}

function dropCorrected(scan: Scan, days: Mentions["days"], start: number): void {
  const last = days.at(-1);
  if (last === undefined || !isCorrection(scan, last.end, start)) return;
  const kept = days.filter((day) => day.isExcluded || day.isName);
  days.splice(0, days.length, ...kept);
}

const toRange = ({ from, to }: { from: DateTime; to: DateTime | null }): DayRange => ({
  from: iso(from),
  to: to === null ? null : iso(to),
});

type Days = Pick<TimeReading, "days" | "excluded" | "named" | "question">;

function combineDays(scan: Scan, { days }: Mentions): Days {
  const excluded = days.filter((day) => day.isExcluded).flatMap((day) => listDays(day));
  const positive = days.filter((day) => !day.isExcluded && !day.isName);
  const name = days.find((day) => day.isName && !day.isExcluded);
  const named = name === undefined ? null : toRange(name);
  const base = { excluded: [...new Set(excluded.map(iso))], named, question: null };
  const invalid = positive.find((day) => day.isInvalid === true);
  if (invalid !== undefined)
    return { ...base, days: null, question: { about: "day", choices: [] } };
  const [first] = positive;
  if (first === undefined) return { ...base, days: anyDay(scan, excluded) };
  const merged = positive.length === 1 ? first : mergeDays(scan, positive, base.excluded);
  const choices = positive.length === 1 ? (first.choices ?? []).map(iso) : [];
  if (choices.length > 0) return { ...base, days: null, question: { about: "day", choices } };
  return { ...base, days: toRange(merged) };
}

/** "cuanto antes", "any day", "cualquier día menos el lunes": from today on. */
function anyDay({ words, today }: Scan, excluded: DateTime[]): DayRange | null {
  const text = ` ${joinWords(words)} `;
  const phrases = anyDayPhrases.some((phrase) => text.includes(` ${phrase} `));
  const isExcept = excluded.length > 0 && /(?:cualquier|todos|any|every)/u.test(text);
  return phrases || isExcept ? { from: iso(today), to: null } : null;
}

const anyDayPhrases = [
  "cuanto antes",
  "lo antes posible",
  "lo mas pronto posible",
  "cualquier dia",
  "el que sea",
  "cuando sea",
  "cuando puedas",
  "cuando se pueda",
  "cuando tengas",
  "cuando haya",
  "primer espacio",
  "primera cita disponible",
  "any day",
  "anytime",
  "any time",
  "whenever",
  "as soon as possible",
  "asap",
  "soonest",
  "earliest",
  "first available",
];

type Times = Pick<TimeReading, "time" | "window" | "question">;

function combineTimes(
  scan: Scan,
  { times, part }: Mentions,
  { days, question }: Days,
  { hours }: ReadOptions,
): Times {
  const open = (minutes: number) => isOpenAt(scan, hours, days, minutes);
  const none = { time: null, window: null, question };
  const [first, second] = times;
  if (first === undefined) return none;
  if (first.kind === "window") return { ...none, window: toWindow(first, open, part) };
  const candidates = listCandidates(first.from, open, part);
  const others = second?.kind === "time" ? listCandidates(second.from, open, part) : [];
  const all = [...new Set([...candidates, ...others])].map(toClock);
  const only = onlyOf(all);
  if (only !== null) return { ...none, time: only };
  return { ...none, question: question ?? { about: "time", choices: all } };
}

function toWindow(
  { from, to }: TimeMention,
  open: (minutes: number) => boolean,
  part: Part | null,
): { from: string; to: string } {
  const [start] = from === null ? [0] : listCandidates(from, open, part);
  const ends = to === null ? [1440] : to.isExact ? [to.minutes] : [to.minutes, to.minutes + 720];
  const first = start ?? 0;
  const openEnd = to === null ? undefined : ends.find((end) => end > first && open(end - 1));
  const end = openEnd ?? ends.find((one) => one > first) ?? 1440;
  return { from: toClock(first), to: toClock(end) };
}

/** The minutes that a time may mean: one where part or opening hours decide. */
function listCandidates(
  time: ClockTime | null,
  open: (minutes: number) => boolean,
  part: Part | null,
): number[] {
  if (time === null) return [];
  if (time.isExact) return [time.minutes];
  const both = [time.minutes, time.minutes + 720];
  if (part === "morning") return [time.minutes];
  if (part !== null) return [time.minutes + 720];
  const fits = both.filter(open);
  return fits.length === 1 ? fits : both;
}

function isOpenAt(
  { today }: Scan,
  hours: readonly WeeklyHours[],
  days: DayRange | null,
  minutes: number,
): boolean {
  const wanted = new Set<number>();
  const first = days === null ? today : DateTime.fromISO(days.from, { zone: today.zone });
  const last =
    days === null || days.to === null
      ? first.plus({ days: 6 })
      : DateTime.fromISO(days.to, { zone: today.zone });
  for (let day = first; day <= last && wanted.size < 7; day = day.plus({ days: 1 }))
    wanted.add(day.weekday);
  return hours.some((week) =>
    [...wanted].some((weekday) => {
      const ranges = week[weekdays[weekday - 1] ?? "monday"];
      return ranges.some(
        ({ from, to }) => minutesOfDay(from) <= minutes && minutes < minutesOfDay(to),
      );
    }),
  );
}

function toClock(minutes: number): string {
  const hour = Math.floor(minutes / 60);
  return `${String(hour).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}
