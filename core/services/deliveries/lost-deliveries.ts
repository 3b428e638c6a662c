import { bytesToUuid } from "../../../db/entities/columns.ts";
import { Subscription } from "../../../db/entities/subscription.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  deliveryStates,
  deliveryWorkflowId,
  isOpenDelivery,
  maxAttempts,
  openDeliveryStates,
  type DeliveryState,
} from "../../model/workflow/delivery.ts";
import { recordDeliveryChange } from "../outbox/changes.ts";
import { discardDelivery } from "./delivery-ends.ts";
import { listPendingRuns, requestRun } from "../outbox/outbox.ts";
import { placeholders } from "../sql.ts";
import {
  followUpId,
  requestFollowUp,
  type FollowedUp,
} from "../subscriptions/subscription-state.ts";

/** For how long a run may be late before it is looked for (our choice). */
const lateAfterMs = 600_000;

/** An open delivery whose run should have acted by now. */
export interface OverdueDelivery {
  id: number;
  accountId: number;
  run: number;
  /** Null where it was never told to Temporal. */
  workflowId: string | null;
}

/** A subscription whose deliveries should have gone on, or ended, by now. */
export interface StrandedSubscription {
  id: number;
  accountId: number;
  /** Of the run that has to do it. */
  workflowId: string;
}

/** When the run of an open delivery has to act: at its next attempt or discard, or just after its last step. */
const dueAt = `IF(d.state = 'waiting', COALESCE(d.discard_at, d.next_attempt_at, d.updated_at), d.updated_at)`;

/** What is late among the deliveries that were looked at. */
export interface OverduePage {
  late: OverdueDelivery[];
  /** Subscriptions that have been in their state for 10 minutes, with deliveries that do not fit it. */
  stranded: StrandedSubscription[];
  /** Up to which id all have been looked at; null when there are no more. */
  through: number | null;
}

/**
 * Looks at the next `looks` open and held deliveries of all accounts with an id above `after`, by their
 * ids, for up to `size` whose run is 10 minutes late, and for those that do not fit the state of their
 * subscription. Those that are still in the outbox count as late too; see `listInOutbox`.
 */
export async function listOverdue(
  tx: Tx,
  after: number,
  { size, looks }: { size: number; looks: number },
): Promise<OverduePage> {
  const unfinished = await listUnfinished(tx, after, looks);
  if (unfinished.length === 0) return { late: [], stranded: [], through: null };
  const stranded = await listStranded(tx, unfinished);
  const late = await listLate(tx, unfinished, size);
  if (late.length === size) return { late, stranded, through: late.at(-1)?.id ?? null };
  const through = unfinished.length < looks ? null : (unfinished.at(-1)?.id ?? null);
  return { late, stranded, through };
}

async function listLate(
  tx: Tx,
  unfinished: readonly Unfinished[],
  size: number,
): Promise<OverdueDelivery[]> {
  const ids = unfinished.filter(({ state }) => state !== "held").map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await tx.manager.query<
    { id: number; account_id: number; run: number; workflow_id: string | null }[]
  >(
    `SELECT d.id, d.account_id, d.run, d.workflow_id FROM deliveries d FORCE INDEX (PRIMARY)
      WHERE d.id IN (${placeholders(ids)}) AND d.state IN (${placeholders(openDeliveryStates)})
        AND ${dueAt} < ? ORDER BY d.id LIMIT ?`,
    [...ids, ...openDeliveryStates, new Date(tx.now.getTime() - lateAfterMs), size],
  );
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    run: row.run,
    workflowId: row.workflow_id,
  }));
}

/**
 * What is held though its subscription is active or deleted, and what is open though it is not active:
 * the run that had to see to it was lost, or came a moment too early for some.
 */
