import { bytesToUuid } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  deliveryWorkflowId,
  isOpenDelivery,
  type AttemptInput,
  type AttemptOutcome,
  type DeliveryState,
} from "../../model/workflow/delivery.ts";
import type { EventType } from "../../model/event-types.ts";
import type { SubscriptionState } from "../../model/subscription.ts";
import { placeholders } from "../sql.ts";

/** State of a locked delivery, and of the rows that it depends on. */
export interface DeliveryFacts {
  id: number;
  account_id: number;
  event_id: Buffer;
  event_type: EventType;
  subscription_id: number;
  run: number;
  state: DeliveryState;
  reason: string | null;
  via: "workflow" | "relay";
  workflow_id: string | null;
  attempts_made: number;
  next_attempt_at: Date | null;
  discard_at: Date | null;
  last_status_code: number | null;
  last_error_class: string | null;
  url: string;
  subscription_state: SubscriptionState;
  erased: number;
  updated_at: Date;
  /** 1 where the receiver has had only failures lately. */
  failing: number;
}

/**
 * Options for locking several deliveries. `skipLocked` leaves out rows that another transaction
 * holds.
 */
export interface LockOptions {
  skipLocked?: boolean;
}

/** Error of a delivery that was skipped: another transaction holds its row, or the row is gone. */
export class LockSkippedError extends Error {
  override readonly name = "LockSkippedError";
}

/**
 * Locks deliveries in the order of their ids. Rows that are gone or skipped are missing in the
 * result.
 */
export async function lockDeliveries(
  tx: Tx,
  ids: readonly number[],
  locking: LockOptions = {},
): Promise<Map<number, DeliveryFacts>> {
  const rows = await lockRows<DeliveryFacts>(tx, ids, locking);
  return new Map(rows.map((row) => [row.id, row]));
}

/** More to read with the lock: one row of the result for each row that `join` finds. */
interface LockedColumns {
  columns: string;
  join: string;
  joinValues: unknown[];
}

/**
 * Locks deliveries, and reads their facts with further columns in the same statement. The index is
 * forced because in a small table the optimiser would rather read, and so lock, every row.
 */
export async function lockRows<Row extends DeliveryFacts>(
  tx: Tx,
  ids: readonly number[],
  { skipLocked = false }: LockOptions,
  more: LockedColumns = { columns: "", join: "", joinValues: [] },
): Promise<Row[]> {
  return await tx.manager.query<Row[]>(
    `SELECT d.id, d.account_id, d.event_id, d.event_type, d.subscription_id, d.run, d.state, d.reason, d.via, d.workflow_id,
            d.attempts_made, d.next_attempt_at, d.discard_at, d.last_status_code, d.last_error_class, s.url,
            s.state AS subscription_state, e.body IS NULL AS erased, d.updated_at,
            h.subscription_id IS NOT NULL AS failing ${more.columns}
       FROM deliveries d FORCE INDEX (PRIMARY)
       JOIN subscriptions s ON s.id = d.subscription_id
       JOIN events e ON e.id = d.event_id
       LEFT JOIN subscription_health h ON h.subscription_id = d.subscription_id ${more.join}
      WHERE d.id IN (${placeholders(ids)}) FOR UPDATE OF d ${skipLocked ? "SKIP LOCKED" : ""}`,
    [...more.joinValues, ...ids],
  );
}

/**
 * Locks one delivery.
 * @throws Error where the delivery is gone
 */
export async function lockDelivery(tx: Tx, id: number): Promise<DeliveryFacts> {
  const facts = (await lockDeliveries(tx, [id])).get(id);
  if (facts === undefined) throw deliveryGone(id);
  return facts;
}

/** Error for a delivery that could not be locked. */
export function lockError(id: number, { skipLocked = false }: LockOptions): Error {
  return skipLocked ? new LockSkippedError() : deliveryGone(id);
}

/** Our own fault: nothing deletes an open delivery. */
export function deliveryGone(id: number): Error {
  return new Error(`Delivery ${id} is gone.`);
}

/** Outcome of an attempt that need not or must not be made. Null where the attempt may be made. */
export function outcomeWithoutPost(
  facts: DeliveryFacts,
  { run, seq }: Pick<AttemptInput, "run" | "seq">,
  now: Date,
): AttemptOutcome | null {
  if (facts.run !== run) return { state: "superseded" };
  if (!isOpenDelivery(facts.state)) return { state: facts.state };
  if (facts.attempts_made < seq) return null;
  const due = facts.next_attempt_at ?? facts.discard_at ?? now;
  return {
    state: "waiting",
    waitMs: millisecondsUntil(due, now),
    nextAttemptAt: facts.next_attempt_at?.toISOString() ?? null,
    statusCode: facts.last_status_code,
    errorClass: facts.last_error_class,
  };
}

/** Whole milliseconds until a moment; 0 for a past moment. */
export function millisecondsUntil(due: Date, now: Date): number {
  return Math.max(0, due.getTime() - now.getTime());
}

/** Workflow id of the current run. */
export function workflowIdOf(facts: DeliveryFacts): string {
  return deliveryWorkflowId(bytesToUuid(facts.event_id), facts.subscription_id, facts.run);
}
