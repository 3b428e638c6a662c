import { bytesToUuid } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import { placeholders, unlessTooLong } from "../sql.ts";
import { deliveryWorkflowId, type DeliveryState } from "../../model/workflow/delivery.ts";
import type { EventType } from "../../model/event-types.ts";
import {
  requestPartitionSql,
  subscriptionPartitionSql,
  temporalPartitionSql,
} from "../../model/partition-key.ts";
import type { OutboxCommand } from "../../model/workflow/workflow-command.ts";

/** A row that this process alone may act on until the lease ends. */
export interface ClaimedRow {
  id: number;
  account_id: number;
  kind: "delivery" | "request";
  partition_key: string;
  attempts: number;
  /**
   * True where another process held the row until its lease ended: that process died or lost the
   * row.
   */
  taken_over: boolean;
  command: OutboxCommand | null;
  delivery_id: number | null;
  /** The run that the row asks for; null on requests, and on rows older than this column. */
  asked_run: number | null;
  /** The remaining fields are the state of the delivery; null on requests that name none. */
  run: number | null;
  first_number: number | null;
  state: DeliveryState | null;
  via: "workflow" | "relay" | null;
  attempts_made: number | null;
  next_attempt_at: Date | null;
  discard_at: Date | null;
  last_status_code: number | null;
  last_error_class: string | null;
  /** Set also where the run has no workflow yet, as during an attempt by the relay. */
  workflow_id: string | null;
  subscription_id: number | null;
  /** Limit of the subscription itself; null: it has none. */
  max_concurrency: number | null;
  event_type: EventType | null;
  conversation_id: number | null;
}

/** Lease of a claim, in seconds. After that the rows of a dead relay are free again. */
const leaseSeconds = 10;
/**
 * Longer than an attempt of 8 s and its two writes. Until then no other relay makes the same
 * attempt.
 */
const attemptLeaseSeconds = 25;

/** Most rows of a partition to claim. */
export interface PartitionQuota {
  key: string;
  limit: number;
}

/** A partition of the outbox. */
export interface OutboxPartition {
  key: string;
  /** Time since its oldest row became due, in milliseconds; negative where it becomes due later. */
  ageMs: number;
}

/**
 * Lists all partitions, also those whose rows are leased or wait for their time. Reads one index entry
 * for each partition, whatever its length.
 */
export async function listPartitions(tx: Tx): Promise<OutboxPartition[]> {
  const partitions = await tx.manager.query<{ partition_key: string; age_us: number }[]>(
    `SELECT lane AS partition_key, TIMESTAMPDIFF(MICROSECOND, MIN(available_at), UTC_TIMESTAMP(3)) AS age_us
       FROM outbox FORCE INDEX (outbox_lane) GROUP BY lane`,
  );
  return partitions.map(({ partition_key: key, age_us: ageUs }) => ({
    key,
    ageMs: Number(ageUs) / 1_000,
  }));
}

/**
 * Claims due rows, the oldest of each partition first. Rows that another relay has locked are
 * skipped. The index is forced: the optimiser prefers to sort, and would then lock every due row.
 * @param forAttempts true for a lease that lasts as long as an attempt
 */
export async function claimOutboxRows(
  tx: Tx,
  quotas: readonly PartitionQuota[],
  { forAttempts = false } = {},
): Promise<ClaimedRow[]> {
  if (quotas.length === 0) return [];
  const due = await tx.manager.query<{ id: number; held: number }[]>(
    quotas
      .map(
        () => `(SELECT id, lease_until IS NOT NULL AS held FROM outbox FORCE INDEX (outbox_lane)
          WHERE lane = ? AND available_at <= UTC_TIMESTAMP(3)
          ORDER BY available_at, id LIMIT ? FOR UPDATE SKIP LOCKED)`,
      )
      .join(" UNION ALL "),
    quotas.flatMap(({ key, limit }) => [key, limit]),
  );
  if (due.length === 0) return [];
  const ids = due.map(({ id }) => id);
  await tx.manager.query(
    `UPDATE outbox SET lease_until = UTC_TIMESTAMP(3) + INTERVAL ? SECOND, available_at = lease_until
      WHERE id IN (${placeholders(ids)})`,
    [forAttempts ? attemptLeaseSeconds : leaseSeconds, ...ids],
  );
  const held = new Set(due.flatMap((row) => (row.held === 1 ? [row.id] : [])));
  const rows = await readClaimed(tx, ids);
  return rows.map((row) => ({ ...row, taken_over: held.has(row.id) }));
}

