import { ActivityFailure, isCancellation, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";

const { writeExport } = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 60_000,
  // About an hour of tries. The person may ask again.
  retry: { initialInterval: 1_000, maximumInterval: 300_000, maximumAttempts: 20 },
});

const { giveUpExport } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  retry: { initialInterval: 1_000, maximumInterval: 60_000 },
});

/** Writes the file of an export. MySQL has its state and its filters; the run knows ids only. */
export async function exportFile(input: {
  accountId: number;
  exportId: number;
}): Promise<{ state: string }> {
  try {
    return await writeExport(input);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return await giveUpExport(input);
  }
}
