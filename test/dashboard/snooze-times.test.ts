import { expect, test } from "vitest";
import { snoozeChoices } from "../../dashboard/src/features/inbox/snooze-times.ts";

const zone = "America/Mexico_City";

const namesAt = (now: string) => snoozeChoices(now, zone).map(({ key, at }) => [key, at]);

test("on a working day a snooze ends today, tomorrow or on Monday, in the account's zone", () => {
  // Tuesday, 10:20 in Mexico City.
  expect(namesAt("2026-11-24T16:20:00Z")).toEqual([
    ["later", "2026-11-24T20:00:00.000Z"],
    ["tomorrow", "2026-11-25T15:00:00.000Z"],
    ["monday", "2026-11-30T15:00:00.000Z"],
  ]);
});

test("late in the day nothing is left of today", () => {
  // Tuesday, 17:01 in Mexico City: three hours later the day is over.
  expect(namesAt("2026-11-24T23:01:00Z").map(([key]) => key)).toEqual(["tomorrow", "monday"]);
  expect(namesAt("2026-11-24T23:00:00Z").map(([key]) => key)).toContain("later");
});

test("on a Sunday tomorrow is Monday, which is offered once", () => {
  expect(namesAt("2026-11-29T16:00:00Z").map(([key]) => key)).toEqual(["later", "tomorrow"]);
});