/**
 * A separate statement, because a locking read sees rows that committed after its snapshot was
 * taken. One statement would join these rows to deliveries that the snapshot does not hold.
 */
async function readClaimed(tx: Tx, ids: number[]): Promise<Omit<ClaimedRow, "taken_over">[]> {
  const rows = await tx.manager.query<
    (Omit<ClaimedRow, "taken_over"> & { event_id: Buffer | null })[]
  >(
    `SELECT o.id, o.account_id, o.kind, o.lane AS partition_key, o.attempts, o.command, o.delivery_id, o.run AS asked_run,
            d.run, d.first_number, d.state, d.via, d.attempts_made, d.next_attempt_at, d.discard_at,
            d.last_status_code, d.last_error_class, d.workflow_id, d.event_id, d.subscription_id, d.event_type,
            s.max_concurrency, e.conversation_id
       FROM outbox o
       LEFT JOIN deliveries d ON d.id = o.delivery_id
       LEFT JOIN events e ON e.id = d.event_id
       LEFT JOIN subscriptions s ON s.id = d.subscription_id
      WHERE o.id IN (${placeholders(ids)}) ORDER BY o.id`,
    ids,
  );
  return rows.map(({ event_id: eventId, ...row }) => ({
    ...row,
    workflow_id: row.workflow_id ?? workflowIdOf(row, eventId),
  }));
}

function workflowIdOf(
  { subscription_id, run }: Pick<ClaimedRow, "subscription_id" | "run">,
  eventId: Buffer | null,
): string | null {
  if (eventId === null || subscription_id === null || run === null) return null;
  return deliveryWorkflowId(bytesToUuid(eventId), subscription_id, run);
}

