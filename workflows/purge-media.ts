import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";

const { purgeMedia: purgeBatch } = proxyActivities<Activities>({
  startToCloseTimeout: 120_000,
  heartbeatTimeout: 20_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
});

/** Steps of one run. The next run continues a long backlog. */
const maxSteps = 50;

/** Deletes files that have passed their retention. The schedule starts a run every hour. */
export async function purgeMedia(): Promise<{ files: number; uploads: number }> {
  const deleted = { files: 0, uploads: 0 };
  for (let step = 0; step < maxSteps; step += 1) {
    const { files, uploads, done } = await purgeBatch();
    deleted.files += files;
    deleted.uploads += uploads;
    if (done) break;
  }
  return deleted;
}
