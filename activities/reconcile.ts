import { openDeliveryStates } from "../core/model/workflow/delivery.ts";
import type { ReconcileInput, ReconcileProgress } from "../core/model/workflow/reconcile.ts";
import {
  countDeliveries,
  listInOutbox,
  listOverdue,
  recoverLostRun,
  resumeStranded,
  type DeliveryCounts,
  type OverdueDelivery,
  type StrandedSubscription,
} from "../core/services/deliveries/lost-deliveries.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import { isLost } from "./run-state.ts";

/**
 * `size`: late deliveries of one step. `looks`: open deliveries that the step reads to find them.
 */
const page = { size: 100, looks: 5_000 };
/** Longer than the time between two counts: after that another worker has a newer count. */
const countIsGoodForMs = 900_000;

/** The steps that compare MySQL with Temporal. Each may run twice, and finds less to do. */
export function createReconcile(deps: ActivityDeps) {
  let forgetCount: NodeJS.Timeout | undefined;
  return {
    /** Checks a page of unfinished deliveries, and recovers those whose run is lost. */
    async reconcileDeliveries({ after, takenUp = [] }: ReconcileInput): Promise<ReconcileProgress> {
      const { late, stranded, through } = await transaction(deps.dataSource, systemOf(), (tx) =>
        listOverdue(tx, after, page),
      );
      const checked = late.length;
      const progress: ReconcileProgress = { checked, restarted: 0, discarded: 0, after: through };
      const lost = checked === 0 ? [] : await listLost(deps, late);
      for (const delivery of lost) {
        const result = await recoverDelivery(deps, delivery);
        if (result !== "unchanged") progress[result] += 1;
      }
      const left = stranded.filter(({ id }) => !takenUp.includes(id));
      const taken = left.length === 0 ? [] : await resumeAllStranded(deps, left);
      return taken.length === 0 ? progress : { ...progress, takenUp: taken };
    },

    /** Counts all deliveries by state, for the log and the metrics. A failed count is skipped. */
    async countDeliveries(): Promise<void> {
      const counts = await tryToCount(deps);
      if (counts === null) return;
      const { created, states } = counts;
      const open = openDeliveryStates.reduce((sum, state) => sum + states[state], 0);
      const { delivered, discarded, cancelled, skipped, held } = states;
      const known = delivered + discarded + cancelled + skipped + held + open;
      const fields = { created, delivered, discarded, cancelled, skipped, held, open };
      if (known === created) deps.log.info(fields, "deliveries.counted");
      else deps.log.error({ ...fields, unknown: created - known }, "deliveries.counted");
      for (const [state, count] of Object.entries(states)) {
        deps.metrics.deliveries.set({ state }, count);
      }
      clearTimeout(forgetCount);
      forgetCount = setTimeout(() => deps.metrics.deliveries.reset(), countIsGoodForMs).unref();
    },
  };
}

/** A count is not retried, because a retry would delay the next search for lost runs. */
async function tryToCount({ dataSource, log }: ActivityDeps): Promise<DeliveryCounts | null> {
  try {
    return await transaction(dataSource, systemOf(), countDeliveries);
  } catch (error) {
    log.warn({ err: error }, "deliveries.not_counted");
    return null;
  }
}

/**
 * Calls Temporal outside of every transaction. Deliveries that move on meanwhile are left alone
 * later.
 */
async function listLost(
  { dataSource, runStates }: ActivityDeps,
  late: OverdueDelivery[],
): Promise<OverdueDelivery[]> {
  const ids = late.map(({ id }) => id);
  const inOutbox = await transaction(dataSource, systemOf(), (tx) => listInOutbox(tx, ids));
  const told = late.filter(({ id }) => !inOutbox.has(id));
  const states = await runStates(told.flatMap(({ workflowId }) => workflowId ?? []));
  return told.filter(({ workflowId }) => workflowId === null || isLost(states.get(workflowId)));
}

/**
 * Resumes subscriptions without a run: the run was lost, or came too early for some deliveries.
 * @returns their ids.
 */
async function resumeAllStranded(
  { dataSource, log, runStates }: ActivityDeps,
  stranded: readonly StrandedSubscription[],
): Promise<number[]> {
  const taken: number[] = [];
  const states = await runStates(stranded.map(({ workflowId }) => workflowId));
  for (const { id, accountId, workflowId } of stranded) {
    if (!isLost(states.get(workflowId))) continue;
    if (!(await transaction(dataSource, systemOf(accountId), (tx) => resumeStranded(tx, id))))
      continue;
    taken.push(id);
    log.error({ account_id: accountId, subscription_id: id }, "deliveries.stranded");
  }
  return taken;
}

/** Recovers a delivery whose run is lost, and logs the loss. */
export async function recoverDelivery(
  { dataSource, log, metrics }: Pick<ActivityDeps, "dataSource" | "log" | "metrics">,
  { id, accountId, run }: Omit<OverdueDelivery, "workflowId">,
  { atOnce = false } = {},
): ReturnType<typeof recoverLostRun> {
  const result = await transaction(dataSource, systemOf(accountId), (tx) =>
    recoverLostRun(tx, { id, run }, { atOnce }),
  );
  if (result === "unchanged") return result;
  log.error({ account_id: accountId, delivery_id: id, run, result }, "delivery.lost");
  metrics.deliveriesLost.inc({ result });
  if (result === "discarded") metrics.deliveriesFinished.inc({ state: result });
  return result;
}
