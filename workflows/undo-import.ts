import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { ImportRun } from "../core/model/workflow/importing.ts";

/** It is the import's turn. */
export const changed = defineSignal("changed");

const { undoImport: undoRows } = proxyActivities<Activities>({
  startToCloseTimeout: 120_000,
  heartbeatTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
});

/** Takes back an import, the last row first. MySQL holds the place, so a lost run continues there. */
export async function undoImport(input: ImportRun): Promise<{ state: string }> {
  let woken = false;
  setHandler(changed, () => void (woken = true));
  for (;;) {
    woken = false;
    const { state, handled, total, ...step } = await undoRows(input);
    setCurrentDetails(`The import is ${state}. The last step took ${handled} of ${total} rows.`);
    if (step.next === "ended") return { state };
    if (step.next === "idle") {
      await condition(() => woken, step.waitMs, { summary: "wait for the turn" });
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof undoImport>(input);
  }
}
