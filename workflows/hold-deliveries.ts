import { proxyActivities, setCurrentDetails } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";

const { holdDeliveriesBatch } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
  summary: "hold a batch",
});

type Batch = Awaited<ReturnType<Activities["holdDeliveriesBatch"]>>;

/**
 * Holds every open delivery of a paused or disabled subscription, batch by batch. Runs that sleep
 * in Temporal find their delivery held when they wake, and complete.
 */
export async function holdDeliveries(input: {
  accountId: number;
  subscriptionId: number;
}): Promise<{ held: number }> {
  let held = 0;
  let walk: Batch["walk"];
  for (;;) {
    const batch = await holdDeliveriesBatch({ ...input, walk });
    held += batch.held;
    setCurrentDetails(`${held} deliveries held.`);
    if (batch.done) return { held };
    ({ walk } = batch);
  }
}
