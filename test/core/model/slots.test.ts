import fc from "fast-check";
import { expect, test } from "vitest";
import { weeklyHours, type Weekday, type WeeklyHours } from "../../../core/model/schedule.ts";
import {
  freeSlots,
  isOpen,
  openIntervals,
  type Interval,
  type OpeningHours,
} from "../../../core/model/slots.ts";
import { freeSlotsSlowly, isOpenAt, openIntervalsSlowly } from "./slot-reference.ts";

const minuteMs = 60_000;

function hours(days: Partial<Record<Weekday, string[]>>): WeeklyHours {
  const read = (day: Weekday) =>
    (days[day] ?? []).map((range) => {
      const [from = "", to = ""] = range.split("-");
      return { from, to };
    });
  return weeklyHours.parse({
    monday: read("monday"),
    tuesday: read("tuesday"),
    wednesday: read("wednesday"),
    thursday: read("thursday"),
    friday: read("friday"),
    saturday: read("saturday"),
    sunday: read("sunday"),
  });
}

function everyDay(...ranges: string[]): WeeklyHours {
  return hours({
    monday: ranges,
    tuesday: ranges,
    wednesday: ranges,
    thursday: ranges,
    friday: ranges,
    saturday: ranges,
    sunday: ranges,
  });
}

function interval(start: string, end: string): Interval {
  return { start: new Date(start), end: new Date(end) };
}

function opening(timeZone: string, weekly: WeeklyHours, closures: Interval[] = []): OpeningHours {
  return { timeZone, weeklyHours: weekly, closures };
}

const openAsText = (of: OpeningHours, start: string, end: string) =>
  openIntervals(of, interval(start, end)).map((each) => asText(each));

function asText({ start, end }: Interval): string {
  return `${start.toISOString().slice(0, 16)} ${end.toISOString().slice(0, 16)}`;
}

function slots(
  of: OpeningHours,
  range: Interval,
  rest: Partial<Parameters<typeof freeSlots>[0]> = {},
) {
  const input = {
    opening: of,
    busy: [],
    durationMinutes: 60,
    bufferBeforeMinutes: 0,
    bufferAfterMinutes: 0,
    stepMinutes: 60,
    range,
    earliest: range.start,
    ...rest,
  };
  return freeSlots(input).map(({ start }) => start.toISOString().slice(0, 16));
}

test.each([
  ["America/Tijuana", "2026-06-15", "2026-06-15T16:00 2026-06-15T21:00"],
  ["America/Mexico_City", "2026-06-15", "2026-06-15T15:00 2026-06-15T20:00"],
  ["America/New_York", "2026-06-15", "2026-06-15T13:00 2026-06-15T18:00"],
  ["Europe/Madrid", "2026-06-15", "2026-06-15T07:00 2026-06-15T12:00"],
  ["Europe/Madrid", "2026-12-14", "2026-12-14T08:00 2026-12-14T13:00"],
  ["America/Mexico_City", "2026-12-14", "2026-12-14T15:00 2026-12-14T20:00"],
])("09:00-14:00 in %s on %s is %s in UTC", (zone, day, expected) => {
  const open = openAsText(
    opening(zone, hours({ monday: ["09:00-14:00"] })),
    `${day}T00:00Z`,
    `${day}T23:59Z`,
  );
  expect(open).toEqual([expected]);
});

test("a range that would begin in the hour the clock skips begins with the first moment after", () => {
  const madrid = opening("Europe/Madrid", everyDay("02:30-04:00"));
  expect(openAsText(madrid, "2026-03-28T00:00Z", "2026-03-30T12:00Z")).toEqual([
    "2026-03-28T01:30 2026-03-28T03:00",
    "2026-03-29T01:00 2026-03-29T02:00",
    "2026-03-30T00:30 2026-03-30T02:00",
  ]);
});

test("a range wholly in the hour the clock skips is not open that day", () => {
  const newYork = opening("America/New_York", hours({ sunday: ["02:00-03:00"] }));
  expect(openAsText(newYork, "2026-03-08T00:00Z", "2026-03-09T00:00Z")).toEqual([]);
});

