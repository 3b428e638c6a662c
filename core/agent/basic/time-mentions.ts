import { isOneOf, numberAt, textAt, type Scan } from "./date-mentions.ts";
import { partWords, type Part } from "./date-words.ts";
import { isBoundRefused } from "./refusals.ts";

/** A clock time as it was said. Without `isExact` the hour may be of the morning or the evening. */
export interface ClockTime {
  /** Minutes from midnight, the first of the two candidates where the hour is not exact. */
  minutes: number;
  isExact: boolean;
}

/** A time, or times between two ends, at words `start` to `end`, the latter not included. */
export interface TimeMention {
  start: number;
  end: number;
  kind: "time" | "window";
  from: ClockTime | null;
  to: ClockTime | null;
}

const exact = (minutes: number): ClockTime => ({ minutes, isExact: true });

interface Clock {
  time: ClockTime;
  end: number;
}

const leads = "las at around about by tipo como sobre since till";

/** True where the words before `index` announce a clock time. */
function isLed(scan: Scan, index: number): boolean {
  const previous = textAt(scan, index - 1);
  if (previous === "la") {
    return (
      isOneOf(textAt(scan, index), "una 1") &&
      isOneOf(textAt(scan, index - 2), "a de para como tipo")
    );
  }
  return isOneOf(previous, leads);
}

/** The time or the window at `index`, or null. Reads a bounded number of words. */
export function readTime(scan: Scan, index: number, isExpected: boolean): TimeMention | null {
  const window = readWindow(scan, index);
  if (window !== null) return window;
  const clock = readClock(scan, index, isExpected || isLed(scan, index));
  if (clock === null) return null;
  return { start: index, end: clock.end, kind: "time", from: clock.time, to: null };
}

/** "entre las 10 y las 12", "de 4 a 6", "after 5", "antes de las 12", "10-12". */
function readWindow(scan: Scan, index: number): TimeMention | null {
  return readDashedWindow(scan, index) ?? readBetween(scan, index) ?? readOpenWindow(scan, index);
}

function readDashedWindow(scan: Scan, index: number): TimeMention | null {
  const word = scan.words[index];
  if (word?.kind !== "date" || word.numbers.length !== 2 || !word.raw.includes("-")) return null;
  const [from = 0, to = 0] = word.numbers;
  if (from > 24 || to > 24) return null;
  const meridiem = readMeridiem(scan, index + 1);
  const [start, end] = [at(from, 0, meridiem), at(to, 0, meridiem)];
  return makeWindow(index, meridiem?.end ?? index + 1, start, end);
}

function readBetween(scan: Scan, index: number): TimeMention | null {
  const text = textAt(scan, index);
  if (!isOneOf(text, "entre between de desde from")) return null;
  const isBetween = isOneOf(text, "entre between");
  const first = skipArticle(scan, index + 1);
  // A part said once, at the end, is that of both hours: "de 4 a 6 de la tarde".
  const from = readClock(scan, first, true, true);
  if (from === null) return null;
  const joint = textAt(scan, from.end);
  const isJoined = isBetween ? isOneOf(joint, "y and a") : isOneOf(joint, "a hasta to until till");
  if (!isJoined) return null;
  const to = readClock(scan, skipArticle(scan, from.end + 1), true);
  if (to === null) return null;
  const meridiem = readMeridiem(scan, from.end) === null ? meridiemBefore(scan, to.end) : null;
  return makeWindow(index, to.end, from.time, to.time, meridiem);
}

function skipArticle(scan: Scan, index: number): number {
  const text = textAt(scan, index);
  return isOneOf(text, "las la a") ? skipArticle2(scan, index + 1) : index;
}

function skipArticle2(scan: Scan, index: number): number {
  return isOneOf(textAt(scan, index), "las la") ? index + 1 : index;
}

/** The part of the day that closes at `end`, as `tarde` in "6 de la tarde". */
function meridiemBefore(scan: Scan, end: number): Meridiem | null {
  for (let back = 1; back <= 3; back += 1) {
    const meridiem = readMeridiem(scan, end - back);
    if (meridiem !== null && meridiem.end === end) return meridiem;
  }
  return null;
}

function makeWindow(
  start: number,
  end: number,
  from: ClockTime,
  to: ClockTime,
  shared: Meridiem | null = null,
): TimeMention {
  const shifted = shared !== null && !from.isExact ? shared.shift(from.minutes) : null;
  // "11 a 1 de la tarde": the part belongs to the end alone.
  const first = shifted !== null && shifted < to.minutes ? exact(shifted) : from;
  return { start, end, kind: "window", from: first, to };
}

