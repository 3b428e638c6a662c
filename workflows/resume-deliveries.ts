import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";

const { resumeDeliveriesBatch } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
  summary: "resume a batch",
});

/** Between two batches, so that what was held does not push aside what happens now. */
const pauseMs = 1_000;
/** Longer than any transaction that still saw the subscription paused and holds one more. */
const lateMs = 10_000;

/** What a run is about, and how far the runs before it came. */
export interface ResumeDeliveriesInput {
  accountId: number;
  subscriptionId: number;
  resumed?: number;
}

/**
 * Lets every held delivery of a subscription go on that is active again, batch by batch, and looks
 * once more for those that were just being held.
 */
export async function resumeDeliveries(input: ResumeDeliveriesInput): Promise<{ resumed: number }> {
  let resumed = await sweep(input, input.resumed ?? 0);
  await sleep(lateMs, { summary: "wait for what was just being held" });
  resumed = await sweep(input, resumed);
  return { resumed };
}

async function sweep(input: ResumeDeliveriesInput, before: number): Promise<number> {
  let resumed = before;
  for (;;) {
    const { accountId, subscriptionId } = input;
    const batch = await resumeDeliveriesBatch({ accountId, subscriptionId });
    resumed += batch.resumed;
    setCurrentDetails(`${resumed} deliveries resumed.`);
    if (batch.done) return resumed;
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof resumeDeliveries>({ ...input, resumed });
    }
    await sleep(pauseMs, { summary: "wait before the next batch" });
  }
}
