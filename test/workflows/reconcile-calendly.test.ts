import { expect, test } from "vitest";
import type { CalendlyReadOutcome } from "../../core/model/workflow/calendly.ts";
import { wake } from "../../workflows/reconcile-calendly.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));

const hour = 3_600;

/** Answers one outcome after the other, then `over`. */
function reading(...outcomes: CalendlyReadOutcome[]) {
  const left = [...outcomes];
  return {
    readCalendly: async () => await Promise.resolve(left.shift() ?? ({ state: "over" } as const)),
  };
}

function wait(waitMs: number): CalendlyReadOutcome {
  return { state: "waiting", waitMs, changed: 0 };
}

test("a connection is read again after each wait, until it ends", async () => {
  const run = await fixture.calendlyReads(reading(wait(hour * 1_000), wait(300_000)));
  expect(await run.handle.result()).toEqual({ state: "over" });
  expect(await storyOf(run.handle)).toEqual([
    "readCalendly",
    "wait 1 h",
    "readCalendly",
    "wait 5 min",
    "readCalendly",
  ]);
});

test("a signal has it read at once", async () => {
  const run = await fixture.calendlyReads(reading(wait(hour * 1_000)));
  await run.until(60);
  await run.handle.signal(wake);
  expect(await run.handle.result()).toEqual({ state: "over" });
  expect(await storyOf(run.handle)).toEqual([
    "readCalendly",
    "wait 1 h",
    "signal wake",
    "cut",
    "readCalendly",
  ]);
});
