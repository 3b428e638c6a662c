import { proxyActivities, setCurrentDetails } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import {
  maxPurgeSteps,
  retentionMs,
  type RetentionKind,
} from "../core/model/workflow/retention.ts";

const { purgeOld } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  // The heartbeat reveals a dead worker, and brings an operator's cancellation to the step.
  heartbeatTimeout: 20_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
});

/**
 * Deletes rows that have passed their retention, one kind after the other. Each kind gets a few
 * minutes at most. The schedule starts a run every hour, and the next run continues.
 */
export async function purge(): Promise<{ deleted: Partial<Record<RetentionKind, number>> }> {
  const deleted: Partial<Record<RetentionKind, number>> = {};
  for (const kind of Object.keys(retentionMs) as RetentionKind[]) {
    let after: string | null = null;
    for (let step = 0; step < maxPurgeSteps; step += 1) {
      const summary = `purge ${kind}`;
      const done = await purgeOld.executeWithOptions({ summary }, [{ kind, after }]);
      deleted[kind] = (deleted[kind] ?? 0) + done.deleted;
      after = done.after;
      if (after === null) break;
    }
    setCurrentDetails(
      Object.entries(deleted)
        .map(([name, count]) => `${count} of ${name}`)
        .join(", "),
    );
  }
  return { deleted };
}
