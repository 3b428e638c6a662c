import { expect, test } from "vitest";
import { chooseSlots, type LocalSlot } from "../../../core/agent/slot-choice.ts";

/** Half-hour slots of some days from 09:00 to 17:00, on each agenda. */
function slotsOf(days: readonly string[], resourceIds: readonly number[] = [1]): LocalSlot[] {
  return days.flatMap((day) =>
    Array.from({ length: 16 }, (_, index) => 9 * 60 + index * 30).flatMap((minutes) =>
      resourceIds.map((resourceId) => ({
        resourceId,
        day,
        minutes,
        startTime: new Date(Date.parse(`${day}T00:00Z`) + minutes * 60_000),
      })),
    ),
  );
}

const shown = (slots: readonly LocalSlot[]) =>
  slots.map(({ startTime }) => startTime.toISOString().slice(8, 16));

test("the choice is spread over three days and over each day, in order of time", () => {
  const slots = slotsOf(["2030-03-04", "2030-03-05", "2030-03-06", "2030-03-07"]);
  expect(shown(chooseSlots(slots, { max: 9, wanted: null }))).toEqual([
    "04T09:00",
    "04T11:30",
    "04T14:00",
    "05T09:00",
    "05T11:30",
    "05T14:00",
    "06T09:00",
    "06T11:30",
    "06T14:00",
  ]);
});

test("days with few times leave their room to later days", () => {
  const [only] = slotsOf(["2030-03-04"]);
  const slots = [only, ...slotsOf(["2030-03-05", "2030-03-06", "2030-03-07"])];
  const chosen = chooseSlots(
    slots.filter((slot) => slot !== undefined),
    { max: 9, wanted: null },
  );
  expect(chosen.map(({ day }) => day.slice(8))).toEqual([
    "04",
    "05",
    "05",
    "05",
    "06",
    "06",
    "06",
    "07",
    "07",
  ]);
});

test("with a wanted time the nearest of each day come first", () => {
  const slots = slotsOf(["2030-03-04", "2030-03-05"]);
  expect(shown(chooseSlots(slots, { max: 4, wanted: 12 * 60 + 10 }))).toEqual([
    "04T12:00",
    "05T12:00",
    "04T12:30",
    "05T12:30",
  ]);
});

test("a day that has exactly the wanted time takes part before earlier days", () => {
  const days = ["2030-03-04", "2030-03-05", "2030-03-06", "2030-03-07"];
  const slots = slotsOf(days).filter(({ day, minutes }) => minutes !== 720 || day === days[3]);
  expect(shown(chooseSlots(slots, { max: 3, wanted: 720 }))).toEqual([
    "07T12:00",
    "04T11:30",
    "05T11:30",
  ]);
});

test("of a bound, the nearest time of each day comes first, and nearer days come before others", () => {
  const days = ["2030-03-04", "2030-03-05", "2030-03-06", "2030-03-07"];
  const after = slotsOf(days).filter(
    ({ day, minutes }) => minutes >= (day === days[0] ? 870 : 840),
  );
  expect(shown(chooseSlots(after, { max: 6, wanted: 840, isBound: true }))).toEqual([
    "04T14:30",
    "05T14:00",
    "06T14:00",
    "04T15:00",
    "05T14:30",
    "06T14:30",
  ]);
  const until = slotsOf(days).filter(({ minutes }) => minutes < 600);
  expect(shown(chooseSlots(until, { max: 9, wanted: 600, isBound: true }))).toEqual([
    "04T09:30",
    "05T09:30",
    "06T09:30",
    "07T09:30",
    "04T09:00",
    "05T09:00",
    "06T09:00",
    "07T09:00",
  ]);
});

test("no time is offered twice, and agendas take turns", () => {
  const chosen = chooseSlots(slotsOf(["2030-03-04"], [1, 2, 3]), { max: 9, wanted: null });
  expect(new Set(shown(chosen)).size).toBe(9);
  expect(chosen.map(({ resourceId }) => resourceId)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
});

test("of no times none is chosen", () => {
  expect(chooseSlots([], { max: 9, wanted: null })).toEqual([]);
});
