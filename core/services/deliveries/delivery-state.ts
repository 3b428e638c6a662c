import type { Tx } from "../../../db/transaction.ts";
import {
  deliveryTransitions,
  type CancelReason,
  type DeliveryTrigger,
  type HoldReason,
} from "../../model/workflow/delivery.ts";
import { placeholders } from "../sql.ts";
import { isInWindow, nextWindow, type DeliveryWindow } from "./delivery-window.ts";

/** A trigger of the state table, with the facts that the new state keeps. */
export type DeliveryChange =
  /** `path`: null keeps the path of an earlier attempt. */
  | { trigger: "send"; path: FirstAttemptPath | null }
  | ({ trigger: "fail" } & FailedState)
  | { trigger: "discard" }
  | { trigger: "hold"; reason: HoldReason }
  | { trigger: "cancel"; reason: CancelReason }
  | ({ trigger: "restart"; userId: number | null } & NextRun)
  | ({ trigger: "restartLater"; userId: number | null; at: Date } & NextRun)
  | ({ trigger: "recover" } & NextRun);

/** A relay makes the first attempt without a workflow. A workflow takes over if the relay dies. */
export type FirstAttemptPath =
  | { via: "relay"; workflowId: null }
  | { via: "workflow"; workflowId: string };

interface FailedState {
  attemptsMade: number;
  /** Null in the last wait. */
  nextAttemptAt: Date | null;
  /** Null before the last wait. */
  discardAt: Date | null;
  statusCode: number | null;
  errorClass: string | null;
  workflowId: string;
}

interface NextRun {
  run: number;
  /** Number of the run's first attempt. */
  number: number;
  workflowId: string;
}

/** Deliveries by their ids, or some deliveries of a subscription in no fixed order. */
export type DeliverySelection =
  | { ids: readonly number[] }
  | { subscriptionId: number; limit: number; window: DeliveryWindow };

/** One step through the deliveries of a subscription. */
export interface DeliveryStep {
  /** Number of changed deliveries. */
  changed: number;
  /** Id behind which the next step begins; null after the last step. */
  next: number | null;
}

/** A delivery that arrived, with the answer of its receiver. */
export interface ArrivedDelivery {
  id: number;
  seq: number;
  statusCode: number | null;
}

/** Our own fault: a locked delivery is in a state that the trigger does not leave. */
export class DeliveryStateError extends Error {
  override readonly name = "DeliveryStateError";
}

/**
 * Changes the state of locked deliveries in one statement.
 * @throws DeliveryStateError if the state table refuses the trigger for one of the deliveries
 */
export async function setDeliveryState(
  tx: Tx,
  ids: readonly number[],
  change: DeliveryChange,
): Promise<void> {
  requireAll(ids, change.trigger, await setDeliveryStateWhere(tx, { ids }, change));
}

/**
 * Changes the state of deliveries in one statement. A delivery for which the state table refuses
 * the trigger stays as it is.
 * @returns number of changed deliveries
 */
export async function setDeliveryStateWhere(
  tx: Tx,
  selection: DeliverySelection,
  change: DeliveryChange,
): Promise<number> {
  const { from, to } = deliveryTransitions[change.trigger];
  const columns = { ...columnsOf(change, tx.now), state: to, updated_at: tx.now };
  const { index, conditions, limit, values } = sqlOf(tx, selection);
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `UPDATE deliveries FORCE INDEX (${index}) SET ${assignmentsOf(columns)}
      WHERE state IN (${placeholders(from)}) AND ${conditions} ${limit}`,
    [...Object.values(columns), ...from, ...values],
  );
  return affectedRows;
}

/**
 * Changes up to `limit` deliveries of a subscription behind the id `after`, at a bounded cost. They
 * have no fixed order, because a fixed order would sort all of them.
 */
export async function setDeliveryStateBehind(
  tx: Tx,
  { subscriptionId, limit, after }: { subscriptionId: number; limit: number; after: number },
  change: DeliveryChange,
): Promise<DeliveryStep> {
  const window = await nextWindow(tx, deliveryTransitions[change.trigger].from, after);
  const selection = { subscriptionId, limit, window };
  const changed = await setDeliveryStateWhere(tx, selection, change);
  if (changed < limit) return { changed, next: window.through };
  // Changed deliveries have left these states, so the rest is behind the same id. Their entries
  // stay in the index for a while, so the next step begins no earlier than this one did.
  return { changed, next: window.firstId === null ? after : window.firstId - 1 };
}

