import { IANAZone } from "luxon";
import { minutesOfDay, weekdays, type WeeklyHours } from "./schedule.ts";
import type { Span } from "./spans.ts";
import { dayMs, minuteMs } from "./durations.ts";

/** A range of the weekly hours on one day. */
export interface OpenRange extends Span {
  /**
   * Start of the range by the weekly hours. Before `start` where that time was cut off or skipped.
   */
  nominalStart: number;
}

/**
 * The ranges of the weekly hours within `span`, in order. A moment is open while the wall clock
 * shows a time of one of that day's ranges.
 *
 * A time that the clock skips is not open. A range that would begin in skipped time begins at the
 * first moment after. A time that the clock repeats is open twice. A range is cut in two where the
 * clock changes.
 * @throws RangeError if there is no such time zone.
 */
export function listOpenRanges(timeZone: string, hours: WeeklyHours, span: Span): OpenRange[] {
  const zone = IANAZone.create(timeZone);
  if (!zone.isValid) throw new RangeError("No such time zone");
  return splitAtClockChanges(zone, span).flatMap((part) => listRangesOfPart(hours, part));
}

/** A part of a span without a clock change. The wall clock is `offsetMs` ahead of UTC. */
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

/** First clock change after `start`, or `end`. No zone changes its clock twice in a day. */
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
