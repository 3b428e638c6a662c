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
import type { ImportRun, ImportStep } from "../core/model/workflow/importing.ts";

/** A person has called for the next phase, a pause or the end, or it is the import's turn. */
export const changed = defineSignal("changed");

const { runImport } = proxyActivities<Activities>({
  // The planning of a large file is one step.
  startToCloseTimeout: 7_200_000,
  heartbeatTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
});

/**
 * Plans and commits an import as a person calls for it, from the upload to its end. MySQL holds the
 * state and the place, so a lost run continues there.
 */
export async function importFile(input: ImportRun): Promise<{ state: string }> {
  let woken = false;
  setHandler(changed, () => void (woken = true));
  for (;;) {
    // Before the step: a change that comes during it may have come too late for it.
    woken = false;
    const step = await runImport(input);
    setCurrentDetails(describe(step));
    if (step.next === "ended") return { state: step.state };
    if (step.next === "idle") {
      const summary = `wait while the import is ${step.state}`;
      await condition(() => woken, step.waitMs, { summary });
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof importFile>(input);
  }
}

function describe({ state, handled, total }: ImportStep): string {
  return `The import is ${state}. The last step took ${handled} of ${total ?? "its"} rows.`;
}
