import { bytesToUuid } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import { placeholders, unlessTooLong } from "../sql.ts";
import { deliveryWorkflowId, type DeliveryState } from "../../model/workflow/delivery.ts";
import type { EventType } from "../../model/events.ts";
import { temporalPartitionSql } from "../../model/partition-key.ts";
import type { OutboxCommand } from "../../model/workflow/workflow-command.ts";

/** A row that this process alone may act on until its lease ends. */
export interface ClaimedRow {
  id: number;
  account_id: number;
  kind: "delivery" | "request";
  partition_key: string;
  attempts: number;
  /** Who held it before has died, or forgot it. */
  taken_over: boolean;
  command: OutboxCommand | null;
  delivery_id: number | null;
  /** The run that the row asks for; null on requests, and on rows older than this column. */
  asked_run: number | null;
  /** The rest tells how the delivery stands; null on requests that name none. */
  run: number | null;
  first_number: number | null;
  state: DeliveryState | null;
  via: "workflow" | "relay" | null;
  attempts_made: number | null;
  next_attempt_at: Date | null;
  discard_at: Date | null;
  last_status_code: number | null;
  last_error_class: string | null;
  /** Also where the run has none yet, as during an attempt by the relay. */
  workflow_id: string | null;
  subscription_id: number | null;
  event_type: EventType | null;
  conversation_id: number | null;
}

/** How long a claim holds, in seconds: a relay that dies gives its rows back after that. */
const leaseSeconds = 10;
/** Above an attempt of 8 s and its two writes: until then nobody else may make the same one. */
const attemptLeaseSeconds = 25;

/** Most rows of a partition to claim. */
export interface PartitionQuota {
  key: string;
  limit: number;
}

/** A partition with a due row. */
export interface DuePartition {
  key: string;
  /** Time since its oldest row became due, in milliseconds. */
  ageMs: number;
}

/** Lists partitions with a due row. It reads one index entry for each partition, whatever its length. */
export async function listDuePartitions(tx: Tx): Promise<DuePartition[]> {
  const partitions = await tx.manager.query<{ partition_key: string; age_us: number }[]>(
    `SELECT lane AS partition_key, TIMESTAMPDIFF(MICROSECOND, MIN(available_at), UTC_TIMESTAMP(3)) AS age_us
       FROM outbox FORCE INDEX (outbox_lane) GROUP BY lane`,
  );
  return partitions
    .map(({ partition_key: key, age_us: ageUs }) => ({ key, ageMs: Number(ageUs) / 1_000 }))
    .filter(({ ageMs }) => ageMs >= 0);
}

/**
 * Claims due rows, the oldest of each partition first. It skips rows that another relay has locked.
 * The index is forced: the optimiser prefers to sort, and would then lock every due row.
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
 * A statement of its own: a locking read sees rows that committed after its snapshot was taken, and
 * would join them to deliveries that the snapshot does not hold.
 */
async function readClaimed(tx: Tx, ids: number[]): Promise<Omit<ClaimedRow, "taken_over">[]> {
  const rows = await tx.manager.query<
    (Omit<ClaimedRow, "taken_over"> & { event_id: Buffer | null })[]
  >(
    `SELECT o.id, o.account_id, o.kind, o.lane AS partition_key, o.attempts, o.command, o.delivery_id, o.run AS asked_run,
            d.run, d.first_number, d.state, d.via, d.attempts_made, d.next_attempt_at, d.discard_at,
            d.last_status_code, d.last_error_class, d.workflow_id, d.event_id, d.subscription_id, d.event_type,
            e.conversation_id
       FROM outbox o
       LEFT JOIN deliveries d ON d.id = o.delivery_id
       LEFT JOIN events e ON e.id = d.event_id
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

/**
 * Moves rows to the partition of their account that only Temporal hears of. No limiter of a host then
 * holds them back.
 */
export async function moveToTemporalPartition(tx: Tx, ids: number[]): Promise<void> {
  await tx.manager.query(
    `UPDATE outbox SET lane = ${temporalPartitionSql} WHERE id IN (${placeholders(ids)})`,
    ids,
  );
}

/** Gives rows back at once, with nothing said against them. */
export async function freeOutboxRows(tx: Tx, ids: number[]): Promise<void> {
  await tx.manager.query(
    `UPDATE outbox SET lease_until = NULL, available_at = UTC_TIMESTAMP(3) WHERE id IN (${placeholders(ids)})`,
    ids,
  );
}

/** Forgets rows that Temporal knows of, or that nothing is left to do for. */
export async function deleteOutboxRows(tx: Tx, ids: number[]): Promise<void> {
  await tx.manager.query(`DELETE FROM outbox WHERE id IN (${placeholders(ids)})`, ids);
}

/**
 * Gives rows back after a passing fault, for anyone to try again after a pause that grows with the
 * row's tries from a quarter of a second to five: a row that never works does not hold up the others.
 */
export async function releaseOutboxRows(tx: Tx, ids: number[], error: string): Promise<void> {
  await tx.manager.query(
    `UPDATE outbox SET attempts = attempts + 1, last_error = ?, lease_until = NULL,
            available_at = UTC_TIMESTAMP(3) + INTERVAL LEAST(attempts, 20) * 250000 MICROSECOND
      WHERE id IN (${placeholders(ids)})`,
    [error, ...ids],
  );
}

/** Sets a row aside that Temporal refuses for good, where a person finds it. */
export async function parkOutboxRow(tx: Tx, id: number, error: string): Promise<void> {
  await tx.manager.query(
    `UPDATE outbox SET attempts = attempts + 1, last_error = ?, lease_until = NULL,
            parked_at = UTC_TIMESTAMP(3), available_at = '9999-12-31' WHERE id = ?`,
    [error, id],
  );
}

/** How full the outbox is. Null: too full to be read in a second. */
export interface OutboxFigures {
  /** What Temporal has yet to be told. */
  rows: number | null;
  /** For how many seconds the oldest of them has waited. */
  oldestSeconds: number | null;
  /** Rows that Temporal refused for good and that wait for a person. */
  parked: number | null;
}

/** For how long a figure may read (our choice): some millions of rows; the oldest is found among more. */
const figureMs = 1_000;

/** Measures the outbox of all accounts. */
export async function measureOutbox(tx: Tx): Promise<OutboxFigures> {
  return { oldestSeconds: await findOldestAge(tx), ...(await countOutbox(tx)) };
}

/** Rows are written in the order of their ids, so that one is read, and those before it that are parked. */
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

/** Counts the outbox of all accounts, or of one. */
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
