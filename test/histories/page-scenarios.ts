import type { WorkflowHandle } from "@temporalio/client";
import type { ScriptFixture } from "../workflows/scripted-run.ts";

/** Every way the refresh of pages can go, by the name of its history. */
export const pageScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> = {
  "refresh-page-ready": async (fixture) =>
    (await fixture.page({ refreshPage: async () => ({ state: "ready", suggested: 3 }) })).handle,
  "refresh-page-failed": async (fixture) =>
    (await fixture.page({ refreshPage: async () => ({ state: "failed", code: "not_found" }) }))
      .handle,
  "refresh-page-over": async (fixture) =>
    (await fixture.page({ refreshPage: async () => ({ state: "over" }) })).handle,
  "refresh-page-faults-of-ours": async (fixture) => {
    let faults = 0;
    const { handle } = await fixture.page({
      refreshPage: async () => {
        if ((faults += 1) < 3) throw new Error("a fault of ours");
        return await Promise.resolve({ state: "ready", suggested: 0 });
      },
    });
    return handle;
  },
  "refresh-pages": async (fixture) => {
    const left = [
      { requested: 100, done: false },
      { requested: 7, done: true },
    ];
    const requestDuePages = async () => left.shift() ?? { requested: 0, done: true };
    return (await fixture.duePages({ requestDuePages })).handle;
  },
};
