import type { WorkflowHandle } from "@temporalio/client";
import type { SyncTemplatesOutcome } from "../../core/model/workflow/template-sync.ts";
import type { ScriptFixture } from "../workflows/scripted-run.ts";

const busy: SyncTemplatesOutcome = { state: "failed", code: "too_many_calls", again: true };

/** Every way a read of a list of templates can go, by the name of its history. */
export const templateScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> =
  {
    "refresh-templates": async (fixture) => {
      const left = [
        { requested: 100, done: false },
        { requested: 3, done: true },
      ];
      const requestDueTemplateSyncs = async () => left.shift() ?? { requested: 0, done: true };
      return (await fixture.dueTemplates({ requestDueTemplateSyncs })).handle;
    },
    "sync-templates-after-a-wait": async (fixture) => {
      const script = { syncTemplates: async () => ({ state: "read", templates: 4 }) as const };
      return (await fixture.templates(script, 40_000)).handle;
    },
    "sync-templates-given-up": async (fixture) =>
      (
        await fixture.templates({
          syncTemplates: async ({ isLast }) => ({ ...busy, again: !isLast }),
        })
      ).handle,
    "sync-templates-over": async (fixture) =>
      (await fixture.templates({ syncTemplates: async () => ({ state: "over" }) })).handle,
    "sync-templates-read-at-the-third-try": async (fixture) => {
      const left = [busy, busy];
      const syncTemplates = async () => left.shift() ?? ({ state: "read", templates: 4 } as const);
      return (await fixture.templates({ syncTemplates })).handle;
    },
    "sync-templates-refused": async (fixture) =>
      (
        await fixture.templates({
          syncTemplates: async () => ({ state: "failed", code: "refused", again: false }),
        })
      ).handle,
  };
