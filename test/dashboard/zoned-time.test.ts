import { expect, test } from "vitest";
import { withColumns } from "../../dashboard/src/features/appointments/overlap-columns.ts";
import { minutesBefore, onDay } from "../../dashboard/src/features/appointments/time-ranges.ts";
import { addDays, isDate, momentAt, wallTime, weekOf } from "../../dashboard/src/lib/zoned-time.ts";

const mexico = "America/Mexico_City";
const york = "America/New_York";
const berlin = "Europe/Berlin";

test.each([
  ["2026-11-24", 9 * 60 + 30, mexico, "2026-11-24T15:30:00.000Z"],
  ["2026-07-01", 0, berlin, "2026-06-30T22:00:00.000Z"],
  ["2026-11-24", 24 * 60, york, "2026-11-25T05:00:00.000Z"],
  ["2026-11-24", 0, "Pacific/Kiritimati", "2026-11-23T10:00:00.000Z"],
])("%s at minute %i in %s is %s, and back", (date, minutes, zone, moment) => {
  expect(momentAt({ date, minutes }, zone)).toBe(moment);
  const back = { date: addDays(date, Math.floor(minutes / 1_440)), minutes: minutes % 1_440 };
  expect(wallTime(moment, zone)).toEqual(back);
});

test.each([
  [york, "2026-03-08", "2026-03-08T07:30:00.000Z"],
  [berlin, "2026-03-29", "2026-03-29T01:30:00.000Z"],
])("half past two in %s, where the clock skips it, is as much later", (zone, date, moment) => {
  expect(momentAt({ date, minutes: 150 }, zone)).toBe(moment);
});

test.each([york, berlin])("a time that %s shows twice is one that the wall shows", (zone) => {
  const date = zone === york ? "2026-11-01" : "2026-10-25";
  for (const minutes of [60, 90, 120, 150, 180]) {
    expect(wallTime(momentAt({ date, minutes }, zone), zone)).toEqual({ date, minutes });
  }
});

test("days and weeks go over months, years and leap days, from Monday on", () => {
  expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
  expect(addDays("2026-01-01", -1)).toBe("2025-12-31");
  expect(weekOf("2026-11-22")[0]).toBe("2026-11-16");
  expect(weekOf("2026-12-31").at(-1)).toBe("2027-01-03");
});

test.each(["2026-11-24", "1900-01-01", "2199-12-31", "2028-02-29"])("%j is a date", (text) => {
  expect(isDate(text)).toBe(true);
});

/** What a date field holds while a year is typed. */
const typed = ["0002-11-24", "0020-11-24", "0202-11-24", "20266-11-24"];

test.each(["2026-02-29", "2026-2-1", "", "2026-13-01", ...typed])("%j is no date", (text) => {
  expect(isDate(text)).toBe(false);
});

test("what goes over midnight stands on both days, and what ends at midnight on one", () => {
  const night = { start_time: "2026-11-24T05:30:00Z", end_time: "2026-11-24T06:30:00Z" };
  expect(onDay(night, "2026-11-23", mexico)).toEqual({ from: 1_410, to: 1_440 });
  expect(onDay(night, "2026-11-24", mexico)).toEqual({ from: 0, to: 30 });
  const evening = { start_time: "2026-11-24T05:30:00Z", end_time: "2026-11-24T06:00:00Z" };
  expect(onDay(evening, "2026-11-24", mexico)).toBeNull();
});

test("hidden minutes are those by the clock from a start to the midnight of a later day", () => {
  const before = (start: string, date: string) => minutesBefore(start, date, berlin);
  expect(before("2026-11-24T22:00:00Z", "2026-11-25")).toBe(60);
  expect(before("2026-11-24T22:00:00Z", "2026-11-26")).toBe(25 * 60);
  expect(before("2026-11-24T23:00:00Z", "2026-11-25")).toBe(0);
  expect(before("2026-11-24T22:00:00Z", "2026-11-24")).toBe(0);
  // The clock skips an hour of this day.
  expect(before("2026-03-29T00:30:00Z", "2026-03-30")).toBe(22.5 * 60);
});

test("a time before midnight is one of the day before", () => {
  expect(momentAt({ date: "2026-11-25", minutes: -60 }, mexico)).toBe("2026-11-25T05:00:00.000Z");
  expect(momentAt({ date: "2026-03-30", minutes: -22.5 * 60 }, berlin)).toBe(
    "2026-03-29T00:30:00.000Z",
  );
});

test.each([
  [berlin, "2026-10-25", "2026-10-25T00:30:00Z", "2026-10-25T01:15:00Z", { from: 150, to: 195 }],
  [berlin, "2026-10-25", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", { from: 150, to: 180 }],
  [york, "2026-11-01", "2026-11-01T05:30:00Z", "2026-11-01T06:15:00Z", { from: 90, to: 135 }],
  [york, "2026-11-01", "2026-11-01T05:30:00Z", "2026-11-01T05:30:00Z", null],
  [
    "Africa/Cairo",
    "2026-10-29",
    "2026-10-29T20:30:00Z",
    "2026-10-29T21:15:00Z",
    { from: 1_410, to: 1_440 },
  ],
])("in %s on %s, where an hour comes twice, %s to %s is as long as it lasts", (...given) => {
  const [zone, date, start_time, end_time, range] = given;
  expect(onDay({ start_time, end_time }, date, zone)).toEqual(range);
});

test("what overlaps stands side by side, and what touches does not", () => {
  const at = (from: number, to: number) => ({ from, to });
  const shown = withColumns([at(0, 60), at(30, 90), at(60, 120), at(120, 150)]);
  expect(shown.map(({ from, column, columns }) => [from, column, columns])).toEqual([
    [0, 0, 2],
    [30, 1, 2],
    [60, 0, 2],
    [120, 0, 1],
  ]);
  expect(withColumns([])).toEqual([]);
});
