import type { HostLimiter } from "../../activities/limits/host-limiter.ts";
import type { LimitedSubscription } from "../../activities/limits/subscription-limiter.ts";
import { hasHost } from "../../core/model/partition-key.ts";
import {
  moveToSubscriptionPartition,
  type ClaimedRow,
} from "../../core/services/outbox/outbox-claims.ts";
import type { Tx } from "../../db/transaction.ts";

/** The subscription of a claimed row whose run may make an attempt here; null for every other row. */
export function subscriptionOf(row: ClaimedRow): LimitedSubscription | null {
  const { kind, partition_key: key, subscription_id: id, max_concurrency: maxConcurrency } = row;
  return kind === "delivery" && hasHost(key) && id !== null ? { id, maxConcurrency } : null;
}

/**
 * Splits claimed rows by the limits of their subscriptions. A row is beyond where the limit is newer
 * than the row, or was lowered.
 */
export function splitByLimits(
  { availableOf }: Pick<HostLimiter, "availableOf">,
  rows: readonly ClaimedRow[],
): { within: ClaimedRow[]; beyond: ClaimedRow[] } {
  const left = new Map<number, number>();
  const within: ClaimedRow[] = [];
  const beyond: ClaimedRow[] = [];
  for (const row of rows) {
    const subscription = subscriptionOf(row);
    const room =
      subscription === null ? 1 : (left.get(subscription.id) ?? availableOf(subscription));
    if (subscription !== null) left.set(subscription.id, room - 1);
    (room > 0 ? within : beyond).push(row);
  }
  return { within, beyond };
}

/** Frees rows beyond the limits of their subscriptions, each in the partition of its subscription. */
export async function freeRowsBeyondLimits(tx: Tx, rows: readonly ClaimedRow[]): Promise<void> {
  const ids = new Map<number, number[]>();
  for (const { id, subscription_id: subscriptionId } of rows) {
    if (subscriptionId === null) continue;
    ids.set(subscriptionId, [...(ids.get(subscriptionId) ?? []), id]);
  }
  for (const [subscriptionId, own] of ids) {
    await moveToSubscriptionPartition(tx, subscriptionId, own);
  }
}
