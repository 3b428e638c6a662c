import { continueAsNew, patched, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import {
  formerPagesOfRun,
  newRound,
  reconcilePagesOfRun,
  type ReconcileProgress,
  type ReconcileRound,
  type RecoverProgress,
} from "../core/model/workflow/reconcile.ts";

const { reconcileDeliveries, recoverRuns, countDeliveries } = proxyActivities<Activities>({
  startToCloseTimeout: 120_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
});

/**
 * Result of a round: figures of deliveries, and the number of other runs that were requested again.
 */
export type ReconcileResult = ReconcileRound["totals"] & { recovered: number };

/**
 * Compares MySQL with Temporal. Unfinished work gets a new run if its run is long late and closed
 * or unknown in Temporal. Then all deliveries are counted, so that a missing one is noticed.
 * @param begun position of a round that goes on
 */
export async function reconcile(begun: ReconcileRound = newRound): Promise<ReconcileResult> {
  const goesOn = patched("rounds-go-on");
  const pages = goesOn ? reconcilePagesOfRun : formerPagesOfRun;
  let round = await lookThroughDeliveries(begun, pages);
  if (patched("runs-of-every-kind")) round = await recoverEveryKind(round, pages);
  await countDeliveries();
  const { after, next } = round;
  if (goesOn && (after !== null || next !== null)) {
    // Many deliveries take hours. Meanwhile each run looks through the other kinds too.
    const kinds = next ?? (after === null ? null : newRound.next);
    return await continueAsNew<typeof reconcile>({ ...round, next: kinds });
  }
  return { ...round.totals, recovered: round.recovered };
}

async function lookThroughDeliveries(
  begun: ReconcileRound,
  pages: number,
): Promise<ReconcileRound> {
  const totals = { ...begun.totals };
  // Each subscription once a round, even if its deliveries are on several pages.
  const takenUp = [...begun.takenUp];
  let { after } = begun;
  for (let page = 0; page < pages && after !== null; page += 1) {
    const done: ReconcileProgress = await reconcileDeliveries({ after, takenUp });
    takenUp.push(...(done.takenUp ?? []));
    totals.checked += done.checked;
    totals.restarted += done.restarted;
    totals.discarded += done.discarded;
    after = done.after;
  }
  return { ...begun, totals, takenUp, after };
}

async function recoverEveryKind(begun: ReconcileRound, pages: number): Promise<ReconcileRound> {
  let { recovered, next } = begun;
  for (let page = 0; page < pages && next !== null; page += 1) {
    const done: RecoverProgress = await recoverRuns(next);
    recovered += done.restarted;
    next = done.next;
  }
  return { ...begun, recovered, next };
}
