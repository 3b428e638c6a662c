import { Replay } from "../../../db/entities/replay.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ReplayBatch } from "../../model/replay.ts";
import type { SubscriptionState } from "../../model/subscription.ts";
import { recordDeliveryChange } from "../outbox/changes.ts";
import { queueNextRun, type RunFacts } from "./delivery-runs.ts";
import { placeholders } from "../sql.ts";

/** Limits of one batch. */
export interface BatchBounds {
  /** Maximum number of deliveries to send again. */
  size: number;
  /** Maximum number of the subscription's deliveries to read. */
  looks: number;
}

/**
 * Queues the next run of some deliveries that a replay covers. Moves the replay's cursor past all
 * deliveries that the batch read. Both happen in one transaction, so that a crash neither repeats a
 * batch nor leaves one out. A batch without a match moves the cursor too. A run that is no longer
 * current does nothing. A replay whose subscription is not active is paused.
 */
export async function replayBatch(
  tx: Tx,
  { replayId, run }: { replayId: number; run: number },
  bounds: BatchBounds,
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
  const { ids, through } = await listNext(tx, replay, bounds);
  const rows = ids.length === 0 ? [] : await lock(tx, replay, ids);
  const fit = rows.filter(({ erased }) => erased === 0);
  for (const row of fit) await queueNextRun(tx, row);
  if (fit.length > 0) {
    await recordDeliveryChange(tx, { subscriptionId: replay.subscriptionId });
  }
  const queued = replay.queued + fit.length;
  const passedOver = replay.passedOver + rows.length - fit.length;
  const ended = { state: "completed", totalAtLeast: false, finishedAt: tx.now } as const;
  return await store(tx, replay, {
    cursorId: through,
    queued,
    passedOver,
    // A replay may cover more than the draft counted, where there were too many to count.
    total: Math.max(replay.total, queued + passedOver),
    ...(through >= replay.newestId ? ended : {}),
  });
}

/**
 * Deliveries in one of the states, read without locks, because most of the rows may have arrived.
 * @returns `through`: highest id up to which all deliveries have been read.
 */
async function listNext(
  tx: Tx,
  replay: Replay,
  { size, looks }: BatchBounds,
): Promise<{ ids: number[]; through: number }> {
  const { accountId, subscriptionId, cursorId, newestId, states, since } = replay;
  const ahead = `FROM deliveries FORCE INDEX (deliveries_subscription)
      WHERE account_id = ? AND subscription_id = ? AND id > ? AND id <= ?`;
  const own = [accountId, subscriptionId, cursorId];
  const [edge] = await tx.manager.query<{ id: number }[]>(
    `SELECT id ${ahead} ORDER BY id LIMIT 1 OFFSET ?`,
    [...own, newestId, looks - 1],
  );
  const end = edge?.id ?? newestId;
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id ${ahead} AND state IN (${placeholders(states)}) AND created_at >= ? ORDER BY id LIMIT ?`,
    [...own, end, ...states, since ?? new Date(0), size],
  );
  const ids = rows.map(({ id }) => id);
  return { ids, through: rows.length < size ? end : (ids.at(-1) ?? end) };
}

/**
 * Locks the deliveries that are still in one of the states. A delivery that was sent again
 * meanwhile is left out. The order of the join is fixed. MySQL would begin with events where it
 * estimates few of them, as in a young installation.
 */
async function lock(
  tx: Tx,
  { states }: Replay,
  ids: number[],
): Promise<(RunFacts & { erased: number })[]> {
  return await tx.manager.query(
    `SELECT STRAIGHT_JOIN d.id, d.account_id, d.event_id, d.subscription_id, d.state, d.run, s.url,
            s.max_concurrency, e.body IS NULL AS erased
       FROM deliveries d FORCE INDEX (PRIMARY)
       JOIN subscriptions s ON s.id = d.subscription_id
       JOIN events e FORCE INDEX (PRIMARY) ON e.id = d.event_id
      WHERE d.id IN (${placeholders(ids)}) AND d.state IN (${placeholders(states)})
      ORDER BY d.id FOR UPDATE OF d`,
    [...ids, ...states],
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
