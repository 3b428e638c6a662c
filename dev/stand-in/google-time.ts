import { DateTime } from "luxon";
import { GoogleRefusal, type GoogleEvent, type GoogleTime } from "./google-wire.ts";

/** Epoch milliseconds of a start or an end. A whole day begins at midnight in `zone`. */
export function momentOf(time: GoogleTime, zone: string): number {
  if (time.date !== undefined) return DateTime.fromISO(time.date, { zone }).toMillis();
  return DateTime.fromISO(time.dateTime ?? "", { zone: time.timeZone ?? zone }).toMillis();
}

/**
 * The time in Google's own words: with the offset of its zone and without fractions of a second.
 * @throws GoogleRefusal for a time that cannot be read
 */
export function normalizeTime(name: string, time: GoogleTime | undefined, zone: string) {
  if (time?.date !== undefined && time.dateTime === undefined) {
    if (!DateTime.fromISO(time.date).isValid || time.date.length !== 10)
      throw new GoogleRefusal(400, "invalid", "Invalid value for: Invalid format");
    return { date: time.date };
  }
  if (time?.dateTime === undefined)
    throw new GoogleRefusal(400, "required", `Missing ${name} time.`);
  if (time.date !== undefined)
    throw new GoogleRefusal(400, "invalid", `Only one of ${name}.date and ${name}.dateTime.`);
  const hasOffset = /(?:Z|[+-]\d{2}:?\d{2})$/u.test(time.dateTime);
  if (!hasOffset && time.timeZone === undefined)
    throw new GoogleRefusal(400, "required", `Missing time zone definition for ${name} time.`);
  const own = time.timeZone ?? zone;
  const moment = DateTime.fromISO(time.dateTime, { zone: own });
  if (!moment.isValid) throw new GoogleRefusal(400, "invalid", "Invalid value for: Invalid format");
  return { dateTime: writeLocal(moment), timeZone: own };
}

/** `2026-12-01T10:00:00-06:00`, or with `Z` in UTC. */
function writeLocal(moment: DateTime): string {
  return moment.startOf("second").toISO({ suppressMilliseconds: true }) ?? "";
}

/** One instance of a series, by the time that the rule gives it. */
export interface Instance {
  id: string;
  original: GoogleTime;
  start: GoogleTime;
  end: GoogleTime;
}

/** Google expands an endless series no further. */
const maxInstances = 730;

/** The instances of a series that begin before `untilMs`. */
export function expandSeries(event: GoogleEvent, zone: string, untilMs: number): Instance[] {
  const rule = readRule(event.recurrence ?? []);
  const own = event.start.timeZone ?? zone;
  const wholeDay = event.start.date !== undefined;
  const first = DateTime.fromMillis(momentOf(event.start, zone), { zone: own });
  const lengthMs = momentOf(event.end, zone) - first.toMillis();
  const days = wholeDay ? Math.round(lengthMs / 86_400_000) : 0;
  const found: Instance[] = [];
  for (const start of listStarts(first, rule)) {
    if (start.toMillis() >= untilMs || start.toMillis() > rule.untilMs) break;
    if (found.length >= Math.min(rule.count, maxInstances)) break;
    const end = wholeDay ? start.plus({ days }) : start.plus({ milliseconds: lengthMs });
    const startTime = writeTime(start, own, wholeDay);
    found.push({
      id: `${event.id}_${stampOf(start, wholeDay)}`,
      original: startTime,
      start: startTime,
      end: writeTime(end, own, wholeDay),
    });
  }
  return found;
}

function writeTime(moment: DateTime, timeZone: string, wholeDay: boolean): GoogleTime {
  if (wholeDay) return { date: moment.toISODate() ?? "" };
  return { dateTime: writeLocal(moment), timeZone };
}

/** `20261201T160000Z`, or `20261201` for a whole day. */
function stampOf(moment: DateTime, wholeDay: boolean): string {
  return wholeDay ? moment.toFormat("yyyyMMdd") : moment.toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'");
}

/** Local time in the id of a series that was split off: `20261201T100000`. */
export function splitStamp(time: GoogleTime, zone: string): string {
  if (time.date !== undefined) return time.date.replaceAll("-", "");
  const own = time.timeZone ?? zone;
  return DateTime.fromMillis(momentOf(time, zone), { zone: own }).toFormat("yyyyMMdd'T'HHmmss");
}

/** The rules of a series, ended just before a moment. */
export function endRules(recurrence: readonly string[], beforeMs: number): string[] {
  const until = DateTime.fromMillis(beforeMs - 1_000)
    .toUTC()
    .toFormat("yyyyMMdd'T'HHmmss'Z'");
  return recurrence.map((line) => {
    if (!line.startsWith("RRULE:")) return line;
    return `${line.replaceAll(/;(?:COUNT|UNTIL)=[^;]*/gu, "")};UNTIL=${until}`;
  });
}

/** The rules of the rest of a series after `passed` instances. */
export function restRules(recurrence: readonly string[], passed: number): string[] {
  return recurrence.map((line) =>
    line.replace(/COUNT=(\d+)/u, (_, count: string) => `COUNT=${Number(count) - passed}`),
  );
}

interface Rule {
  unit: "days" | "weeks" | "months";
  interval: number;
  /** ISO weekdays of a weekly rule; empty: the weekday of the start. */
  weekdays: number[];
  count: number;
  untilMs: number;
}

const units: Record<string, Rule["unit"]> = { DAILY: "days", WEEKLY: "weeks", MONTHLY: "months" };
const weekdayCodes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** @throws GoogleRefusal for a rule that the stand-in does not know */
function readRule(recurrence: readonly string[]): Rule {
  const line = recurrence.find((one) => one.startsWith("RRULE:"))?.slice("RRULE:".length) ?? "";
  const parts = new Map(line.split(";").map((part) => part.split("=") as [string, string]));
  const unit = units[parts.get("FREQ") ?? ""];
  if (unit === undefined) throw new GoogleRefusal(400, "invalid", "Invalid recurrence rule.");
  const until = parts.get("UNTIL");
  return {
    unit,
    interval: Number(parts.get("INTERVAL") ?? 1),
    weekdays: (parts.get("BYDAY")?.split(",") ?? []).map((code) => weekdayCodes.indexOf(code) + 1),
    count: Number(parts.get("COUNT") ?? Infinity),
    untilMs: until === undefined ? Infinity : DateTime.fromISO(until, { zone: "utc" }).toMillis(),
  };
}

function* listStarts(first: DateTime, { unit, interval, weekdays }: Rule): Generator<DateTime> {
  for (let step = 0; ; step += interval) {
    const base = first.plus({ [unit]: step });
    if (unit !== "weeks" || weekdays.length === 0) {
      yield base;
      continue;
    }
    for (const weekday of weekdays.toSorted((a, b) => a - b)) {
      const day = base.plus({ days: weekday - base.weekday });
      if (day >= first) yield day;
    }
  }
}
