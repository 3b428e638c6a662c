import type { WorkflowHandle } from "@temporalio/client";
import type { ImportStep } from "../../core/model/workflow/importing.ts";
import { changed } from "../../workflows/import-file.ts";
import { eventually } from "../support/eventually.ts";
import type { ScriptFixture } from "../workflows/scripted-run.ts";

const more = (state: string): ImportStep => ({ next: "more", state, handled: 500, total: 1_000 });
const idle = (state: string, waitMs: number): ImportStep => ({
  next: "idle",
  state,
  waitMs,
  handled: 0,
  total: null,
});
const ended = (state: string): ImportStep => ({ next: "ended", state, handled: 0, total: 1_000 });

/** Steps that come one after the other. */
function following(steps: ImportStep[]): () => Promise<ImportStep> {
  const left = [...steps];
  return async () => await Promise.resolve(left.shift() ?? ended("done"));
}

/** Every way an import can go, by the name of its history. */
export const importScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> =
  {
    "import-file-done": async (fixture) => {
      const steps = [idle("mapping", 60_000), more("planning"), idle("planned", 60_000)];
      const left = [...steps, more("committing"), more("committing"), ended("done")];
      const run = await fixture.importing({ runImport: following(left) });
      for (const calls of [1, 3]) {
        await eventually(() => {
          if (run.calls.length < calls) throw new Error("not yet");
        });
        await run.handle.signal(changed);
      }
      return run.handle;
    },
    "import-file-expired": async (fixture) => {
      const left = [idle("mapping", 20), more("mapping"), ended("cancelled")];
      return (await fixture.importing({ runImport: following(left) })).handle;
    },
    "import-file-waits-for-its-turn": async (fixture) => {
      const left = [idle("committing", 20), idle("committing", 20), more("committing")];
      return (await fixture.importing({ runImport: following(left) })).handle;
    },
    "import-file-faults-of-ours": async (fixture) => {
      let faults = 0;
      const runImport = async () => {
        if ((faults += 1) < 3) throw new Error("a fault of ours");
        return await Promise.resolve(ended("done"));
      };
      return (await fixture.importing({ runImport })).handle;
    },
    "undo-import-undone": async (fixture) => {
      const left = [idle("undoing", 20), more("undoing"), more("undone"), ended("undone")];
      return (await fixture.undoing({ undoImport: following(left) })).handle;
    },
  };
