import { expect, test } from "vitest";
import type { CalendarOutcome } from "../../core/model/workflow/rescheduling.ts";
import { eventually } from "../support/eventually.ts";
import { createGate, startRealTimeFixture } from "./fake-run.ts";
import { committed, createScriptFixture } from "./scripted-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => await createScriptFixture(await startRealTimeFixture()));

const away: CalendarOutcome = { state: "waiting", code: "http_503" };

test.each([
  { when: "while it waits for the calendar", outcome: away },
  { when: "while a step is under way", outcome: null },
])(
  "a run cancelled in Temporal $when gives the time up and puts the event back",
  async ({ outcome }) => {
    const gate = createGate();
    const moveCalendarEvent = async () => {
      if (outcome !== null) return outcome;
      await gate.passed;
      return away;
    };
    const { handle, calls } = await fixture.move({ moveCalendarEvent });
    await eventually(() => expect(calls).toContain("moveCalendarEvent"));
    await handle.cancel();
    gate.open();
    expect(await handle.result()).toEqual({ state: "released" });
    expect(calls.slice(-2)).toEqual(["releaseReschedule", "syncCalendarEvents"]);
    expect(calls).not.toContain("commitReschedule");
  },
);

test("a run cancelled during the commit keeps what was committed", async () => {
  const gate = createGate();
  const commitReschedule = async ({ appointmentId }: { appointmentId: number }) => {
    await gate.passed;
    return committed([appointmentId]);
  };
  const { handle, calls } = await fixture.move({ commitReschedule });
  await eventually(() => expect(calls).toContain("commitReschedule"));
  await handle.cancel();
  gate.open();
  expect(await handle.result()).toEqual({ state: "committed" });
  expect(calls).toEqual(["moveCalendarEvent", "commitReschedule", "syncCalendarEvents"]);
});
