import { bytesToUuid } from "../../db/entities/columns.ts";
import type { Tx } from "../../db/transaction.ts";
import {
  deliveryStates,
  deliveryWorkflowId,
  isOpenDelivery,
  maxAttempts,
  openDeliveryStates,
  type DeliveryState,
} from "../model/delivery.ts";
import { recordDeliveryChange } from "./changes.ts";
import { discardDelivery } from "./delivery-ends.ts";
import { requestRun } from "./outbox.ts";
import { placeholders } from "./sql.ts";

/** For how long a run may be late before it is looked for (our choice). */
const patienceMs = 600_000;

/** An open delivery whose run should have acted by now. */
export interface OverdueDelivery {
  id: number;
  accountId: number;
  run: number;
  /** Null where it was never told to Temporal. */
  workflowId: string | null;
}

/** When the run of an open delivery has to act: at its next attempt or discard, or just after its last step. */
const dueAt = `IF(d.state = 'waiting', COALESCE(d.discard_at, d.next_attempt_at, d.updated_at), d.updated_at)`;

/** The open states as rows: joined to them, each account's index is read at its open rows alone. */
const openStates = `JSON_TABLE('${JSON.stringify(openDeliveryStates)}', '$[*]'
  COLUMNS (state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin PATH '$'))`;

/**
 * Open deliveries of all accounts with an id above `after` whose run is 10 minutes late, by their ids.
 * Those that are still in the outbox count as such too; see `listInOutbox`.
 */
export async function listOverdue(
  tx: Tx,
  after: number,
  limit: number,
): Promise<OverdueDelivery[]> {
  const rows = await tx.manager.query<
    { id: number; account_id: number; run: number; workflow_id: string | null }[]
  >(
    `SELECT d.id, d.account_id, d.run, d.workflow_id
       FROM accounts a
       STRAIGHT_JOIN ${openStates} AS o
       STRAIGHT_JOIN deliveries d FORCE INDEX (deliveries_state)
          ON d.account_id = a.id AND d.state = o.state AND d.id > ?
      WHERE ${dueAt} < ? ORDER BY d.id LIMIT ?`,
    [after, new Date(tx.now.getTime() - patienceMs), limit],
  );
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    run: row.run,
    workflowId: row.workflow_id,
  }));
}

/** Which of these deliveries Temporal has yet to be told of. */
export async function listInOutbox(tx: Tx, deliveryIds: number[]): Promise<Set<number>> {
  const rows = await tx.manager.query<{ delivery_id: number }[]>(
    `SELECT DISTINCT delivery_id FROM outbox WHERE delivery_id IN (${placeholders(deliveryIds)})`,
    deliveryIds,
  );
  return new Set(rows.map(({ delivery_id }) => delivery_id));
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
 * @returns `unchanged` where the delivery has moved on since it was found.
 */
export async function takeUpLost(
  tx: Tx,
  { id, run }: { id: number; run: number },
): Promise<"restarted" | "discarded" | "unchanged"> {
  const [row] = await tx.manager.query<LostRow[]>(
    `SELECT d.event_id, d.subscription_id, d.run, d.state, d.discard_at, ${dueAt} < ? AS overdue, s.url
       FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
      WHERE d.id = ? FOR UPDATE OF d`,
    [new Date(tx.now.getTime() - patienceMs), id],
  );
  // The outbox needs no second look: a row comes into it with a new run alone.
  if (row === undefined || row.run !== run || !isOpenDelivery(row.state)) return "unchanged";
  if (row.overdue !== 1) return "unchanged";
  if (row.state === "waiting" && row.discard_at !== null) {
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
