import { IANAZone } from "luxon";
import { minutesOfDay, weekdays, type WeeklyHours } from "./schedule.ts";
import type { Span } from "./spans.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** A range of the weekly hours on one day. */
export interface OpenRange extends Span {
  /** When the range would begin by this clock; before `start` where that time was cut off or skipped. */
  nominalStart: number;
}

/**
 * The ranges of the weekly hours within `span`, in order. A moment is open exactly while the clock on
 * the wall shows a time of one of that day's ranges. So where the clock is put forward, what it skips is
 * not open, and a range that would begin there begins with the first moment after; where it is put back,
 * a repeated time is open twice. A range is cut in two where the clock changes. Our choice.
 * @throws RangeError if there is no such time zone.
 */
export function listOpenRanges(timeZone: string, hours: WeeklyHours, span: Span): OpenRange[] {
  const zone = IANAZone.create(timeZone);
  if (!zone.isValid) throw new RangeError("No such time zone");
  return splitAtClockChanges(zone, span).flatMap((part) => listRangesOfPart(hours, part));
}

/** A stretch in which the clock on the wall runs evenly, `offsetMs` ahead of UTC. */
interface EvenPart extends Span {
  offsetMs: number;
}

function listRangesOfPart(hours: WeeklyHours, { start, end, offsetMs }: EvenPart): OpenRange[] {
  const ranges: OpenRange[] = [];
  for (let day = Math.floor((start + offsetMs) / dayMs); day * dayMs < end + offsetMs; day += 1) {
    const midnight = day * dayMs - offsetMs;
    for (const { from, to } of hours[weekdayOf(day)]) {
      const nominalStart = midnight + minutesOfDay(from) * minuteMs;
      const range = {
        start: Math.max(nominalStart, start),
        end: Math.min(midnight + minutesOfDay(to) * minuteMs, end),
        nominalStart,
      };
      if (range.start < range.end) ranges.push(range);
    }
  }
  return ranges;
}

/** The weekday of a day counted from 1970-01-01, a Thursday. */
function weekdayOf(day: number) {
  return weekdays[(((day + 3) % 7) + 7) % 7] ?? "monday";
}

function splitAtClockChanges(zone: IANAZone, { start, end }: Span): EvenPart[] {
  const parts: EvenPart[] = [];
  for (let begin = start; begin < end;) {
    const change = findClockChange(zone, begin, end);
    parts.push({ start: begin, end: change, offsetMs: zone.offset(begin) * minuteMs });
    begin = change;
  }
  return parts;
}

/** When the clock first changes after `start`, or `end`. No zone changes its clock twice in a day. */
function findClockChange(zone: IANAZone, start: number, end: number): number {
  const offset = zone.offset(start);
  let before = start;
  let after = start;
  do {
    before = after;
    after = Math.min(before + dayMs, end);
    if (after === before) return end;
  } while (zone.offset(after) === offset);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (zone.offset(middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}
