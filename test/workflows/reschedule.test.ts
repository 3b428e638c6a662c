import { expect, test } from "vitest";
import {
  moveWaitsMs,
  type CalendarOutcome,
  type RescheduleRun,
} from "../../core/model/workflow/rescheduling.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { committed, createScriptFixture, storyOf, successorOf } from "./scripted-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));

/** Notes down what a step was given, and what it is about. */
function noting<Input, Output>(seen: Input[], act: (input: Input) => Output) {
  return async (input: Input): Promise<Output> => {
    seen.push(input);
    return await Promise.resolve(act(input));
  };
}

/** A calendar that answers one outcome after the other, the last one for ever. */
function answering(outcomes: CalendarOutcome[]) {
  const left = [...outcomes];
  const done = { state: "done" } as const;
  return async () => (left.length > 1 ? left.shift() : left[0]) ?? done;
}

const away: CalendarOutcome = { state: "waiting", code: "http_503" };

test("the event moves before the appointment does, and is looked after at the end", async () => {
  const { handle } = await fixture.move();
  expect(await handle.result()).toEqual({ state: "committed" });
  expect(await storyOf(handle)).toEqual([
    "moveCalendarEvent",
    "commitReschedule",
    "syncCalendarEvents",
  ]);
});

test("where another appointment replaces the old one, the events of both are looked after", async () => {
  const synced: { appointmentId: number }[] = [];
  const { handle, input } = await fixture.move({
    commitReschedule: async ({ appointmentId: id }) => committed([id, successorOf(id)]),
    syncCalendarEvents: noting(synced, () => ({ state: "done" as const })),
  });
  expect(await handle.result()).toEqual({ state: "committed" });
  expect(synced.map(({ appointmentId }) => appointmentId)).toEqual([
    input.appointmentId,
    successorOf(input.appointmentId),
  ]);
});

test("a calendar in trouble is asked five times within 20 s of waits; then the time is given up and the event put back", async () => {
  const released: (RescheduleRun & { code: string })[] = [];
  const { handle } = await fixture.move({
    moveCalendarEvent: answering([away]),
    releaseReschedule: noting(released, ({ appointmentId, code }) => {
      return { state: "released" as const, code, appointmentIds: [appointmentId] };
    }),
  });
  expect(await handle.result()).toEqual({ state: "released" });
  expect(released.map(({ code }) => code)).toEqual(["calendar_unavailable"]);
  expect(await storyOf(handle)).toEqual([
    "moveCalendarEvent",
    "wait 1 s",
    "moveCalendarEvent",
    "wait 3 s",
    "moveCalendarEvent",
    "wait 6 s",
    "moveCalendarEvent",
    "wait 10 s",
    "moveCalendarEvent",
    "releaseReschedule",
    "syncCalendarEvents",
  ]);
  expect(moveWaitsMs.reduce((sum, waitMs) => sum + waitMs)).toBe(20_000);
});

test("a calendar that comes back in time lets the move go on", async () => {
  const { handle } = await fixture.move({
    moveCalendarEvent: answering([away, away, { state: "done" }]),
  });
  expect(await handle.result()).toEqual({ state: "committed" });
  expect(await storyOf(handle)).toEqual([
    "moveCalendarEvent",
    "wait 1 s",
    "moveCalendarEvent",
    "wait 3 s",
    "moveCalendarEvent",
    "commitReschedule",
    "syncCalendarEvents",
  ]);
});

test("a calendar that refuses is not asked again", async () => {
  const { handle } = await fixture.move({
    moveCalendarEvent: answering([{ state: "failed", code: "http_403" }]),
  });
  expect(await handle.result()).toEqual({ state: "released" });
  expect(await storyOf(handle)).toEqual([
    "moveCalendarEvent",
    "releaseReschedule",
    "syncCalendarEvents",
  ]);
});

test("where the commit finds the appointment cancelled, the event follows what MySQL says", async () => {
  const { handle } = await fixture.move({
    commitReschedule: async ({ appointmentId }) => {
      return { state: "released", code: "appointment_cancelled", appointmentIds: [appointmentId] };
    },
  });
  expect(await handle.result()).toEqual({ state: "released" });
  expect(await storyOf(handle)).toEqual([
    "moveCalendarEvent",
    "commitReschedule",
    "syncCalendarEvents",
  ]);
});

test.each(["moveCalendarEvent", "commitReschedule", "releaseReschedule"] as const)(
  "a fault of our own in %s is tried again and decides nothing",
  async (step) => {
    let faults = 0;
    const away5 = answering([away]);
    const failing = async () => {
      if ((faults += 1) < 4) throw new Error("MySQL is away");
      return step === "moveCalendarEvent" ? ({ state: "done" } as const) : committed([1]);
    };
    const other = step === "releaseReschedule" ? { moveCalendarEvent: away5 } : {};
    const { handle } = await fixture.move({ ...other, [step]: failing });
    expect(await handle.result()).toEqual({ state: "committed" });
    expect(faults).toBe(4);
  },
);

test("the event is put back for as long as that takes, a day if need be", async () => {
  let tries = 0;
  const { handle } = await fixture.move({
    moveCalendarEvent: answering([{ state: "failed", code: "http_403" }]),
    syncCalendarEvents: async () => {
      if ((tries += 1) < 150) throw new Error("the calendar is away");
      return { state: "done" };
    },
  });
  expect(await handle.result()).toEqual({ state: "released" });
  expect(tries).toBe(150);
  // One activity that is tried again: a long trouble makes no long history.
  expect((await storyOf(handle)).filter((one) => one === "syncCalendarEvents")).toHaveLength(1);
});

test("the work on the events alone is one step, tried until the calendar answers", async () => {
  let tries = 0;
  const { handle } = await fixture.sync({
    syncCalendarEvents: async () => {
      if ((tries += 1) < 5) throw new Error("the calendar is away");
      return { state: "refused" };
    },
  });
  expect(await handle.result()).toEqual({ state: "refused" });
  expect(await storyOf(handle)).toEqual(["syncCalendarEvents"]);
});