function readOpenWindow(scan: Scan, index: number): TimeMention | null {
  const text = textAt(scan, index);
  const next = textAt(scan, index + 1);
  const isLater =
    isOneOf(text, "after since pasadas") ||
    (text === "despues" && next === "de") ||
    (text === "partir" && next === "de") ||
    (text === "desde" && next === "las");
  const isEarlier =
    isOneOf(text, "before until") || (isOneOf(text, "antes hasta") && isOneOf(next, "de las"));
  if (!isLater && !isEarlier) return null;
  const isAfter = isLater !== isBoundRefused(scan, index);
  let at = index + 1;
  if (textAt(scan, at) === "de" || textAt(scan, at) === "del") at += 1;
  at = skipArticle(scan, at);
  const clock = readClock(scan, at, true);
  if (clock === null) return null;
  return {
    start: index,
    end: clock.end,
    kind: "window",
    from: isAfter ? clock.time : null,
    to: isAfter ? null : clock.time,
  };
}

/** A time without its leading words. `isSure` reads a bare number as an hour. */
function readClock(scan: Scan, index: number, isSure: boolean, isStart = false): Clock | null {
  return (
    readNamedHour(scan, index) ??
    (isStart ? null : readBefore(scan, index)) ??
    readDigitalClock(scan, index, isSure) ??
    readHour(scan, index, isSure, isStart)
  );
}

function readNamedHour(scan: Scan, index: number): Clock | null {
  const text = textAt(scan, index);
  if (isOneOf(text, "mediodia noon midday")) return { time: exact(12 * 60), end: index + 1 };
  if (isOneOf(text, "medio") && textAt(scan, index + 1) === "dia") {
    return { time: exact(12 * 60), end: index + 2 };
  }
  if (isOneOf(text, "medianoche midnight")) return { time: exact(0), end: index + 1 };
  return null;
}

/** "cuarto para las cinco", "diez para las 5", "quarter to five", "half past ten". */
function readBefore(scan: Scan, index: number): Clock | null {
  const text = textAt(scan, index);
  const isUn = text === "un" || text === "a";
  const at0 = isUn ? index + 1 : index;
  const word = textAt(scan, at0);
  const minutes = isOneOf(word, "cuarto quarter")
    ? { value: 15, length: 1 }
    : word === "half"
      ? { value: 30, length: 1 }
      : numberAt(scan, at0);
  if (minutes === null || minutes.value > 59) return null;
  const joint = at0 + minutes.length;
  const isPara = textAt(scan, joint) === "para" && isOneOf(textAt(scan, joint + 1), "las la");
  const isTo =
    isOneOf(textAt(scan, joint), "to past") &&
    (word === "quarter" || word === "half" || minutes.value % 5 === 0);
  if (!isPara && !isTo) return null;
  const hour = numberAt(scan, joint + (isPara ? 2 : 1));
  if (hour === null || hour.value > 24) return null;
  const isPast = textAt(scan, joint) === "past";
  const hourEnd = joint + (isPara ? 2 : 1) + hour.length;
  const total = hour.value * 60 + (isPast ? minutes.value : -minutes.value);
  const meridiem = readMeridiem(scan, hourEnd);
  if (meridiem !== null) {
    const whole = meridiem.shift(hour.value * 60) + (isPast ? minutes.value : -minutes.value);
    return { time: exact((whole + 1440) % 1440), end: meridiem.end };
  }
  const isExact = hour.value > 12;
  return { time: { minutes: (total + 720) % (isExact ? 1440 : 720), isExact }, end: hourEnd };
}

function readDigitalClock(scan: Scan, index: number, isSure: boolean): Clock | null {
  const word = scan.words[index];
  if (word?.kind !== "clock") return null;
  const [hour = 0, minute = 0] = word.numbers;
  if (hour > 24 || minute > 59 || (word.raw.includes(".") && !isSure)) return null;
  const meridiem = readMeridiem(scan, index + 1);
  const isWritten = word.raw.startsWith("0") || word.raw.toLowerCase().includes("h");
  const end = meridiem?.end ?? index + (isOneOf(textAt(scan, index + 1), "h horas") ? 2 : 1);
  if (meridiem === null && isWritten) return { time: exact(hour * 60 + minute), end };
  return { time: at(hour, minute, meridiem), end };
}

function readHour(scan: Scan, index: number, isSure: boolean, isStart: boolean): Clock | null {
  const hour = numberAt(scan, index);
  if (hour === null || hour.value > 24) return null;
  const afterHour = index + hour.length;
  const minutes = readMinutes(scan, afterHour, isSure, isStart);
  const afterMinutes = afterHour + minutes.length;
  const meridiem = readMeridiem(scan, afterMinutes);
  const isOClock = isOneOf(textAt(scan, afterMinutes), "oclock");
  const isHours = isOneOf(textAt(scan, afterMinutes), "h horas");
  const isMarked =
    meridiem !== null || isOClock || (isHours && (isSure || textAt(scan, afterMinutes) === "h"));
  if (!isSure && !isMarked && !minutes.isTold) return null;
  const end = meridiem?.end ?? afterMinutes + (isOClock || isHours ? 1 : 0);
  const total = hour.value * 60 + minutes.value;
  if (isHours && meridiem === null) return { time: exact(total % 1440), end };
  return { time: fromMinutes(total, hour.value > 12 || hour.value === 0, meridiem), end };
}

