import { expect, test } from "vitest";
import { minutesOfDay, timeZone, weeklyHours } from "../../../core/model/schedule.ts";

const closedWeek = {
  monday: [],
  tuesday: [],
  wednesday: [],
  thursday: [],
  friday: [],
  saturday: [],
  sunday: [],
};

function issuesOf(monday: unknown) {
  const parsed = weeklyHours.safeParse({ ...closedWeek, monday });
  return parsed.error?.issues.map(({ path, code, message }) => ({
    path: path.join("."),
    what: code === "custom" ? message : code,
  }));
}

test("a week of ranges is read as it stands", () => {
  const week = {
    ...closedWeek,
    monday: [
      { from: "00:00", to: "09:00" },
      { from: "09:00", to: "14:00" },
      { from: "23:59", to: "24:00" },
    ],
  };
  expect(weeklyHours.parse(week)).toEqual(week);
});

test.each([
  ["a range that ends as it begins", [{ from: "09:00", to: "09:00" }], "monday.0.to"],
  ["a range that ends before it begins", [{ from: "22:00", to: "02:00" }], "monday.0.to"],
  [
    "ranges that overlap",
    [
      { from: "09:00", to: "14:00" },
      { from: "13:59", to: "15:00" },
    ],
    "monday.1.from",
  ],
  [
    "ranges out of order",
    [
      { from: "16:00", to: "20:00" },
      { from: "09:00", to: "14:00" },
    ],
    "monday.1.from",
  ],
  ["24:00 as a start", [{ from: "24:00", to: "24:00" }], "monday.0.from"],
  ["a time past 24:00", [{ from: "09:00", to: "24:01" }], "monday.0.to"],
  ["a time without its zero", [{ from: "9:00", to: "14:00" }], "monday.0.from"],
  ["a time with seconds", [{ from: "09:00", to: "14:00:00" }], "monday.0.to"],
  ["a minute too many", [{ from: "09:60", to: "14:00" }], "monday.0.from"],
  ["an unknown member", [{ from: "09:00", to: "14:00", room: 1 }], "monday.0"],
  ["a range without its end", [{ from: "09:00" }], "monday.0.to"],
  ["a day that is no list", "closed", "monday"],
])("%s is refused", (_, monday, path) => {
  expect(issuesOf(monday)?.map((issue) => issue.path)).toEqual([path]);
});

test("ten ranges fit in a day, and not eleven", () => {
  const ranges = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      from: `${10 + index}:00`,
      to: `${10 + index}:30`,
    }));
  expect(issuesOf(ranges(10))).toBeUndefined();
  expect(issuesOf(ranges(11))).toEqual([{ path: "monday", what: "too_big" }]);
});

test("every day of the week is named, and nothing else", () => {
  const { sunday: _, ...six } = closedWeek;
  expect(weeklyHours.safeParse(six).success).toBe(false);
  expect(weeklyHours.safeParse({ ...closedWeek, holiday: [] }).success).toBe(false);
});

test.each(["America/Tijuana", "Europe/Madrid", "UTC"])("%s is a time zone", (name) => {
  expect(timeZone.parse(name)).toBe(name);
});

test.each(["", "+05:00", "Mars/Olympus", "Europe/Madrid ", "x".repeat(65)])(
  "%o is no time zone",
  (name) => {
    expect(timeZone.safeParse(name).success).toBe(false);
  },
);

test("the end of the day is its 1,440th minute", () => {
  expect(minutesOfDay("09:05")).toBe(545);
  expect(minutesOfDay("24:00")).toBe(1_440);
});
