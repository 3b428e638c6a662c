import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { maxReconcilePages, type ReconcileProgress } from "../core/model/reconcile.ts";

const { reconcileDeliveries, countDeliveries } = proxyActivities<Activities>({
  startToCloseTimeout: 120_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
});

/**
 * Compares MySQL with Temporal: an open delivery whose run is long late and that Temporal does not
 * know, or has seen end, gets a new run. Then it counts all deliveries, so that none goes missing
 * unseen.
 */
export async function reconcile(): Promise<Omit<ReconcileProgress, "after">> {
  const total = { checked: 0, restarted: 0, discarded: 0 };
  let after: number | null = 0;
  for (let page = 0; page < maxReconcilePages && after !== null; page += 1) {
    const done: ReconcileProgress = await reconcileDeliveries({ after });
    total.checked += done.checked;
    total.restarted += done.restarted;
    total.discarded += done.discarded;
    after = done.after;
  }
  await countDeliveries();
  return total;
}
