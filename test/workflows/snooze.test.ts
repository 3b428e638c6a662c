import { expect, test } from "vitest";
import type { SnoozeOutcome } from "../../core/model/workflow/snoozing.ts";
import { changed } from "../../workflows/snooze.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createGate, startTimeSkippingFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));

const hour = 3_600;
const hourMs = hour * 1_000;

/** Answers one outcome after the other, as MySQL would. */
function answering(...answers: SnoozeOutcome[]) {
  const left = [...answers];
  return {
    endSnooze: async () => await Promise.resolve(left.shift() ?? ({ state: "over" } as const)),
  };
}

function wait(waitMs: number): SnoozeOutcome {
  return { state: "waiting", waitMs };
}

test("it sleeps until the snooze ends, a year if need be, and ends with it", async () => {
  const run = await fixture.snooze(answering(wait(365 * 24 * hourMs), { state: "ended" }));
  await run.until(364 * 24 * hour);
  expect(run.calls).toEqual(["endSnooze"]);
  expect(await run.handle.result()).toEqual({ state: "ended" });
  expect(await storyOf(run.handle)).toEqual(["endSnooze", "wait 8760 h", "endSnooze"]);
});

test("a snooze that ends early ends the run at once", async () => {
  const run = await fixture.snooze(answering(wait(48 * hourMs), { state: "over" }));
  await run.until(hour);
  await run.handle.signal(changed);
  expect(await run.handle.result()).toEqual({ state: "over" });
  expect(await storyOf(run.handle)).toEqual([
    "endSnooze",
    "wait 48 h",
    "signal changed",
    "cut",
    "endSnooze",
  ]);
});

test("a change while the snooze is being looked at is looked at too", async () => {
  const gate = createGate();
  let looks = 0;
  const run = await fixture.snooze({
    endSnooze: async () => {
      looks += 1;
      if (looks > 1) return { state: "over" };
      await gate.passed;
      return { state: "waiting", waitMs: 48 * hourMs };
    },
  });
  await eventually(() => expect(run.calls).toHaveLength(1));
  await run.handle.signal(changed);
  gate.open();
  expect(await run.handle.result()).toEqual({ state: "over" });
  expect(await storyOf(run.handle)).not.toContain("wait 48 h");
});

test("faults of ours are repeated until they pass", async () => {
  let faults = 0;
  const run = await fixture.snooze({
    endSnooze: async () => {
      if ((faults += 1) < 4) throw new Error("MySQL is away");
      return await Promise.resolve({ state: "ended" });
    },
  });
  expect(await run.handle.result()).toEqual({ state: "ended" });
  expect(run.calls).toHaveLength(4);
});
