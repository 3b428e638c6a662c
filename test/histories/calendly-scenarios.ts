import type { WorkflowHandle } from "@temporalio/client";
import { wake } from "../../workflows/reconcile-calendly.ts";
import { eventually } from "../support/eventually.ts";
import { storyOf, type ScriptFixture } from "../workflows/scripted-run.ts";

type Scenarios = Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>>;

/** Every way that work with Calendly can go, by the name of its history. */
export const calendlyScenarios: Scenarios = {
  "apply-calendly": async (fixture) =>
    (await fixture.calendlyRequest({ applyCalendlyRequest: async () => ({ state: "applied" }) }))
      .handle,
  "apply-calendly-faults-of-ours": async (fixture) => {
    let faults = 0;
    const { handle } = await fixture.calendlyRequest({
      applyCalendlyRequest: async () => {
        if ((faults += 1) < 3) throw new Error("a fault of ours");
        return await Promise.resolve({ state: "applied" });
      },
    });
    return handle;
  },
  "tell-calendly": async (fixture) =>
    (await fixture.calendlyTelling({ tellCalendly: async () => ({ state: "told" }) })).handle,
  "reconcile-calendly-woken": async (fixture) => {
    let reads = 0;
    const { handle } = await fixture.calendlyReads({
      readCalendly: async () => {
        reads += 1;
        if (reads > 2) return await Promise.resolve({ state: "over" });
        return { state: "waiting", waitMs: reads === 1 ? 30 : 60_000, changed: 1 };
      },
    });
    await eventually(async () => {
      const story = await storyOf(handle);
      if (story.length < 4) throw new Error(story.join());
    });
    await handle.signal(wake);
    return handle;
  },
};

/** Scenarios that wait for minutes, on a server that skips time. */
export const longCalendlyScenarios: Scenarios = {
  "pair-calendly-cancelled": async (fixture) =>
    (await fixture.calendlyPair({ settleCalendlyPair: async () => ({ state: "cancelled" }) }))
      .handle,
};
