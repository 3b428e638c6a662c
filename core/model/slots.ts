import { listOpenRanges } from "./opening-hours.ts";
import type { WeeklyHours } from "./schedule.ts";
import { mergeSpans, subtractSpans, walkSpans, type Span } from "./spans.ts";
import { minuteMs } from "./durations.ts";

/** A span of time between two moments, half open: `end` is not part of it. */
export type Interval = { start: Date; end: Date };

/**
 * Times when a resource takes appointments: its hours by the clock of its zone, less its closures.
 */
export type OpeningHours = {
  timeZone: string;
  weeklyHours: WeeklyHours;
  closures: readonly Interval[];
};

/**
 * Open times within `range`, in order and cut at the ends of `range`. Touching times are joined,
 * across midnight too. `listOpenRanges` describes clock changes.
 * @throws RangeError if there is no such time zone.
 */
export function openIntervals(opening: OpeningHours, range: Interval): Interval[] {
  return openSpans(opening, toSpan(range)).map(toInterval);
}

/**
 * @returns true where the whole of `interval` lies in opening hours. False for an empty interval.
 * @throws RangeError if there is no such time zone.
 */
export function isOpen(opening: OpeningHours, interval: Interval): boolean {
  const { start, end } = toSpan(interval);
  const [open] = openSpans(opening, { start, end });
  return open?.start === start && open.end === end;
}

/**
 * The slots of `durationMinutes` that can be booked, in order. Each slot
 * - starts within `range` and not before `earliest`; it may end after `range`;
 * - lies wholly in opening hours; its buffers may lie outside of them;
 * - overlaps no busy interval, its buffers before and after included; touching is no overlap;
 * - starts a multiple of `stepMinutes` of wall time after the start of the day's weekly range. So
 *   neither a closure nor a clock change shifts the offered times.
 * @throws RangeError if there is no such time zone, or step or duration is not more than 0.
 */
export function freeSlots(input: {
  opening: OpeningHours;
  busy: readonly Interval[];
  durationMinutes: number;
  bufferBeforeMinutes: number;
  bufferAfterMinutes: number;
  stepMinutes: number;
  range: Interval;
  earliest: Date;
}): Interval[] {
  const durationMs = input.durationMinutes * minuteMs;
  const stepMs = input.stepMinutes * minuteMs;
  if (!(durationMs > 0 && stepMs > 0)) throw new RangeError("Step and duration are more than 0");
  const { start: rangeStart, end: rangeEnd } = toSpan(input.range);
  const start = Math.max(rangeStart, input.earliest.getTime());
  if (start >= rangeEnd) return [];

  const openAt = walkSpans(openSpans(input.opening, { start, end: rangeEnd + durationMs }));
  const busyFrom = walkSpans(mergeSpans(input.busy.map(toSpan)));
  return listGrid(input.opening, { start, end: rangeEnd }, stepMs)
    .map((slotStart) => ({ start: slotStart, end: slotStart + durationMs }))
    .filter((slot) => {
      const open = openAt(slot.start);
      if (open === undefined || open.start > slot.start || open.end < slot.end) return false;
      const busy = busyFrom(slot.start - input.bufferBeforeMinutes * minuteMs);
      return busy === undefined || busy.start >= slot.end + input.bufferAfterMinutes * minuteMs;
    })
    .map(toInterval);
}

/** Every moment of `span` at which a slot may start by the weekly hours, in order. */
function listGrid({ timeZone, weeklyHours }: OpeningHours, span: Span, stepMs: number): number[] {
  return listOpenRanges(timeZone, weeklyHours, span).flatMap(({ start, end, nominalStart }) => {
    const first = nominalStart + Math.ceil((start - nominalStart) / stepMs) * stepMs;
    const count = Math.max(0, Math.ceil((end - first) / stepMs));
    return Array.from({ length: count }, (_, index) => first + index * stepMs);
  });
}

function openSpans({ timeZone, weeklyHours, closures }: OpeningHours, span: Span): Span[] {
  const hours = mergeSpans(listOpenRanges(timeZone, weeklyHours, span));
  return subtractSpans(hours, mergeSpans(closures.map(toSpan)));
}

function toSpan({ start, end }: Interval): Span {
  return { start: start.getTime(), end: end.getTime() };
}

function toInterval({ start, end }: Span): Interval {
  return { start: new Date(start), end: new Date(end) };
}
