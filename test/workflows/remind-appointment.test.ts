import { expect, test } from "vitest";
import type { ReminderOutcome } from "../../core/model/reminder.ts";
import { changed } from "../../workflows/remind-appointment.ts";
import { eventually } from "../support/eventually.ts";
import { createGate, startTimeSkippingFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));

const hour = 3_600;
const hourMs = hour * 1_000;

/** Answers one outcome after the other, as MySQL would. */
function answering(...answers: ReminderOutcome[]) {
  const left = [...answers];
  return {
    sendReminder: async () => await Promise.resolve(left.shift() ?? ({ state: "over" } as const)),
  };
}

function wait(waitMs: number): ReminderOutcome {
  return { state: "waiting", waitMs };
}

test("it sleeps until the reminder is due, weeks if need be, and ends with it", async () => {
  const run = await fixture.reminder(answering(wait(30 * 24 * hourMs), { state: "sent" }));
  await run.until(29 * 24 * hour);
  expect(run.calls).toEqual(["sendReminder"]);
  expect(await run.handle.result()).toEqual({ state: "sent" });
  expect(await storyOf(run.handle)).toEqual(["sendReminder", "wait 720 h", "sendReminder"]);
});

test.each(["skipped", "cancelled", "over"] as const)(
  "a reminder that is %s by the time it is due ends the run",
  async (state) => {
    const run = await fixture.reminder(answering(wait(hourMs), { state }));
    expect(await run.handle.result()).toEqual({ state });
    expect(run.calls).toEqual(["sendReminder", "sendReminder"]);
  },
);

test("a cancellation ends it at once", async () => {
  const run = await fixture.reminder(answering(wait(48 * hourMs), { state: "cancelled" }));
  await run.until(hour);
  await run.handle.signal(changed);
  expect(await run.handle.result()).toEqual({ state: "cancelled" });
  expect(await storyOf(run.handle)).toEqual([
    "sendReminder",
    "wait 48 h",
    "signal changed",
    "cut",
    "sendReminder",
  ]);
});

test("a move to an earlier or a later time has it wait for that one", async () => {
  const answers = answering(wait(48 * hourMs), wait(2 * hourMs), wait(72 * hourMs), {
    state: "sent",
  });
  const run = await fixture.reminder(answers);
  await run.until(hour);
  await run.handle.signal(changed);
  await run.until(2 * hour);
  await run.handle.signal(changed);
  expect(await run.handle.result()).toEqual({ state: "sent" });
  expect(await storyOf(run.handle)).toEqual([
    "sendReminder",
    "wait 48 h",
    "signal changed",
    "cut",
    "sendReminder",
    "wait 2 h",
    "signal changed",
    "cut",
    "sendReminder",
    "wait 72 h",
    "sendReminder",
  ]);
});

test("a change while the reminder is being looked at is looked at too", async () => {
  const gate = createGate();
  let looks = 0;
  const run = await fixture.reminder({
    sendReminder: async () => {
      looks += 1;
      if (looks > 1) return { state: "cancelled" };
      await gate.passed;
      return { state: "waiting", waitMs: 48 * hourMs };
    },
  });
  await eventually(() => expect(run.calls).toHaveLength(1));
  await run.handle.signal(changed);
  gate.open();
  expect(await run.handle.result()).toEqual({ state: "cancelled" });
  expect(await storyOf(run.handle)).not.toContain("wait 48 h");
});

test("a change ends a run whose reminder another one has taken over", async () => {
  const run = await fixture.reminder(answering(wait(48 * hourMs), { state: "over" }));
  await run.until(hour);
  await run.handle.signal(changed);
  expect(await run.handle.result()).toEqual({ state: "over" });
});

test("a signal that comes first begins the run and is lost on nobody", async () => {
  const run = await fixture.reminder(answering(wait(hourMs), { state: "sent" }), changed);
  expect(await run.handle.result()).toEqual({ state: "sent" });
  const [first] = await storyOf(run.handle);
  expect([first, run.calls.length]).toEqual(["signal changed", 2]);
});

test("faults of ours are repeated until they pass", async () => {
  let faults = 0;
  const run = await fixture.reminder({
    sendReminder: async () => {
      if ((faults += 1) < 4) throw new Error("MySQL is away");
      return await Promise.resolve({ state: "sent" });
    },
  });
  expect(await run.handle.result()).toEqual({ state: "sent" });
  expect(run.calls).toHaveLength(4);
});
