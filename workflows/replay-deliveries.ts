import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { ReplayState } from "../core/model/replay.ts";

const { replayDeliveriesBatch } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
  summary: "replay a batch",
});

/** Pause between two batches, so that replayed deliveries do not delay new ones. */
const pauseMs = 1_000;

/**
 * Sends many deliveries again, batch by batch. The progress is stored in MySQL, so that a pause
 * ends this run and another run continues.
 */
export async function replayDeliveries(input: {
  accountId: number;
  replayId: number;
  run: number;
}): Promise<{ state: ReplayState; queued: number }> {
  for (;;) {
    const { done, state, queued, total } = await replayDeliveriesBatch(input);
    setCurrentDetails(`${queued} of ${total} deliveries queued; the replay is ${state}.`);
    if (done) return { state, queued };
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof replayDeliveries>(input);
    }
    await sleep(pauseMs, { summary: "wait before the next batch" });
  }
}
