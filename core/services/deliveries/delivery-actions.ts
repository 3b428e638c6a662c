import type { Tx } from "../../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import { isFinishedDelivery } from "../../model/workflow/delivery.ts";
import type { SubscriptionState } from "../../model/subscription.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordDeliveryChange } from "../outbox/changes.ts";
import { queueNextRun, type RunFacts } from "./delivery-runs.ts";
import { setDeliveryState } from "./delivery-state.ts";
import { signalDelivery } from "../outbox/outbox.ts";

const audit = auditOf("delivery");

const notActive =
  "Its subscription is not active, or has yet to take up what was held. Make it active first.";

interface ActionFacts extends RunFacts {
  attempts_made: number;
  workflow_id: string | null;
  subscription_state: SubscriptionState;
  erased: number;
}

/**
 * Asks the run of an open delivery to post its next number now. While an attempt is under way, that
 * attempt counts as the retry.
 * @throws AppError `delivery_not_found`, `delivery_finished`, `subscription_not_active`
 */
export async function retryDelivery(tx: Tx, id: number, reason?: string): Promise<void> {
  const row = await lockOwn(tx, id);
  requireUnfinished(row);
  requireActive(row);
  await signalDelivery(tx, row, { signal: "retryNow", attemptsMade: row.attempts_made });
  await recordAudit(tx, audit("retried", id, { run: row.run, reason }));
}

/**
 * Ends an open or held delivery as `cancelled`. A POST under way keeps its outcome in the log, and
 * a success no longer changes the delivery. The signal only wakes a sleeping run.
 * @throws AppError `delivery_not_found`, `delivery_finished`
 */
export async function cancelByOperator(tx: Tx, id: number, reason: string): Promise<void> {
  const row = await lockOwn(tx, id);
  requireUnfinished(row);
  await setDeliveryState(tx, [id], { trigger: "cancel", reason: "cancelled_by_operator" });
  await recordDeliveryChange(tx, { deliveryId: id });
  // A delivery that was held from its creation has no run to wake.
  if (row.workflow_id !== null) await signalDelivery(tx, row, { signal: "cancel" });
  await recordAudit(tx, audit("cancelled", id, { run: row.run, reason }));
}

/**
 * Sends a finished delivery again: the same event id and bytes, in a new run with attempts 1 to 6.
 * @throws AppError `delivery_not_found`, `delivery_open`, `event_erased`, `subscription_not_active`
 */
export async function redeliver(tx: Tx, id: number, reason?: string): Promise<void> {
  const row = await lockOwn(tx, id);
  requireActive(row);
  if (!isFinishedDelivery(row.state)) {
    throw new AppError("delivery_open", {
      message: `This delivery is ${row.state}: it is not over yet.`,
    });
  }
  if (row.erased === 1) {
    throw new AppError("event_erased");
  }
  const run = await queueNextRun(tx, row);
  await recordDeliveryChange(tx, { deliveryId: id });
  await recordAudit(tx, audit("redelivered", id, { run, reason }));
}

async function lockOwn(tx: Tx, id: number): Promise<ActionFacts> {
  const rows = await tx.manager.query<ActionFacts[]>(
    `SELECT d.id, d.account_id, d.event_id, d.subscription_id, d.state, d.run, d.attempts_made,
            d.workflow_id, s.url, s.max_concurrency, s.state AS subscription_state, e.body IS NULL AS erased
       FROM deliveries d
       JOIN subscriptions s ON s.id = d.subscription_id
       JOIN events e ON e.id = d.event_id
      WHERE d.id = ? AND d.account_id = ? FOR UPDATE OF d`,
    [id, tx.actor.accountId],
  );
  const row = rows[0];
  if (row === undefined) throw notFound("delivery");
  return row;
}

function requireUnfinished({ state }: ActionFacts): void {
  if (!isFinishedDelivery(state)) return;
  throw new AppError("delivery_finished", {
    message: `This delivery is ${state}. Redeliver it instead.`,
  });
}

/** Without an active subscription a new run would only hold or end the delivery. */
function requireActive({ state: own, subscription_state: state }: ActionFacts): void {
  if (state === "active" && own !== "held") return;
  throw new AppError("subscription_not_active", { message: notActive });
}
