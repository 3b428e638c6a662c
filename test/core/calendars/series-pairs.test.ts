import { expect, test } from "vitest";
import { seriesOf } from "../../../core/calendars/google-event.ts";
import { pairInstances, type SeriesInstance } from "../../../core/calendars/series-pairs.ts";

function instance(eventId: string, time: string, customer = "ana@example.com"): SeriesInstance {
  const startTime = new Date(`2026-12-${time}:00Z`);
  const endTime = new Date(startTime.getTime() + 3_600_000);
  return { eventId, seriesId: seriesOf({ id: eventId }) ?? "", customer, startTime, endTime };
}

function shown({ pairs, vanished, appeared }: ReturnType<typeof pairInstances>) {
  return {
    pairs: pairs.map(({ from, to }) => `${from.eventId} -> ${to.eventId}`),
    vanished: vanished.map(({ eventId }) => eventId),
    appeared: appeared.map(({ eventId }) => eventId),
  };
}

test("the ids of a split series have one base", () => {
  expect(seriesOf({ id: "b_20261201T160000Z" })).toBe("b");
  expect(seriesOf({ id: "b_R20261208T160000_20261208T170000Z" })).toBe("b");
  expect(seriesOf({ id: "b_20261201" })).toBe("b");
  expect(seriesOf({ id: "moved", recurringEventId: "b_R20261208T160000" })).toBe("b");
  expect(seriesOf({ id: "single" })).toBeNull();
});

test("a new time of a series pairs its instances in their order", () => {
  const old = [
    instance("b_20261208T160000Z", "08T16:00"),
    instance("b_20261201T160000Z", "01T16:00"),
  ];
  const next = [
    instance("b_20261201T170000Z", "01T17:00"),
    instance("b_20261208T170000Z", "08T17:00"),
  ];
  expect(shown(pairInstances(old, next))).toEqual({
    pairs: ["b_20261201T160000Z -> b_20261201T170000Z", "b_20261208T160000Z -> b_20261208T170000Z"],
    vanished: [],
    appeared: [],
  });
});

test("instances at the same time pair before the others", () => {
  const old = [
    instance("b_20261201T160000Z", "01T16:00"),
    instance("b_20261208T160000Z", "08T16:00"),
  ];
  const next = [instance("b_R20261208T160000_20261208T160000Z", "08T16:00")];
  expect(shown(pairInstances(old, next))).toEqual({
    pairs: ["b_20261208T160000Z -> b_R20261208T160000_20261208T160000Z"],
    vanished: ["b_20261201T160000Z"],
    appeared: [],
  });
});

test("other customers and other series do not pair, and no instance is lost", () => {
  const old = [instance("b_20261201T160000Z", "01T16:00")];
  const next = [
    instance("b_20261201T170000Z", "01T17:00", "luis@example.com"),
    instance("c_20261201T160000Z", "01T16:00"),
    instance("c_20261201T160000Z", "01T16:00"),
  ];
  expect(shown(pairInstances(old, next))).toEqual({
    pairs: [],
    vanished: ["b_20261201T160000Z"],
    appeared: ["c_20261201T160000Z", "c_20261201T160000Z", "b_20261201T170000Z"],
  });
});
