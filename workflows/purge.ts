import { proxyActivities, setCurrentDetails } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import {
  maxPurgeSteps,
  retentionMs,
  type RetentionKind,
} from "../core/model/workflow/retention.ts";

const { purgeOld } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  // A worker that died is noticed by it, and an operator's cancellation reaches the step with it.
  heartbeatTimeout: 20_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
});

/**
 * Deletes what is older than it is kept, one kind after the other. Each gets a few minutes at most:
 * the schedule starts a run every hour, and the next one goes on with what is left.
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
