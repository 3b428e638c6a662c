import { patched, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import {
  maxReconcilePages,
  type ReconcileProgress,
  type RecoverInput,
  type RecoverProgress,
} from "../core/model/workflow/reconcile.ts";

const { reconcileDeliveries, recoverRuns, countDeliveries } = proxyActivities<Activities>({
  startToCloseTimeout: 120_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
});

/**
 * Result of a round: figures of deliveries, and the number of other runs that were requested again.
 */
export type ReconcileResult = DeliveryTotals & { recovered: number };

type DeliveryTotals = Omit<ReconcileProgress, "after" | "takenUp">;

/**
 * Compares MySQL with Temporal. Unfinished work gets a new run if its run is long late and closed
 * or unknown in Temporal. Then all deliveries are counted, so that a missing one is noticed.
 */
export async function reconcile(): Promise<ReconcileResult> {
  const deliveries = await lookThroughDeliveries();
  const recovered = patched("runs-of-every-kind") ? await recoverEveryKind() : 0;
  await countDeliveries();
  return { ...deliveries, recovered };
}

async function lookThroughDeliveries(): Promise<DeliveryTotals> {
  const total = { checked: 0, restarted: 0, discarded: 0 };
  // Each subscription once a round, even if its deliveries are on several pages.
  const takenUp: number[] = [];
  let after: number | null = 0;
  for (let page = 0; page < maxReconcilePages && after !== null; page += 1) {
    const done: ReconcileProgress = await reconcileDeliveries({ after, takenUp });
    takenUp.push(...(done.takenUp ?? []));
    total.checked += done.checked;
    total.restarted += done.restarted;
    total.discarded += done.discarded;
    after = done.after;
  }
  return total;
}

async function recoverEveryKind(): Promise<number> {
  let recovered = 0;
  let next: RecoverInput | null = { kind: null, after: 0 };
  for (let page = 0; page < maxReconcilePages && next !== null; page += 1) {
    const done: RecoverProgress = await recoverRuns(next);
    recovered += done.restarted;
    next = done.next;
  }
  return recovered;
}
