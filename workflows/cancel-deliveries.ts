import { proxyActivities, setCurrentDetails } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";

const { cancelDeliveriesBatch } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
  summary: "cancel a batch",
});

type Batch = Awaited<ReturnType<Activities["cancelDeliveriesBatch"]>>;

/**
 * Ends every open delivery of a deleted subscription, batch by batch (rule C57). Runs that sleep in
 * Temporal find their delivery cancelled when they wake, and complete.
 */
export async function cancelDeliveries(input: {
  accountId: number;
  subscriptionId: number;
}): Promise<{ cancelled: number }> {
  let cancelled = 0;
  let walk: Batch["walk"];
  for (;;) {
    const batch = await cancelDeliveriesBatch({ ...input, walk });
    cancelled += batch.cancelled;
    setCurrentDetails(`${cancelled} deliveries cancelled.`);
    if (batch.done) return { cancelled };
    ({ walk } = batch);
  }
}
