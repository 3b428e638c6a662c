import { proxyActivities, sleep } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";

const { resealBatch } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
  summary: "seal a batch anew",
});

const pauseMs = 10_000;
/** An hour. A change of settings reaches all workers in less time, or was undone. */
const maxPauses = 360;

/**
 * Seals every stored secret with the first key of SECRET_KEY, so that the older keys can be
 * removed.
 */
export async function reseal(input: {
  keyId: string;
}): Promise<{ resealed: number; done: boolean }> {
  let resealed = 0;
  for (let pauses = 0; pauses < maxPauses;) {
    const batch = await resealBatch(input);
    resealed += batch.resealed;
    if (batch.state === "done") return { resealed, done: true };
    if (batch.state === "more") continue;
    pauses += 1;
    await sleep(pauseMs, { summary: "wait for a worker with the new key" });
  }
  return { resealed, done: false };
}