/**
 * Marks locked deliveries as delivered in one statement, each with its own answer.
 * @throws DeliveryStateError if the state table refuses that for one of the deliveries
 */
export async function setDelivered(tx: Tx, arrived: readonly ArrivedDelivery[]): Promise<void> {
  const { from, to } = deliveryTransitions.arrive;
  const columns = { ...endColumns(tx.now), state: to, reason: null, updated_at: tx.now };
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `UPDATE (VALUES ${arrived.map(() => "ROW(?, ?, ?)").join(", ")}) AS v (id, seq, status_code)
       STRAIGHT_JOIN deliveries d ON d.id = v.id
        SET d.attempts_made = GREATEST(d.attempts_made, v.seq), d.last_status_code = v.status_code,
            d.last_error_class = NULL, ${assignmentsOf(columns)}
      WHERE d.state IN (${placeholders(from)})`,
    [
      ...arrived.flatMap(({ id, seq, statusCode }) => [id, seq, statusCode]),
      ...Object.values(columns),
      ...from,
    ],
  );
  const ids = arrived.map(({ id }) => id);
  requireAll(ids, "arrive", affectedRows);
}

/** Sets the time of the next attempt of a delivery that is held. */
export async function postponeHeld(tx: Tx, id: number, nextAttemptAt: Date): Promise<void> {
  const sql = "UPDATE deliveries SET next_attempt_at = ? WHERE id = ? AND state = 'held'";
  await tx.manager.query(sql, [nextAttemptAt, id]);
}

function requireAll(ids: readonly number[], trigger: DeliveryTrigger, changed: number): void {
  // Two attempts of one delivery may begin or end together.
  const expected = new Set(ids).size;
  if (changed === expected) return;
  const refused = `${expected - changed} of ${expected}`;
  throw new DeliveryStateError(`${refused} deliveries are in a state that refuses ${trigger}.`);
}

/**
 * Forces the index. In a small table the optimiser would rather read every row, and so lock every
 * row.
 */
function sqlOf({ actor }: Tx, selection: DeliverySelection) {
  if ("ids" in selection) {
    const { ids } = selection;
    const conditions = `id IN (${placeholders(ids)})`;
    return { index: "PRIMARY", conditions, limit: "", values: [...ids] };
  }
  const { subscriptionId, limit, window } = selection;
  const inWindow = isInWindow("id", window);
  return {
    index: "deliveries_state",
    conditions: `account_id = ? AND ${inWindow.sql} AND subscription_id = ?`,
    limit: "LIMIT ?",
    values: [actor.accountId, ...inWindow.values, subscriptionId, limit],
  };
}

type Columns = Record<string, string | number | Date | null>;

function assignmentsOf(columns: Columns): string {
  return Object.keys(columns)
    .map((column) => `${column} = ?`)
    .join(", ");
}

function columnsOf(change: DeliveryChange, now: Date): Columns {
  switch (change.trigger) {
    case "send":
      return change.path === null ? {} : pathColumns(change.path);
    case "fail":
      return failedColumns(change);
    case "hold":
      // The delivery keeps the time of its next attempt.
      return { reason: change.reason, discard_at: null };
    case "cancel":
      return { ...endColumns(now), reason: change.reason };
    case "discard":
      return endColumns(now);
    case "restart":
    case "restartLater":
      return {
        ...runColumns(change),
        next_attempt_at: change.trigger === "restart" ? null : change.at,
        discard_at: null,
        actor: change.userId === null ? null : JSON.stringify({ user_id: change.userId }),
        finished_at: null,
      };
    case "recover":
      // The last wait keeps its end, and the run its actor.
      return { ...runColumns(change), next_attempt_at: null };
  }
}

function pathColumns({ via, workflowId }: FirstAttemptPath): Columns {
  return { via, workflow_id: workflowId };
}

function failedColumns(failed: FailedState): Columns {
  return {
    attempts_made: failed.attemptsMade,
    next_attempt_at: failed.nextAttemptAt,
    discard_at: failed.discardAt,
    last_status_code: failed.statusCode,
    last_error_class: failed.errorClass,
    workflow_id: failed.workflowId,
  };
}

function runColumns({ run, number, workflowId }: NextRun): Columns {
  return {
    run,
    first_number: number,
    reason: null,
    via: "workflow",
    workflow_id: workflowId,
    attempts_made: 0,
  };
}

function endColumns(now: Date): Columns {
  return { next_attempt_at: null, discard_at: null, finished_at: now };
}