/** "y media", "y cuarto", "menos cuarto", "y diez", "treinta". */
function readMinutes(
  scan: Scan,
  index: number,
  isSure: boolean,
  isStart: boolean,
): { value: number; length: number; isTold: boolean } {
  const none = { value: 0, length: 0, isTold: false };
  const joint = textAt(scan, index);
  const next = textAt(scan, index + 1);
  if (joint === "y" && isOneOf(next, "media cuarto pico")) {
    const value = next === "media" ? 30 : next === "cuarto" ? 15 : 0;
    return { value, length: 2, isTold: true };
  }
  const number = numberAt(scan, index + 1);
  if (joint === "menos") {
    const value = next === "cuarto" ? 15 : (number?.value ?? 0);
    return value > 0 && value < 60
      ? { value: -value, length: 1 + (number?.length ?? 1), isTold: true }
      : none;
  }
  if (!isSure) return none;
  // The start of "entre las 10 y las 12" or "entre 10 y 12" has no minutes.
  if (joint === "y" && number !== null && number.value < 60 && !isStart) {
    return { value: number.value, length: 1 + number.length, isTold: true };
  }
  const direct = numberAt(scan, index);
  const isMinute =
    direct !== null && direct.value % 5 === 0 && direct.value >= 10 && direct.value < 60;
  return isMinute ? { value: direct.value, length: direct.length, isTold: true } : none;
}

interface Meridiem {
  /** Moves a time of the clock into its half of the day. */
  shift: (minutes: number) => number;
  end: number;
}

const toMorning = (minutes: number) => (minutes >= 720 && minutes < 780 ? minutes - 720 : minutes);
const toAfternoon = (minutes: number) => (minutes < 720 ? minutes + 720 : minutes);
const toNight = (minutes: number) =>
  minutes >= 720 && minutes < 780
    ? minutes - 720
    : minutes >= 240 && minutes < 720
      ? minutes + 720
      : minutes;
const toNoon = (minutes: number) => (minutes < 360 ? minutes + 720 : minutes);

const shifts = new Map<string, (minutes: number) => number>([
  ["am", toMorning],
  ["pm", toAfternoon],
  ["manana", toMorning],
  ["madrugada", toMorning],
  ["tarde", toAfternoon],
  ["tardes", toAfternoon],
  ["noche", toNight],
  ["morning", toMorning],
  ["afternoon", toAfternoon],
  ["evening", toAfternoon],
  ["night", toNight],
  ["dia", toNoon],
  ["mediodia", toNoon],
]);

/** "pm", "de la tarde", "en la mañana", "del día", "in the evening", "at night". */
function readMeridiem(scan: Scan, index: number): Meridiem | null {
  const first = textAt(scan, index);
  if (isOneOf(first, "am pm")) return { shift: shifts.get(first) ?? toMorning, end: index + 1 };
  const second = textAt(scan, index + 1);
  if (first === "del" && isOneOf(second, "dia mediodia")) return { shift: toNoon, end: index + 2 };
  if (isOneOf(first, "at") && second === "night") return { shift: toNight, end: index + 2 };
  const third = textAt(scan, index + 2);
  const isSpanish = isOneOf(first, "de en por") && second === "la";
  const isEnglish = isOneOf(first, "in") && second === "the";
  const isPart = third === "madrugada" || partWords.has(third);
  if ((!isSpanish && !isEnglish) || !isPart) return null;
  const shift = shifts.get(third);
  return shift === undefined ? null : { shift, end: index + 3 };
}

function at(hour: number, minute: number, meridiem: Meridiem | null): ClockTime {
  return fromMinutes(hour * 60 + minute, hour > 12 || hour === 0, meridiem);
}

function fromMinutes(total: number, isExact: boolean, meridiem: Meridiem | null): ClockTime {
  if (meridiem !== null) return exact((meridiem.shift(total) + 1440) % 1440);
  return isExact ? exact((total + 1440) % 1440) : { minutes: (total + 720) % 720, isExact: false };
}

/** The part of the day at `index`, with the words that it takes; null inside of greetings. */
export function readPart(scan: Scan, index: number): { part: Part; end: number } | null {
  const text = textAt(scan, index);
  const previous = textAt(scan, index - 1);
  if (isOneOf(text, "temprano temprana tempranito early"))
    return { part: "morning", end: index + 1 };
  if (text === "tonight") return { part: "evening", end: index + 1 };
  const part = partWords.get(text);
  if (part === undefined || isOneOf(previous, "buenas buena good buen mas llego llegar late"))
    return null;
  const isEnglish = isOneOf(text, "morning mornings afternoon afternoons evening evenings night");
  const isLed = isOneOf(previous, "la las esta de una");
  const isBesideDay = text !== "manana" && isOneOf(previous, besideDays);
  return isEnglish || isLed || isBesideDay ? { part, end: index + 1 } : null;
}

const besideDays = "manana hoy lunes martes miercoles jueves viernes sabado domingo tomorrow en";