test("a repeated hour is open twice", () => {
  const madrid = opening("Europe/Madrid", everyDay("02:00-03:00"));
  expect(openAsText(madrid, "2026-10-25T00:00Z", "2026-10-25T12:00Z")).toEqual([
    "2026-10-25T00:00 2026-10-25T02:00",
  ]);
  const half = opening("America/Tijuana", hours({ sunday: ["00:00-01:30"] }));
  expect(openAsText(half, "2026-11-01T00:00Z", "2026-11-02T00:00Z")).toEqual([
    "2026-11-01T07:00 2026-11-01T08:30",
    "2026-11-01T09:00 2026-11-01T09:30",
  ]);
});

test("a night across midnight and the year's end is one interval", () => {
  const nights = opening("Europe/Madrid", everyDay("00:00-02:00", "22:00-24:00"));
  expect(openAsText(nights, "2026-12-31T12:00Z", "2027-01-01T12:00Z")).toEqual([
    "2026-12-31T21:00 2027-01-01T01:00",
  ]);
});

test("open all week is one interval, the clock change in it included", () => {
  const always = opening("America/New_York", everyDay("00:00-24:00"));
  expect(openAsText(always, "2026-10-30T00:00Z", "2026-11-03T00:00Z")).toEqual([
    "2026-10-30T00:00 2026-11-03T00:00",
  ]);
});

test("a day that a zone leaves out is not open", () => {
  const apia = opening("Pacific/Apia", hours({ friday: ["09:00-10:00"] }));
  expect(openAsText(apia, "2011-12-29T00:00Z", "2012-01-01T00:00Z")).toEqual([]);
});

test("closures cut the hours, join where they overlap, and shift no slot", () => {
  const closed = opening("Europe/Madrid", hours({ monday: ["09:00-14:00"] }), [
    interval("2026-06-15T09:30Z", "2026-06-15T10:20Z"),
    interval("2026-06-15T08:40Z", "2026-06-15T09:40Z"),
    interval("2026-06-15T11:00Z", "2026-06-15T11:00Z"),
  ]);
  expect(openAsText(closed, "2026-06-15T00:00Z", "2026-06-16T00:00Z")).toEqual([
    "2026-06-15T07:00 2026-06-15T08:40",
    "2026-06-15T10:20 2026-06-15T12:00",
  ]);
  expect(slots(closed, interval("2026-06-15T00:00Z", "2026-06-16T00:00Z"))).toEqual([
    "2026-06-15T07:00",
    "2026-06-15T11:00",
  ]);
});

test("open means open from the first moment to the last", () => {
  const madrid = opening("Europe/Madrid", hours({ monday: ["09:00-12:00", "12:00-14:00"] }));
  const open = (start: string, end: string) => isOpen(madrid, interval(start, end));
  expect(open("2026-06-15T07:00Z", "2026-06-15T12:00Z")).toBe(true);
  expect(open("2026-06-15T09:30Z", "2026-06-15T10:30Z")).toBe(true);
  expect(open("2026-06-15T06:59:59.999Z", "2026-06-15T08:00Z")).toBe(false);
  expect(open("2026-06-15T11:30Z", "2026-06-15T12:00:00.001Z")).toBe(false);
  expect(open("2026-06-15T08:00Z", "2026-06-15T08:00Z")).toBe(false);
  expect(open("2026-06-15T09:00Z", "2026-06-15T08:00Z")).toBe(false);
});

test("a slot may touch what is busy and not meet it, its buffers included", () => {
  const madrid = opening("Europe/Madrid", hours({ monday: ["09:00-14:00"] }));
  const day = interval("2026-06-15T00:00Z", "2026-06-16T00:00Z");
  const busy = [interval("2026-06-15T09:00Z", "2026-06-15T10:00Z")];
  expect(slots(madrid, day, { busy })).toEqual([
    "2026-06-15T07:00",
    "2026-06-15T08:00",
    "2026-06-15T10:00",
    "2026-06-15T11:00",
  ]);
  expect(slots(madrid, day, { busy, bufferAfterMinutes: 1 })).toEqual([
    "2026-06-15T07:00",
    "2026-06-15T10:00",
    "2026-06-15T11:00",
  ]);
  expect(slots(madrid, day, { busy, bufferBeforeMinutes: 1 })).toEqual([
    "2026-06-15T07:00",
    "2026-06-15T08:00",
    "2026-06-15T11:00",
  ]);
});

