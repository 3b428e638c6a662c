import { Subscription } from "../../../db/entities/subscription.ts";
import type { Tx } from "../../../db/transaction.ts";
import { recordNotification } from "../notifications/notifications.ts";
import { changeSubscriptionState, type DisabledReason } from "./subscription-state.ts";
import { hourMs } from "../../model/durations.ts";

/** An attempt that failed, on a delivery that is still open. */
export interface ReceiverFailure {
  subscriptionId: number;
  eventId: Buffer;
  statusCode: number | null;
}

interface Health {
  failing_since: Date;
  last_failed_at: Date;
  gone_event_id: Buffer | null;
  /** 1 where the subscription asks to be disabled for its receiver's failures. */
  auto_disable: number;
}

/** A subscription that asks for it is disabled after failures alone for this long. Rule C58. */
const failingAfterMs = 3 * 24 * hourMs;
/**
 * A receiver without a failed attempt for this long starts over. The time is longer than any wait
 * between two attempts of one delivery.
 */
const forgottenMs = 24 * hourMs;
const gone = 410;

/**
 * Records a failure of a receiver. 410 on two events in a row, or three days of failures alone,
 * disable a subscription that asks for it (rule C58). Any other subscription keeps the six attempts
 * of each event. A row is written on changes alone, and once an hour. So the many failures of a
 * dead receiver do not queue for the lock of one row.
 */
export async function recordFailure(tx: Tx, failure: ReceiverFailure): Promise<void> {
  const { subscriptionId, eventId } = failure;
  const goneEventId = failure.statusCode === gone ? eventId : null;
  const [health] = await tx.manager.query<Health[]>(
    `SELECT h.failing_since, h.last_failed_at, h.gone_event_id, s.auto_disable FROM subscription_health h
       JOIN subscriptions s ON s.id = h.subscription_id WHERE h.subscription_id = ?`,
    [subscriptionId],
  );
  if (health === undefined) {
    await tx.manager.query(
      `INSERT IGNORE INTO subscription_health
         (subscription_id, account_id, failing_since, last_failed_at, gone_event_id) VALUES (?, ?, ?, ?, ?)`,
      [subscriptionId, tx.actor.accountId, tx.now, tx.now, goneEventId],
    );
    return;
  }
  const silentMs = tx.now.getTime() - health.last_failed_at.getTime();
  const failingSince = silentMs >= forgottenMs ? tx.now : health.failing_since;
  const reason = reasonToDisable({ ...health, failing_since: failingSince }, goneEventId, tx.now);
  if (reason !== null) return await disable(tx, subscriptionId, reason, failingSince);
  const goneChanged = (health.gone_event_id === null) !== (goneEventId === null);
  if (!goneChanged && silentMs < hourMs) return;
  await tx.manager.query(
    `UPDATE subscription_health SET failing_since = ?, last_failed_at = ?, gone_event_id = ?
      WHERE subscription_id = ?`,
    [failingSince, tx.now, goneEventId, subscriptionId],
  );
}

function reasonToDisable(
  { failing_since, gone_event_id: before, auto_disable }: Health,
  goneEventId: Buffer | null,
  now: Date,
): DisabledReason | null {
  if (auto_disable === 0) return null;
  if (goneEventId !== null && before !== null && !before.equals(goneEventId)) {
    return "receiver_gone";
  }
  return now.getTime() - failing_since.getTime() >= failingAfterMs ? "only_failures" : null;
}

async function disable(
  tx: Tx,
  id: number,
  reason: DisabledReason,
  failingSince: Date,
): Promise<void> {
  const row = await tx.manager.findOne(Subscription, {
    where: { id, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
  if (row?.state !== "active" || !row.autoDisable) return;
  await changeSubscriptionState(tx, row, "disabled", { disabledReason: reason });
  await recordNotification(tx, {
    kind: "subscription_disabled",
    params: {
      subscription_name: row.name,
      reason,
      failing_since: failingSince.toISOString(),
    },
    dedupeKey: `disabled:${id}:${row.version}`,
    groupKey: `disabled:${id}`,
    deliveryId: null,
    subscriptionId: id,
  });
}
