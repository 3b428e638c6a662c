import {
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";

/** Cases wait for a run. */
export const casesQueued = defineSignal("casesQueued");

const { runNextCase } = proxyActivities<Activities>({
  // Six lines of 25 s at most.
  startToCloseTimeout: 180_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
  summary: "run a test case",
});

/**
 * Runs the queued test cases of an account one after the other. The signal is a hint: each step
 * reads MySQL for the next case.
 */
export async function agentCases(input: {
  accountId: number;
}): Promise<{ ran: number; passed: number }> {
  let isQueued = true;
  setHandler(casesQueued, () => {
    isQueued = true;
  });
  const counts = { ran: 0, passed: 0 };
  while (isQueued) {
    isQueued = false;
    for (;;) {
      const { state } = await runNextCase(input);
      if (state === "none") break;
      counts.ran += 1;
      if (state === "passed") counts.passed += 1;
      setCurrentDetails(`${counts.passed} of ${counts.ran} test cases passed.`);
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof agentCases>(input);
    }
  }
  return counts;
}
