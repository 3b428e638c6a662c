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

/** Pause between two batches, so that held deliveries do not delay new ones. */
const pauseMs = 1_000;
/**
 * Longer than any transaction that still read the subscription as paused and holds one more
 * delivery.
 */
const lateMs = 10_000;

type Batch = Awaited<ReturnType<Activities["resumeDeliveriesBatch"]>>;

/** Subject of a run, and the progress of the runs before it. */
export interface ResumeDeliveriesInput {
  accountId: number;
  subscriptionId: number;
  resumed?: number;
  /** Place at which the first sweep goes on. */
  walk?: Batch["walk"];
}

/**
 * Resumes every held delivery of an active subscription, batch by batch. After a wait the run
 * checks once more for deliveries that were just being held.
 */
export async function resumeDeliveries(input: ResumeDeliveriesInput): Promise<{ resumed: number }> {
  let resumed = await sweep(input, input.resumed ?? 0);
  await sleep(lateMs, { summary: "wait for what was just being held" });
  resumed = await sweep({ ...input, walk: undefined }, resumed);
  return { resumed };
}

async function sweep(input: ResumeDeliveriesInput, before: number): Promise<number> {
  const { accountId, subscriptionId } = input;
  let resumed = before;
  let { walk } = input;
  for (;;) {
    const batch = await resumeDeliveriesBatch({ accountId, subscriptionId, walk });
    resumed += batch.resumed;
    ({ walk } = batch);
    setCurrentDetails(`${resumed} deliveries resumed.`);
    if (batch.done) return resumed;
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof resumeDeliveries>({ ...input, resumed, walk });
    }
    await sleep(pauseMs, { summary: "wait before the next batch" });
  }
}
