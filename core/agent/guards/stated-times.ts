import type { DateTime } from "luxon";
import { weekdayNumbers } from "../basic/date-words.ts";
import { bookedInEnglish, bookedStems, movedInEnglish, movedStems } from "./deed-words.ts";
import { listFacts } from "./grounding.ts";
import { foldText, isConditional } from "./statements.ts";
import { weekdayName } from "./weekdays.ts";

/** Start and end of an appointment, by the clock of a zone. */
export interface LocalSpan {
  start: DateTime;
  end: DateTime;
}

/** A day or a clock time that a text states, and its place. */
interface StatedTime {
  kind: "day" | "time";
  at: number;
  fits: (span: LocalSpan) => boolean;
}

const weekdayPattern = new RegExp(String.raw`(?<!\p{L})${weekdayName}`, "giu");
/** "viernes 27", "Friday the 27th", "el 27 a las 4". */
const dayPattern = new RegExp(
  String.raw`(?:${weekdayName},?\s+(?:el\s+)?(?:d[ií]a\s+)?(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?(?![\d:.]*\d|\s?(?:[ap]\.?\s?m|hrs?|h)\b)|\b(?:el|d[ií]a|the)\s+(\d{1,2})(?:st|nd|rd|th)?(?=\s+(?:a las?|at)\s|\s*[,.;]|\s*$))`,
  "giu",
);
const nearDayPattern =
  /\b(?:(pasado manana|day after tomorrow)|((?<!\b(?:la|esta|this) )manana|tomorrow)|hoy|today|tonight)\b/gu;
const clauseEnd = /[,;—]|:(?!\d)|\b(?:pero|but)\b/u;
/** Words before a day or a time that is no time of the appointment. */
const ofOther =
  /(?:^| )(?:no|ni|sin|not|puedes?|podras|hasta|antes|desde|since|libres?|disponibles?|free|available|hay|ofrezco|ofrecemos|offer|porque|because|en lugar|en vez|instead|rather|dura|lasts|pides|pediste|quieres|want|asked|abrimos|abre|cerramos|cierra|atendemos|horarios?|open|closed?|hours)(?: |$)/u;
/**
 * Words before the times that are offered for a move: "para moverla tengo el viernes". Words of a
 * deed behind them claim it: "para moverla no tengo problema, quedó agendada para el viernes".
 */
