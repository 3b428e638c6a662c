import { expect, test } from "vitest";
import { bookingWeek } from "../../../core/model/booking-week.ts";

test.each([
  // The clock goes back on 1 November and forward on 14 March.
  { zone: "America/New_York", now: "2026-10-30T15:00:00Z", first: "2026-10-30" },
  { zone: "America/New_York", now: "2027-03-12T15:00:00Z", first: "2027-03-12" },
  { zone: "Asia/Tokyo", now: "2026-11-24T20:00:00Z", first: "2026-11-25" },
])("a week in $zone from $first has seven days, also where the clock changes", (one) => {
  const { days, range } = bookingWeek(one.zone, null, new Date(one.now));
  expect([days.length, days[0]]).toEqual([7, one.first]);
  expect(new Set(days).size).toBe(7);
  const last = new Date(`${one.first}T00:00:00Z`).getTime() + 6 * 86_400_000;
  expect(days.at(-1)).toBe(new Date(last).toISOString().slice(0, 10));
  const midnight = new Intl.DateTimeFormat("en-GB", { timeZone: one.zone, timeStyle: "short" });
  expect([midnight.format(range.start), midnight.format(range.end)]).toEqual(["00:00", "00:00"]);
});
