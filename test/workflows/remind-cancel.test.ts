import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { createGate, startRealTimeFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => await createScriptFixture(await startRealTimeFixture()));

test("a run cancelled in Temporal while it waits writes that down", async () => {
  const run = await fixture.reminder({
    sendReminder: async () => ({ state: "waiting", waitMs: 3_600_000 }),
  });
  await eventually(async () => expect(await storyOf(run.handle)).toHaveLength(2));
  await run.handle.cancel();
  expect(await run.handle.result()).toEqual({ state: "cancelled" });
  expect(run.calls).toEqual(["sendReminder", "cancelReminder"]);
});

test("a run cancelled while it sends ends with what became of that", async () => {
  const gate = createGate();
  const run = await fixture.reminder({
    sendReminder: async () => {
      await gate.passed;
      return { state: "sent" };
    },
  });
  await eventually(() => expect(run.calls).toHaveLength(1));
  await run.handle.cancel();
  gate.open();
  expect(await run.handle.result()).toEqual({ state: "sent" });
  expect(run.calls).toEqual(["sendReminder"]);
});