async function listStranded(
  tx: Tx,
  unfinished: readonly Unfinished[],
): Promise<StrandedSubscription[]> {
  const before = new Date(tx.now.getTime() - lateAfterMs);
  const rows = await tx.manager.query<FollowedUp[]>(
    `SELECT DISTINCT s.id, s.account_id AS accountId, s.state, s.state_version AS stateVersion
       FROM deliveries d FORCE INDEX (PRIMARY) JOIN subscriptions s ON s.id = d.subscription_id
      WHERE d.id IN (${placeholders(unfinished)}) AND d.updated_at < ? AND s.updated_at < ?
        AND (d.state = 'held' AND s.state IN ('active', 'deleted')
          OR d.state IN (${placeholders(openDeliveryStates)}) AND s.state <> 'active')`,
    [...unfinished.map(({ id }) => id), before, before, ...openDeliveryStates],
  );
  return rows.map((row) => {
    return { id: row.id, accountId: row.accountId, workflowId: followUpId(row) };
  });
}

interface Unfinished {
  id: number;
  state: DeliveryState;
}

/**
 * Open and held deliveries by their ids, from the index alone. It has them in that order within an account
 * and a state, so the next ones of each are read and put together: what has been looked at is not read
 * again.
 */
async function listUnfinished(tx: Tx, after: number, looks: number): Promise<Unfinished[]> {
  const groups = await tx.manager.query<{ account_id: number; state: DeliveryState }[]>(
    "SELECT DISTINCT account_id, state FROM deliveries FORCE INDEX (deliveries_state)",
  );
  const unfinished = groups.filter(({ state }) => isOpenDelivery(state) || state === "held");
  let found: Unfinished[] = [];
  for (let from = 0; from < unfinished.length; from += groupsAtOnce) {
    const some = unfinished.slice(from, from + groupsAtOnce);
    // Where there are enough already, only those before the last of them are of any use.
    const before = found.length < looks ? Number.MAX_SAFE_INTEGER : (found.at(-1)?.id ?? 0);
    const more = await listUnfinishedOf(tx, some, { after, before, looks });
    found = [...found, ...more].toSorted((a, b) => a.id - b.id).slice(0, looks);
  }
  return found;
}

/** A statement has a branch for each group, and thousands of accounts would make it one of megabytes. */
const groupsAtOnce = 100;

async function listUnfinishedOf(
  tx: Tx,
  groups: readonly { account_id: number; state: DeliveryState }[],
  { after, before, looks }: { after: number; before: number; looks: number },
): Promise<Unfinished[]> {
  const next = `(SELECT id, state FROM deliveries FORCE INDEX (deliveries_state)
      WHERE account_id = ? AND state = ? AND id > ? AND id < ? ORDER BY id LIMIT ?)`;
  return await tx.manager.query<Unfinished[]>(
    `SELECT id, state FROM (${groups.map(() => next).join(" UNION ALL ")}) AS ahead ORDER BY id LIMIT ?`,
    [...groups.flatMap(({ account_id: id, state }) => [id, state, after, before, looks]), looks],
  );
}

/** Which of these deliveries Temporal has yet to be told of. */
export async function listInOutbox(tx: Tx, deliveryIds: number[]): Promise<Set<number>> {
  const rows = await tx.manager.query<{ delivery_id: number }[]>(
    `SELECT DISTINCT delivery_id FROM outbox WHERE delivery_id IN (${placeholders(deliveryIds)})`,
    deliveryIds,
  );
  return new Set(rows.map(({ delivery_id }) => delivery_id));
}

/**
 * Asks once more for the run that brings the deliveries of a subscription to its state.
 * @returns false where the outbox still has that request, or may have it
 */
export async function resumeStranded(tx: Tx, subscriptionId: number): Promise<boolean> {
  const { accountId } = tx.actor;
  const row = await tx.manager.findOneBy(Subscription, { id: subscriptionId, accountId });
  if (row === null) return false;
  const pending = await listPendingRuns(tx, accountId, [followUpId(row)]);
  if (pending === null || pending.size > 0) return false;
  await requestFollowUp(tx, row, { again: true });
  return true;
}