test("slots start in the range, from the earliest moment on, and may end after the range", () => {
  const madrid = opening("Europe/Madrid", hours({ monday: ["09:00-14:00"] }));
  const range = interval("2026-06-15T07:00Z", "2026-06-15T10:00Z");
  expect(slots(madrid, range, { durationMinutes: 90, stepMinutes: 45 })).toEqual([
    "2026-06-15T07:00",
    "2026-06-15T07:45",
    "2026-06-15T08:30",
    "2026-06-15T09:15",
  ]);
  expect(slots(madrid, range, { earliest: new Date("2026-06-15T08:00:00.000Z") })).toEqual([
    "2026-06-15T08:00",
    "2026-06-15T09:00",
  ]);
  expect(slots(madrid, range, { earliest: new Date("2026-06-15T08:00:00.001Z") })).toEqual([
    "2026-06-15T09:00",
  ]);
  expect(slots(madrid, range, { earliest: range.end })).toEqual([]);
});

test("the offered times stay the same by the clock on the wall on the day it changes", () => {
  const tijuana = opening("America/Tijuana", hours({ sunday: ["00:00-04:00"] }));
  const spring = interval("2026-03-08T00:00Z", "2026-03-09T00:00Z");
  expect(slots(tijuana, spring, { durationMinutes: 15, stepMinutes: 45 })).toEqual([
    "2026-03-08T08:00",
    "2026-03-08T08:45",
    "2026-03-08T09:30",
    "2026-03-08T10:00",
    "2026-03-08T10:45",
  ]);
  const autumn = interval("2026-11-01T00:00Z", "2026-11-02T00:00Z");
  expect(slots(tijuana, autumn)).toEqual([
    "2026-11-01T07:00",
    "2026-11-01T08:00",
    "2026-11-01T09:00",
    "2026-11-01T10:00",
    "2026-11-01T11:00",
  ]);
});

test("a zone that does not exist, and a step or duration that is not more than 0, are refused", () => {
  const range = interval("2026-06-15T00:00Z", "2026-06-16T00:00Z");
  const nowhere = opening("Mars/Olympus", everyDay("09:00-10:00"));
  expect(() => openIntervals(nowhere, range)).toThrow(RangeError);
  const utc = opening("UTC", everyDay("09:00-10:00"));
  expect(() => slots(utc, range, { stepMinutes: 0 })).toThrow(RangeError);
  expect(() => slots(utc, range, { durationMinutes: 0 })).toThrow(RangeError);
  expect(() => slots(utc, range, { stepMinutes: Number.NaN })).toThrow(RangeError);
});

/** A day in each zone before its clock changes, or the year does. */
const anchors = [
  ["America/Tijuana", "2026-03-07"],
  ["America/Tijuana", "2026-10-31"],
  ["Europe/Madrid", "2026-03-28"],
  ["Europe/Madrid", "2026-10-24"],
  ["Europe/Madrid", "2026-12-30"],
  ["America/New_York", "2026-03-07"],
  ["America/New_York", "2026-10-31"],
  ["America/Mexico_City", "2026-04-04"],
  ["America/Mexico_City", "2026-12-30"],
  ["America/Mexico_City", "2022-10-29"],
  ["America/Havana", "2026-03-07"],
  ["America/Havana", "2026-10-31"],
  ["Australia/Lord_Howe", "2026-04-04"],
  ["Australia/Lord_Howe", "2026-10-03"],
  ["Africa/Casablanca", "2026-02-14"],
  ["Asia/Kathmandu", "2026-12-31"],
  ["Pacific/Apia", "2011-12-29"],
] as const;

const minuteOfDay = fc.oneof(
  fc.integer({ min: 0, max: 1440 }),
  // Where clocks change, and the ends of the day.
  fc.constantFrom(0, 15, 30, 60, 90, 120, 150, 180, 240, 1380, 1440),
);

