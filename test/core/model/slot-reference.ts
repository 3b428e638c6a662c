import { minutesOfDay, weekdays, type WeeklyHours } from "../../../core/model/schedule.ts";
import type { freeSlots, Interval, OpeningHours } from "../../../core/model/slots.ts";

const minuteMs = 60_000;

/** What the clock on the wall shows. */
interface Wall {
  weekday: number;
  minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const walls = new Map<string, Map<number, Wall>>();

function readWall(timeZone: string, moment: number): Wall {
  const ofZone = walls.get(timeZone) ?? new Map<number, Wall>();
  walls.set(timeZone, ofZone);
  const known = ofZone.get(moment);
  if (known !== undefined) return known;
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-GB", {
      timeZone,
      weekday: "long",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  const wall = {
    weekday: weekdays.findIndex((day) => day === parts.get("weekday")?.toLowerCase()),
    minute: Number(parts.get("hour")) * 60 + Number(parts.get("minute")),
  };
  ofZone.set(moment, wall);
  return wall;
}

/** Minutes of the day. */
interface OpenRange {
  from: number;
  to: number;
}

const ranges = new WeakMap<WeeklyHours, OpenRange[][]>();

function rangesOf(hours: WeeklyHours): OpenRange[][] {
  const known = ranges.get(hours);
  if (known !== undefined) return known;
  const made = weekdays.map((day) =>
    hours[day].map(({ from, to }) => ({ from: minutesOfDay(from), to: minutesOfDay(to) })),
  );
  ranges.set(hours, made);
  return made;
}

function rangeAt(hours: WeeklyHours, { weekday, minute }: Wall): OpenRange | undefined {
  return rangesOf(hours)[weekday]?.find(({ from, to }) => from <= minute && minute < to);
}

function within(moment: number, intervals: readonly Interval[]): boolean {
  return intervals.some(({ start, end }) => start.getTime() <= moment && moment < end.getTime());
}

function minutesOf(start: number, end: number): number[] {
  const count = Math.max(0, (end - start) / minuteMs);
  return Array.from({ length: count }, (_, index) => start + index * minuteMs);
}

/** True where it is open during the minute that begins at `moment`, by `Intl` alone. */
export function isOpenAt(
  { timeZone, weeklyHours, closures }: OpeningHours,
  moment: number,
): boolean {
  if (rangeAt(weeklyHours, readWall(timeZone, moment)) === undefined) return false;
  return !within(moment, closures);
}

/** `openIntervals` minute by minute; everything given stands on whole minutes. */
export function openIntervalsSlowly(opening: OpeningHours, { start, end }: Interval): Interval[] {
  const intervals: Interval[] = [];
  for (const moment of minutesOf(start.getTime(), end.getTime())) {
    if (!isOpenAt(opening, moment)) continue;
    const last = intervals.at(-1);
    if (last?.end.getTime() === moment) last.end = new Date(moment + minuteMs);
    else intervals.push({ start: new Date(moment), end: new Date(moment + minuteMs) });
  }
  return intervals;
}

/** `freeSlots` minute by minute; everything given stands on whole minutes. */
export function freeSlotsSlowly(input: Parameters<typeof freeSlots>[0]): Interval[] {
  const { opening, range, earliest } = input;
  const isStart = (moment: number) => {
    const wall = readWall(opening.timeZone, moment);
    const hours = rangeAt(opening.weeklyHours, wall);
    if (hours === undefined || moment < earliest.getTime()) return false;
    return (wall.minute - hours.from) % input.stepMinutes === 0;
  };
  return minutesOf(range.start.getTime(), range.end.getTime())
    .filter(isStart)
    .map((start) => ({ start, end: start + input.durationMinutes * minuteMs }))
    .filter(({ start, end }) => minutesOf(start, end).every((each) => isOpenAt(opening, each)))
    .filter(({ start, end }) => {
      const first = start - input.bufferBeforeMinutes * minuteMs;
      const last = end + input.bufferAfterMinutes * minuteMs;
      return !minutesOf(first, last).some((each) => within(each, input.busy));
    })
    .map(({ start, end }) => ({ start: new Date(start), end: new Date(end) }));
}
