import { expect, test } from "vitest";
import type { CalendarWatchOutcome } from "../../core/model/workflow/calendar-reading.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));
const day = 86_400;

/** Answers one outcome after the other, the last one for ever. */
function answering(...answers: CalendarWatchOutcome[]) {
  const left = [...answers];
  const next = () => (left.length > 1 ? left.shift() : left[0]) ?? ({ state: "ended" } as const);
  return { keepCalendarChannel: async () => await Promise.resolve(next()) };
}

test("a channel of seven days is renewed every six, for 30 days", async () => {
  const run = await fixture.watching(answering({ state: "open", waitMs: 6 * day * 1_000 }));
  await run.until(29.5 * day);
  expect(run.calls).toHaveLength(5);
  await run.until(30.5 * day);
  expect(run.calls).toHaveLength(6);
  await run.handle.terminate();
});

test("trouble at a renewal is tried again, and the next renewal comes in its time", async () => {
  const trouble = { state: "waiting", waitMs: 60_000, code: "http_503" } as const;
  const open = { state: "open", waitMs: 6 * day * 1_000 } as const;
  const run = await fixture.watching(answering(open, trouble, open, { state: "ended" }));
  expect(await run.handle.result()).toEqual({ state: "ended" });
  const check = "keepCalendarChannel";
  const story = [check, "wait 144 h", check, "wait 1 min", check, "wait 144 h", check];
  expect(await storyOf(run.handle)).toEqual(story);
});