const dayHours = fc.uniqueArray(minuteOfDay, { maxLength: 6 }).map((minutes) => {
  const ordered = minutes.toSorted((one, other) => one - other);
  const at = (minute = 0) =>
    `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  return Array.from({ length: Math.floor(ordered.length / 2) }, (_, index) => ({
    from: at(ordered[index * 2]),
    to: at(ordered[index * 2 + 1]),
  }));
});

const arbitraryHours: fc.Arbitrary<WeeklyHours> = fc.record({
  monday: dayHours,
  tuesday: dayHours,
  wednesday: dayHours,
  thursday: dayHours,
  friday: dayHours,
  saturday: dayHours,
  sunday: dayHours,
});

/** Intervals on whole minutes within four days of `anchor`. */
function arbitraryIntervals(anchor: number) {
  return fc
    .tuple(fc.integer({ min: -300, max: 5_000 }), fc.integer({ min: 0, max: 600 }))
    .map(([start, length]) => ({
      start: new Date(anchor + start * minuteMs),
      end: new Date(anchor + (start + length) * minuteMs),
    }));
}

const openingAndBusy = fc.constantFrom(...anchors).chain(([timeZone, day]) => {
  const anchor = Date.parse(`${day}T00:00:00.000Z`);
  const intervals = fc.array(arbitraryIntervals(anchor), { maxLength: 6 });
  return fc.record({
    opening: fc.record({
      timeZone: fc.constant<string>(timeZone),
      weeklyHours: arbitraryHours,
      closures: intervals,
    }),
    busy: intervals,
    durationMinutes: fc.integer({ min: 1, max: 180 }),
    bufferBeforeMinutes: fc.integer({ min: 0, max: 60 }),
    bufferAfterMinutes: fc.integer({ min: 0, max: 60 }),
    stepMinutes: fc.integer({ min: 1, max: 120 }),
    range: fc
      .tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 4_320 }))
      .map(([start, length]) => ({
        start: new Date(anchor + start * minuteMs),
        end: new Date(anchor + (start + length) * minuteMs),
      })),
    earliest: fc
      .integer({ min: -600, max: 3_000 })
      .map((minutes) => new Date(anchor + minutes * minuteMs)),
  });
});

test("opening hours are those of a clock read minute by minute", () => {
  fc.assert(
    fc.property(openingAndBusy, ({ opening: of, range }) => {
      expect(openIntervals(of, range)).toEqual(openIntervalsSlowly(of, range));
    }),
    { numRuns: 300 },
  );
});

test("free slots are those of a search minute by minute", () => {
  fc.assert(
    fc.property(openingAndBusy, (input) => {
      expect(freeSlots(input)).toEqual(freeSlotsSlowly(input));
    }),
    { numRuns: 300 },
  );
});

test("an interval is open where each of its minutes is", () => {
  fc.assert(
    fc.property(
      openingAndBusy,
      fc.integer({ min: 1, max: 120 }),
      ({ opening: of, range }, minutes) => {
        const start = range.start.getTime();
        const each = Array.from({ length: minutes }, (_, index) => start + index * minuteMs);
        const end = new Date(start + minutes * minuteMs);
        expect(isOpen(of, { start: range.start, end })).toBe(
          each.every((moment) => isOpenAt(of, moment)),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test("a month of slots takes a few milliseconds", () => {
  const range = interval("2026-03-01T00:00Z", "2026-04-01T00:00Z");
  const busy = Array.from({ length: 400 }, (_, index) => {
    const start = range.start.getTime() + index * 100 * minuteMs;
    return { start: new Date(start), end: new Date(start + 20 * minuteMs) };
  });
  const of = opening("Europe/Madrid", everyDay("09:00-14:00", "16:00-20:00"));
  const search = () => slots(of, range, { busy, durationMinutes: 30, stepMinutes: 15 });
  expect(search().length).toBeGreaterThan(300);
  // The quickest of some, since the machine may be busy with something else in between.
  const times = Array.from({ length: 20 }, () => {
    const begin = performance.now();
    search();
    return performance.now() - begin;
  });
  expect(Math.min(...times)).toBeLessThan(10);
});
