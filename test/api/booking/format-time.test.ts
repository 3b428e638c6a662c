import { expect, test } from "vitest";
import { createTimeFormat } from "../../../api/booking/format-time.ts";

test("a time that the clock shows twice at the end of daylight saving has its offset", () => {
  const format = createTimeFormat("en", "America/New_York");
  const times = ["05:30", "06:30", "07:30"].map((time) => new Date(`2026-11-01T${time}:00Z`));
  expect(format.times(times)).toEqual(["1:30 AM GMT-4", "1:30 AM GMT-5", "2:30 AM"]);
  expect(times.map(format.isMorning)).toEqual([true, true, true]);
  expect(format.isMorning(new Date("2026-11-01T17:00:00Z"))).toBe(false);
});
