import type { Tx } from "../../../db/transaction.ts";
import { maxAttempts } from "../../model/workflow/delivery.ts";
import type { SubscriptionState } from "../../model/subscription.ts";
import { recordDeliveryChange } from "../outbox/changes.ts";
import { queueNextRun, type RunFacts } from "./delivery-runs.ts";
import { setDeliveryStateBehind, type DeliveryStep } from "./delivery-state.ts";
import { isInWindow, nextWindow } from "./delivery-window.ts";
import { placeholders } from "../sql.ts";

/**
 * Holds up to `limit` open deliveries behind the id `after` of a subscription that is paused or
 * disabled. They keep the time of their next attempt.
 */
export async function holdOpenDeliveries(
  tx: Tx,
  subscriptionId: number,
  limit: number,
  after = 0,
): Promise<DeliveryStep> {
  const state = await lockState(tx, subscriptionId);
  if (state !== "paused" && state !== "disabled") return { changed: 0, next: null };
  const step = await setDeliveryStateBehind(
    tx,
    { subscriptionId, limit, after },
    { trigger: "hold", reason: `subscription_${state}` },
  );
  if (step.changed > 0) await recordDeliveryChange(tx, { subscriptionId });
  return step;
}

interface HeldFacts extends RunFacts {
  first_number: number;
  next_attempt_at: Date | null;
}

interface LastAttempt {
  delivery_id: number;
  number: number;
  /** Null during the attempt, and for good after a crash. */
  duration_ms: number | null;
  started_at: Date;
}

/** After this time an attempt without an outcome is no longer under way: an activity has 20 s. */
const underWayMs = 25_000;

/**
 * Resumes up to `limit` held deliveries of an active subscription, at a bounded cost. Each gets a
 * new run at the number that was next, and not before its time. A delivery whose POST is still under
 * way is left for later, because the event may yet arrive. A delivery that was held in its last wait
 * posts the last number once more.
 * @param after id of the delivery behind which the batch begins. The same id as `next` means that a
 *   POST is under way.
 */
export async function resumeHeldDeliveries(
  tx: Tx,
  subscriptionId: number,
  limit: number,
  after = 0,
): Promise<DeliveryStep> {
  if ((await lockState(tx, subscriptionId)) !== "active") return { changed: 0, next: null };
  const window = await nextWindow(tx, ["held"], after);
  const inWindow = isInWindow("d.id", window);
  const held = await tx.manager.query<HeldFacts[]>(
    `SELECT d.id, d.account_id, d.event_id, d.subscription_id, d.state, d.run, d.first_number,
            d.next_attempt_at, s.url, s.max_concurrency
       FROM deliveries d FORCE INDEX (deliveries_state)
       JOIN subscriptions s ON s.id = d.subscription_id
      WHERE d.account_id = ? AND d.state = 'held' AND ${inWindow.sql} AND d.subscription_id = ?
      ORDER BY d.id LIMIT ? FOR UPDATE OF d`,
    [tx.actor.accountId, ...inWindow.values, subscriptionId, limit],
  );
  const attempts = await readLastAttempts(tx, held);
  const ready = held.filter(({ id }) => !isUnderWay(attempts.get(id), tx.now));
  for (const row of ready) {
    const at = row.next_attempt_at;
    const number = nextNumber(row, attempts.get(row.id));
    await queueNextRun(tx, row, { number, at: at !== null && at > tx.now ? at : null });
  }
  if (ready.length > 0) await recordDeliveryChange(tx, { subscriptionId });
  const changed = ready.length;
  // The next batch looks again at the first delivery that was left for later.
  const left = held.findIndex((row) => !ready.includes(row));
  if (left !== -1) return { changed, next: held[left - 1]?.id ?? after };
  return { changed, next: held.length < limit ? window.through : (held.at(-1)?.id ?? null) };
}

/**
 * A shared lock, so that the state does not change during a batch, and batches do not block each
 * other.
 */
async function lockState(tx: Tx, subscriptionId: number): Promise<SubscriptionState | null> {
  const [row] = await tx.manager.query<{ state: SubscriptionState }[]>(
    "SELECT state FROM subscriptions WHERE id = ? AND account_id = ? FOR SHARE",
    [subscriptionId, tx.actor.accountId],
  );
  return row?.state ?? null;
}

async function readLastAttempts(tx: Tx, held: HeldFacts[]): Promise<Map<number, LastAttempt>> {
  if (held.length === 0) return new Map();
  const ids = held.map(({ id }) => id);
  const rows = await tx.manager.query<LastAttempt[]>(
    `SELECT d.id AS delivery_id, a.number, a.duration_ms, a.started_at
       FROM deliveries d
       JOIN LATERAL (SELECT number, duration_ms, started_at FROM delivery_attempts
                      WHERE delivery_id = d.id AND run = d.run ORDER BY seq DESC LIMIT 1) a
      WHERE d.id IN (${placeholders(ids)})`,
    ids,
  );
  return new Map(rows.map((row) => [row.delivery_id, row]));
}

function isUnderWay(last: LastAttempt | undefined, now: Date): boolean {
  if (last === undefined || last.duration_ms !== null) return false;
  return now.getTime() - last.started_at.getTime() < underWayMs;
}

/** An attempt without an outcome was lost in a crash, so its number is used again. */
function nextNumber({ first_number }: HeldFacts, last: LastAttempt | undefined): number {
  if (last === undefined) return first_number;
  return last.duration_ms === null ? last.number : Math.min(last.number + 1, maxAttempts);
}