/** @returns true for a queued delivery whose run Temporal has taken, so it has left the outbox */
export async function isWithTemporal(tx: Tx, deliveryId: number): Promise<boolean> {
  const rows = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM deliveries d
      WHERE d.id = ? AND d.state = 'queued'
        AND NOT EXISTS (SELECT 1 FROM outbox o FORCE INDEX (outbox_delivery)
                         WHERE o.delivery_id = d.id AND o.kind = 'delivery')`,
    [deliveryId],
  );
  return rows.length > 0;
}

/** Has the relays look after the commit: rows are due now, or at another time than before. */
export function noteOutboxRows({ notes }: Tx): void {
  if (notes !== undefined) notes.hasOutboxRows = true;
}

/** Moves rows to their account's partition for Temporal alone. No host limiter then delays them. */
export async function moveToTemporalPartition(tx: Tx, ids: number[]): Promise<void> {
  await tx.manager.query(
    `UPDATE outbox SET lane = ${temporalPartitionSql} WHERE id IN (${placeholders(ids)})`,
    ids,
  );
}

/**
 * Frees rows of a subscription that has a limit of its own, in a partition of their own. No row of
 * another subscription then waits behind them.
 */
export async function moveToSubscriptionPartition(
  tx: Tx,
  subscriptionId: number,
  ids: number[],
): Promise<void> {
  await tx.manager.query(
    `UPDATE outbox SET lane = ${subscriptionPartitionSql}, lease_until = NULL,
            available_at = UTC_TIMESTAMP(3) WHERE id IN (${placeholders(ids)})`,
    [subscriptionId, ...ids],
  );
}

/**
 * Gives messages to Temporal whose first hand-over the relay has made or begun. Their runs make the
 * next try not before its time.
 */
export async function giveTriedToTemporal(tx: Tx, ids: number[]): Promise<void> {
  await tx.manager.query(
    `UPDATE outbox SET lane = ${requestPartitionSql},
            command = JSON_SET(command, '$.input.tried', CAST('true' AS JSON))
      WHERE id IN (${placeholders(ids)})`,
    ids,
  );
}

/** Frees a row after a time in milliseconds, without an error or another try on its count. */
export async function postponeOutboxRow(tx: Tx, id: number, laterMs: number): Promise<void> {
  noteOutboxRows(tx);
  await tx.manager.query(
    `UPDATE outbox SET lease_until = NULL,
            available_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND WHERE id = ?`,
    [Math.round(laterMs * 1_000), id],
  );
}

/** Frees rows at once, without an error or another try on their count. */
export async function freeOutboxRows(tx: Tx, ids: number[]): Promise<void> {
  noteOutboxRows(tx);
  await tx.manager.query(
    `UPDATE outbox SET lease_until = NULL, available_at = UTC_TIMESTAMP(3) WHERE id IN (${placeholders(ids)})`,
    ids,
  );
}

/** Deletes rows that Temporal knows of, or that need no further action. */
export async function deleteOutboxRows(tx: Tx, ids: number[]): Promise<void> {
  await tx.manager.query(`DELETE FROM outbox WHERE id IN (${placeholders(ids)})`, ids);
}

/**
 * Frees rows after a temporary fault, for any relay to try again after a pause. The pause grows
 * with the row's tries from 0.25 s to 5 s. So a row that never works does not block the others.
 */
export async function releaseOutboxRows(tx: Tx, ids: number[], error: string): Promise<void> {
  noteOutboxRows(tx);
  await tx.manager.query(
    `UPDATE outbox SET attempts = attempts + 1, last_error = ?, lease_until = NULL,
            available_at = UTC_TIMESTAMP(3) + INTERVAL LEAST(attempts, 20) * 250000 MICROSECOND
      WHERE id IN (${placeholders(ids)})`,
    [error, ...ids],
  );
}

/** Parks a row that Temporal refuses for good. A person decides. */
export async function parkOutboxRow(tx: Tx, id: number, error: string): Promise<void> {
  await tx.manager.query(
    `UPDATE outbox SET attempts = attempts + 1, last_error = ?, lease_until = NULL,
            parked_at = UTC_TIMESTAMP(3), available_at = '9999-12-31' WHERE id = ?`,
    [error, id],
  );
}

/** Size of the outbox. A figure is null where the read takes longer than a second. */
export interface OutboxFigures {
  /** Rows that wait for Temporal. */
  rows: number | null;
  /** Age of the oldest of these rows, in seconds; 0 without rows. */
  oldestSeconds: number | null;
  /** Rows that Temporal refused for good and that wait for a person. */
  parked: number | null;
}

/**
 * Time limit of the read of a figure. It is enough to count some millions of rows. The oldest row
 * is found among more.
 */
const figureMs = 1_000;

/** Measures the outbox of all accounts. */
export async function measureOutbox(tx: Tx): Promise<OutboxFigures> {
  return { oldestSeconds: await findOldestAge(tx), ...(await countOutbox(tx)) };
}

/** Ids grow with time, so the read ends at the first row that is not parked. */
async function findOldestAge(tx: Tx): Promise<number | null> {
  const rows = await unlessTooLong(() =>
    tx.manager.query<{ age: number }[]>(
      `SELECT /*+ MAX_EXECUTION_TIME(${figureMs}) */
              TIMESTAMPDIFF(MICROSECOND, created_at, UTC_TIMESTAMP(3)) / 1e6 AS age
         FROM outbox WHERE parked_at IS NULL ORDER BY id LIMIT 1`,
    ),
  );
  return rows && Math.max(0, Number(rows[0]?.age ?? 0));
}

/** Counts the outbox of all accounts, or of one account. */
export async function countOutbox(
  tx: Tx,
  accountId: number | null = null,
): Promise<Pick<OutboxFigures, "rows" | "parked">> {
  const found = await unlessTooLong(() =>
    tx.manager.query<{ rows_count: number; parked: number }[]>(
      `SELECT /*+ MAX_EXECUTION_TIME(${figureMs}) */
              COUNT(CASE WHEN parked_at IS NULL THEN 1 END) AS rows_count, COUNT(parked_at) AS parked
         FROM outbox${accountId === null ? "" : " WHERE account_id = ?"}`,
      accountId === null ? [] : [accountId],
    ),
  );
  if (found === null) return { rows: null, parked: null };
  return { rows: Number(found[0]?.rows_count ?? 0), parked: Number(found[0]?.parked ?? 0) };
}
