import { bytesToUuid } from "../../../db/entities/columns.ts";
import { Subscription } from "../../../db/entities/subscription.ts";
import type { Tx } from "../../../db/transaction.ts";
import { minuteMs } from "../../model/durations.ts";
import {
  canChangeDelivery,
  deliveryStates,
  deliveryWorkflowId,
  isOpenDelivery,
  maxAttempts,
  openDeliveryStates,
  type DeliveryState,
} from "../../model/workflow/delivery.ts";
import { recordDeliveryChange } from "../outbox/changes.ts";
import { discardDelivery } from "./delivery-ends.ts";
import { setDeliveryState } from "./delivery-state.ts";
import { listPendingRuns, requestRun } from "../outbox/outbox.ts";
import { placeholders } from "../sql.ts";
import {
  followUpId,
  requestFollowUp,
  type FollowedUp,
} from "../subscriptions/subscription-state.ts";

/** Minimum lateness of a lost run: longer than the longest wait of a message. */
export const lateAfterMs = 10 * minuteMs;

/** An open delivery whose run should have acted by now. */
export interface OverdueDelivery {
  id: number;
  accountId: number;
  run: number;
  /** Null where Temporal never knew the delivery. */
  workflowId: string | null;
}

/** A subscription whose deliveries should have continued, or ended, by now. */
export interface StrandedSubscription {
  id: number;
  accountId: number;
  /** Workflow id of the run that has to do this. */
  workflowId: string;
}

/**
 * Time at which the run of an open delivery has to act: at its next attempt or discard, or just
 * after its last step.
 */
const dueAt = `IF(d.state = 'waiting', COALESCE(d.discard_at, d.next_attempt_at, d.updated_at), d.updated_at)`;

/** Overdue runs among the deliveries of one page. */
export interface OverduePage {
  late: OverdueDelivery[];
  /** Subscriptions that have been in their state for 10 minutes, with stranded deliveries. */
  stranded: StrandedSubscription[];
  /** Highest id up to which all have been checked; null after the last page. */
  through: number | null;
}

/**
 * Reads the next `looks` open and held deliveries of all accounts above the id `after`, ordered by
 * id. Finds up to `size` deliveries whose run is 10 minutes late. Finds subscriptions with stranded
 * deliveries too. Deliveries that are still in the outbox count as late; see `listInOutbox`.
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
 * Subscriptions with stranded deliveries: held although the subscription is active or deleted, or
 * open although it is not active. The run that had to apply the state was lost, or ran a moment too
 * early for some deliveries.
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
 * Open and held deliveries in the order of their ids, from the index alone. The index has this
 * order within an account and a state. So the next ids of each group are read and merged, and no
 * checked delivery is read again.
 */
async function listUnfinished(tx: Tx, after: number, looks: number): Promise<Unfinished[]> {
  const groups = await tx.manager.query<{ account_id: number; state: DeliveryState }[]>(
    "SELECT DISTINCT account_id, state FROM deliveries FORCE INDEX (deliveries_state)",
  );
  const unfinished = groups.filter(({ state }) => isOpenDelivery(state) || state === "held");
  let found: Unfinished[] = [];
  for (let from = 0; from < unfinished.length; from += groupsAtOnce) {
    const some = unfinished.slice(from, from + groupsAtOnce);
    // Once `looks` deliveries are found, only ids below the last of them are useful.
    const before = found.length < looks ? Number.MAX_SAFE_INTEGER : (found.at(-1)?.id ?? 0);
    const more = await listUnfinishedOf(tx, some, { after, before, looks });
    found = [...found, ...more].toSorted((a, b) => a.id - b.id).slice(0, looks);
  }
  return found;
}

/**
 * Groups per statement. Each group adds a branch, and thousands of accounts would make a statement
 * of megabytes.
 */
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

/** Deliveries that still have a row in the outbox. */
export async function listInOutbox(tx: Tx, deliveryIds: number[]): Promise<Set<number>> {
  const rows = await tx.manager.query<{ delivery_id: number }[]>(
    `SELECT DISTINCT delivery_id FROM outbox WHERE delivery_id IN (${placeholders(deliveryIds)})`,
    deliveryIds,
  );
  return new Set(rows.map(({ delivery_id }) => delivery_id));
}

/**
 * Requests the run again that applies a subscription's state to its deliveries.
 * @returns false where the subscription is gone, or the outbox still has that request, or may have
 *   it
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
  first_number: number;
  attempts_made: number;
  state: DeliveryState;
  discard_at: Date | null;
  overdue: number;
  url: string;
  max_concurrency: number | null;
}

/**
 * Recovers a delivery whose run Temporal has lost. A new run continues at the number that is due,
 * with the same event and bytes. In the last wait no attempt is left, so the delivery is discarded.
 * @param atOnce a person wants an attempt now: skips every wait, and repeats the last number if no
 *   other is left
 * @returns `unchanged` where the delivery has changed since it was found.
 */
export async function recoverLostRun(
  tx: Tx,
  { id, run }: { id: number; run: number },
  { atOnce = false } = {},
): Promise<"restarted" | "discarded" | "unchanged"> {
  const [row] = await tx.manager.query<LostRow[]>(
    `SELECT d.event_id, d.subscription_id, d.run, d.first_number, d.attempts_made, d.state, d.discard_at,
            ${dueAt} < ? AS overdue, s.url, s.max_concurrency
       FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
      WHERE d.id = ? FOR UPDATE OF d`,
    [new Date(tx.now.getTime() - lateAfterMs), id],
  );
  // The outbox needs no second check: only a new run adds a row to it.
  if (row === undefined || row.run !== run || !canChangeDelivery(row.state, "recover")) {
    return "unchanged";
  }
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
  const number = Math.min(row.first_number + row.attempts_made, maxAttempts);
  await setDeliveryState(tx, [id], { trigger: "recover", run, number, workflowId });
  await requestRun(tx, { ...row, id, account_id: accountId }, run);
  await recordDeliveryChange(tx, { deliveryId: id });
}

/** Number of deliveries in all accounts, in total and by state. */
export interface DeliveryCounts {
  created: number;
  /** The sum is `created`, unless a delivery has an unknown state. */
  states: Record<DeliveryState, number>;
}

/**
 * Time limit of a count: enough for some fifteen million deliveries. The limit is below the time
 * that a worker's pool waits for an answer. So MySQL ends the statement before the pool ends the
 * connection.
 */
const countMs = 5_000;

/**
 * Counts all deliveries by one scan of an index in its order: 0.3 s for a million. Grouping by
 * state alone, against the order of the index, took a second.
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