interface LostRow {
  event_id: Buffer;
  subscription_id: number;
  run: number;
  state: DeliveryState;
  discard_at: Date | null;
  overdue: number;
  url: string;
}

/**
 * Takes up a delivery whose run Temporal has lost: a new run goes on at the number that is due, with
 * the same event and bytes; in the last wait, where no attempt is left, it is discarded.
 * @param atOnce somebody wants an attempt now, so that nothing is waited for, and the last number goes again
 * @returns `unchanged` where the delivery has moved on since it was found.
 */
export async function recoverLostRun(
  tx: Tx,
  { id, run }: { id: number; run: number },
  { atOnce = false } = {},
): Promise<"restarted" | "discarded" | "unchanged"> {
  const [row] = await tx.manager.query<LostRow[]>(
    `SELECT d.event_id, d.subscription_id, d.run, d.state, d.discard_at, ${dueAt} < ? AS overdue, s.url
       FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
      WHERE d.id = ? FOR UPDATE OF d`,
    [new Date(tx.now.getTime() - lateAfterMs), id],
  );
  // The outbox needs no second look: a row comes into it with a new run alone.
  if (row === undefined || row.run !== run || !isOpenDelivery(row.state)) return "unchanged";
  if (row.overdue !== 1 && !atOnce) return "unchanged";
  if (row.state === "waiting" && row.discard_at !== null && !atOnce) {
    await discardDelivery(tx, { deliveryId: id, run });
    return "discarded";
  }
  await startNextRun(tx, id, row);
  return "restarted";
}

async function startNextRun(tx: Tx, id: number, row: LostRow): Promise<void> {
  const { accountId } = tx.actor;
  const run = row.run + 1;
  const workflowId = deliveryWorkflowId(bytesToUuid(row.event_id), row.subscription_id, run);
  // MySQL sets columns from left to right: the number is read before the count begins anew.
  await tx.manager.query(
    `UPDATE deliveries SET run = ?, first_number = LEAST(first_number + attempts_made, ?),
            attempts_made = 0, state = 'queued', reason = NULL, via = 'workflow', next_attempt_at = NULL,
            workflow_id = ?, updated_at = ? WHERE id = ?`,
    [run, maxAttempts, workflowId, tx.now, id],
  );
  await requestRun(tx, { id, account_id: accountId, url: row.url }, run);
  await recordDeliveryChange(tx, { deliveryId: id });
}

/** How many deliveries there are, in all accounts and of each state. */
export interface DeliveryCounts {
  created: number;
  /** Adds up to `created`, or a delivery is in a state that nobody knows. */
  states: Record<DeliveryState, number>;
}

/**
 * For how long a count may read: some fifteen million deliveries (our choice). Less than a worker's pool
 * waits for an answer, so that MySQL ends the statement and not the pool the connection.
 */
const countMs = 5_000;

/**
 * Counts every delivery that is kept, by one scan of an index in its order: 0.3 s for a million. By
 * state alone, which is not its order, it took a second.
 * @throws error of MySQL after 5 s
 */
export async function countDeliveries(tx: Tx): Promise<DeliveryCounts> {
  const rows = await tx.manager.query<{ state: DeliveryState; total: number }[]>(
    `SELECT /*+ MAX_EXECUTION_TIME(${countMs}) */ state, SUM(total) AS total
       FROM (SELECT state, COUNT(*) AS total FROM deliveries FORCE INDEX (deliveries_state)
              GROUP BY account_id, state) AS own
      GROUP BY state`,
  );
  const found = new Map(rows.map(({ state, total }) => [state, Number(total)]));
  const states = Object.fromEntries(
    deliveryStates.map((state) => [state, found.get(state) ?? 0]),
  ) as Record<DeliveryState, number>;
  return { created: [...found.values()].reduce((sum, total) => sum + total, 0), states };
}
