import { Replay } from "../../db/entities/replay.ts";
import type { Tx } from "../../db/transaction.ts";
import type { ReplayBatch } from "../model/replay.ts";
import type { SubscriptionState } from "../model/subscription.ts";
import { recordDeliveryChange } from "./changes.ts";
import { queueNextRun, type RunFacts } from "./delivery-runs.ts";
import { placeholders } from "./sql.ts";

/**
 * Queues the next run of up to `limit` deliveries that a replay covers, and moves its cursor on in
 * the same transaction: a crash neither repeats a batch nor leaves one out. Nothing happens in a run
 * that is no longer the current one. A replay whose subscription is not active is paused.
 */
export async function replayBatch(
  tx: Tx,
  { replayId, run }: { replayId: number; run: number },
  limit: number,
): Promise<ReplayBatch> {
  const replay = await tx.manager.findOne(Replay, {
    where: { id: replayId, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
  if (replay === null || replay.run !== run || replay.state !== "running") return stopped(replay);
  const [subscription] = await tx.manager.query<{ state: SubscriptionState }[]>(
    "SELECT state FROM subscriptions WHERE id = ?",
    [replay.subscriptionId],
  );
  if (subscription?.state !== "active") return await store(tx, replay, { state: "paused" });
  const rows = await lockNext(tx, replay, limit);
  const fit = rows.filter(({ erased }) => erased === 0);
  for (const row of fit) await queueNextRun(tx, row);
  if (fit.length > 0) {
    await recordDeliveryChange(tx, { subscriptionId: replay.subscriptionId });
  }
  const isLast = rows.length < limit;
  return await store(tx, replay, {
    cursorId: rows.at(-1)?.id ?? replay.cursorId,
    queued: replay.queued + fit.length,
    passedOver: replay.passedOver + rows.length - fit.length,
    ...(isLast ? { state: "completed" as const, finishedAt: tx.now } : {}),
  });
}

/**
 * Those that are in one of the states now: a delivery that was sent again meanwhile is left out. In
 * this order of joining, because MySQL would begin with events where it takes them for few, as in a
 * young installation, and then sort, and so lock, all deliveries of the replay.
 */
async function lockNext(
  tx: Tx,
  replay: Replay,
  limit: number,
): Promise<(RunFacts & { erased: number })[]> {
  return await tx.manager.query(
    `SELECT STRAIGHT_JOIN d.id, d.account_id, d.event_id, d.subscription_id, d.state, d.run, s.url, e.body IS NULL AS erased
       FROM deliveries d FORCE INDEX (deliveries_subscription)
       JOIN subscriptions s ON s.id = d.subscription_id
       JOIN events e FORCE INDEX (PRIMARY) ON e.id = d.event_id
      WHERE d.account_id = ? AND d.subscription_id = ? AND d.id > ? AND d.id <= ?
        AND d.state IN (${placeholders(replay.states)}) AND d.created_at >= ?
      ORDER BY d.id LIMIT ? FOR UPDATE OF d`,
    [
      replay.accountId,
      replay.subscriptionId,
      replay.cursorId,
      replay.newestId,
      ...replay.states,
      replay.since ?? new Date(0),
      limit,
    ],
  );
}

async function store(tx: Tx, replay: Replay, changed: Partial<Replay>): Promise<ReplayBatch> {
  await tx.manager.update(Replay, replay.id, { ...changed, updatedAt: tx.now });
  const { state, queued, total } = Object.assign(replay, changed);
  return { done: state !== "running", state, queued, total };
}

function stopped(replay: Replay | null): ReplayBatch {
  const { state, queued, total } = replay ?? { state: "cancelled" as const, queued: 0, total: 0 };
  return { done: true, state, queued, total };
}
