import type { WorkflowHandle } from "@temporalio/client";
import type { SnoozeOutcome } from "../../core/model/workflow/snoozing.ts";
import { changed } from "../../workflows/snooze.ts";
import { eventually } from "../support/eventually.ts";
import { storyOf, type ScriptFixture } from "../workflows/scripted-run.ts";

/** Every way a snooze can go, by the name of its history. */
export const snoozeScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> = {
  "snooze-ended": async (fixture) =>
    (await fixture.snooze(answering([wait(30), { state: "ended" }]))).handle,
  "snooze-over": async (fixture) => (await fixture.snooze(answering([{ state: "over" }]))).handle,
  "snooze-changed": async (fixture) => {
    const { handle } = await fixture.snooze(answering([wait(60_000), { state: "over" }]));
    await eventually(async () => {
      const story = await storyOf(handle);
      if (story.length < 2) throw new Error(story.join());
    });
    await handle.signal(changed);
    return handle;
  },
  "snooze-signal-first": async (fixture) =>
    (await fixture.snooze(answering([wait(30), { state: "ended" }]), changed)).handle,
  "snooze-faults-of-ours": async (fixture) => {
    let faults = 0;
    const { handle } = await fixture.snooze({
      endSnooze: async () => {
        if ((faults += 1) < 3) throw new Error("a fault of ours");
        return await Promise.resolve({ state: "ended" });
      },
    });
    return handle;
  },
};

function wait(waitMs: number): SnoozeOutcome {
  return { state: "waiting", waitMs };
}

function answering(answers: SnoozeOutcome[]) {
  const left = [...answers];
  return {
    endSnooze: async () => await Promise.resolve(left.shift() ?? ({ state: "over" } as const)),
  };
}