const offeredForMove =
  /\b(?:para|to|si (?:quieres|prefieres|deseas)) (?:mover|cambiar|reagendar|reprogramar|recorrer|move|change|reschedule|switch)\w*(?=[ ,].*\b(?:ten(?:go|emos)(?! (?:tu|su|la|ya)\b)|(?:i|we)(?: have|'ve got)(?! (?:you|your|it)\b)))/u;
const deed = new RegExp(
  String.raw`\b(?:${bookedInEnglish}|${movedInEnglish}|switched|set|(?:${bookedStems}|${movedStems}|list|hech)[oa]|(?:(?:re)?(?:agend|program)|reserv|confirm|apart)(?:e|amos)|movi(?:mos)?|cambi(?:e|amos)|quedo|quedaste|quedas)\b`,
  "u",
);
/** The day before a move: "se cambió del jueves 26 al viernes". */
const fromDay = /\b(?:del|from)(?: \S+)? ?$/u;
const toDay =
  /^[^,;.]{0,30}?\b(?:al|to|se (?:movio|cambio|paso|reagendo|reprogramo)|(?:was|has been) (?:moved|changed|rescheduled))\b/u;
/** Today's own name: "hoy es miércoles". */
const todayIs = /^(?:hoy es|today is)\b/u;
const ofToday = /\b(?:hoy es|today is)(?: \S+)? ?$/u;
/** A time at which the customer is to arrive. */
const arrival = /\b(?:lleg|arriv)\w+(?: (?:a las?|at|by))? ?$/u;
/** Words behind it, in its part of the clause, which tell the same. */
const ofOtherBehind =
  /\b(?:no|not|hay|libres?|disponibles?|free|available|ocupad\w*|llen[oa]s?|tomad\w*|taken|booked|full|ofrezco|ofrecemos|abrimos|cerramos|atendemos|open|closed|de anticipacion|in advance)\b/u;
const partEnd = /[,;—]|:(?!\d)| (?:y|and|pero|but) /u;
/** Characters beside a time that are read. More of them would take a hostile text too long. */
const reach = 120;
/** Words with which a sentence goes on to the time of the appointment. */
const timeLead =
  /^\W*(?:(?:(?:te|los?|las?|le) esper\w+|nos vemos|see you|we(?:'ll| will) see you|es|sera|it's|it is|fecha|dia|hora|date|day|time)\W+)?(?:(?:para|el|la|las|a|on|at|this|este|dia)\W+)*$/u;

/**
 * Days and clock times of a claim: of its sentence, or else of a next one that begins with them,
 * such as "Te esperamos el viernes 27".
 */
export function listTimesOfClaim(said: string, next: string, today: DateTime): StatedTime[] {
  const own = listStatedTimes(said, today);
  if (own.length > 0) return own;
  const later = listStatedTimes(next, today);
  const isTime = timeLead.test(foldText(next).slice(0, later[0]?.at));
  return isTime ? later : [];
}

/**
 * True where all times are of one appointment. A second day, or a second clock time, may begin the
 * next appointment of a list.
 */
export function fitsAppointments(
  times: readonly StatedTime[],
  appointments: readonly LocalSpan[],
): boolean {
  let left = appointments;
  let seen = new Set<StatedTime["kind"]>();
  for (const { kind, fits } of times) {
    const isOther = seen.has(kind) && !left.some(fits);
    // The times so far are of no appointment, so no next one makes up for them.
    if (isOther && left.length === 0) return false;
    if (isOther) seen = new Set();
    left = (isOther ? appointments : left).filter(fits);
    seen.add(kind);
  }
  return left.length > 0;
}

function listStatedTimes(text: string, today: DateTime): StatedTime[] {
  const folded = foldText(text);
  const times = [...listFactTimes(text), ...listNamedDays(text), ...listNearDays(folded, today)];
  return times
    .filter(({ at, kind }) => {
      const before = folded.slice(Math.max(0, at - reach), at);
      const lead = before.split(clauseEnd).at(-1) ?? "";
      const isOpen = isConditional({ before: "", clause: lead, lead, isOffer: false });
      const [behind = ""] = folded.slice(at, at + reach).split(partEnd);
      if (isOpen || isOffered(before) || isBeside(kind, lead, folded.slice(at))) return false;
      return !ofOther.test(lead) && !ofOtherBehind.test(behind);
    })
    .toSorted((one, other) => one.at - other.at);
}

function isOffered(before: string): boolean {
  const part = before.split(/\b(?:pero|but)\b/u).at(-1) ?? "";
  const found = offeredForMove.exec(part);
  return found !== null && !deed.test(part.slice(found.index + found[0].length));
}

/** True for a time that stands beside the appointment's own: the day before, today, an arrival. */
function isBeside(kind: StatedTime["kind"], lead: string, rest: string): boolean {
  if (kind === "time") return arrival.test(lead);
  return (fromDay.test(lead) && toDay.test(rest)) || todayIs.test(rest) || ofToday.test(lead);
}

/** Dates and clock times in digits. The end of an appointment counts as one of its times. */
function listFactTimes(text: string): StatedTime[] {
  return listFacts(text).flatMap(({ kind, start: at, readings }): StatedTime[] => {
    const isTime = (moment: DateTime) => readings.includes(moment.toFormat("H:mm"));
    if (kind === "time")
      return [{ kind, at, fits: ({ start, end }) => isTime(start) || isTime(end) }];
    const isDate = ({ start }: LocalSpan) => readings.includes(`${start.month}-${start.day}`);
    return kind === "date" ? [{ kind: "day", at, fits: isDate }] : [];
  });
}

/** Weekdays, and days of a month without the month. */
function listNamedDays(text: string): StatedTime[] {
  const weekdays = [...text.matchAll(weekdayPattern)].map(({ index, 1: name = "" }): StatedTime => {
    const weekday = weekdayNumbers.get(foldText(name.toLowerCase()));
    return { kind: "day", at: index, fits: ({ start }) => start.weekday === weekday };
  });
  const days = [...text.matchAll(dayPattern)].map(({ 0: shown, index, 2: named, 3: bare }) => {
    const day = Number(named ?? bare);
    const at = index + shown.search(/\d/u);
    return { kind: "day" as const, at, fits: ({ start }: LocalSpan) => start.day === day };
  });
  return [...weekdays, ...days];
}

function listNearDays(folded: string, today: DateTime): StatedTime[] {
  return [...folded.matchAll(nearDayPattern)].map(({ index, 1: second, 2: next }) => {
    const day = today.plus({ days: second !== undefined ? 2 : next !== undefined ? 1 : 0 });
    return { kind: "day", at: index, fits: ({ start }) => start.hasSame(day, "day") };
  });
}
