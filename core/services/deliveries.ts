import { bytesToUuid, uuidToBytes } from "../../db/entities/columns.ts";
import type { Tx } from "../../db/transaction.ts";
import { notFound } from "../errors.ts";
import type { DeliveryState } from "../model/delivery.ts";
import type { EventType } from "../model/events.ts";
import { recordDeliveryChange } from "./changes.ts";

/** What the delivery log can be narrowed by. */
export interface DeliveryFilter {
  subscription_id?: number | undefined;
  state?: DeliveryState | undefined;
  event_type?: EventType | undefined;
  /** UUID */
  event_id?: string | undefined;
}

/** A delivery as the Dashboard reads it; the link to Temporal UI is put on by the route. */
export interface DeliveryView {
  id: number;
  event_id: string;
  event_type: EventType;
  subscription_id: number;
  state: DeliveryState;
  run: number;
  first_number: number;
  attempts_made: number;
  next_attempt_at: string | null;
  discard_at: string | null;
  reason: string | null;
  via: "workflow" | "relay";
  workflow_id: string | null;
  created_at: string;
}

/** One POST as the Dashboard reads it. */
export interface AttemptView {
  run: number;
  seq: number;
  number: number;
  manual: boolean;
  posts: number;
  started_at: string;
  duration_ms: number | null;
  status_code: number | null;
  error_class: string | null;
  request_url: string;
  request_headers: Record<string, string> | null;
  response_headers: Record<string, string> | null;
  response_excerpt: string | null;
  ip: string | null;
}

type Stored<View, Moments extends keyof View, Bytes extends keyof View = never> = Omit<
  View,
  Moments | Bytes
> & { [K in Moments]: Date | (null extends View[K] ? null : never) } & { [K in Bytes]: Buffer };

type DeliveryRow = Stored<
  DeliveryView,
  "next_attempt_at" | "discard_at" | "created_at",
  "event_id"
>;
type AttemptRow = Omit<Stored<AttemptView, "started_at">, "manual"> & { manual: number };

const columns = `d.id, d.event_id, d.event_type, d.subscription_id, d.state, d.run, d.first_number, d.attempts_made,
  d.next_attempt_at, d.discard_at, d.reason, d.via, d.workflow_id, d.created_at`;

/** The delivery log, newest first, with the exact total for the filter. */
export async function listDeliveries(
  tx: Tx,
  filter: DeliveryFilter,
  page: { limit: number; offset: number },
): Promise<{ views: DeliveryView[]; total: number }> {
  const { where, values } = conditions(tx, filter);
  const rows = await tx.manager.query<DeliveryRow[]>(
    `SELECT ${columns} FROM deliveries d WHERE ${where} ORDER BY d.id DESC LIMIT ? OFFSET ?`,
    [...values, page.limit, page.offset],
  );
  const [count] = await tx.manager.query<{ total: number }[]>(
    `SELECT COUNT(*) AS total FROM deliveries d WHERE ${where}`,
    values,
  );
  return { views: rows.map(presentDelivery), total: Number(count?.total ?? 0) };
}

function conditions(tx: Tx, filter: DeliveryFilter): { where: string; values: unknown[] } {
  const eventId = filter.event_id === undefined ? undefined : uuidToBytes(filter.event_id);
  const wanted: [string, unknown][] = [
    ["d.account_id", tx.actor.accountId],
    ["d.subscription_id", filter.subscription_id],
    ["d.state", filter.state],
    ["d.event_type", filter.event_type],
    ["d.event_id", eventId],
  ];
  const given = wanted.filter(([, value]) => value !== undefined);
  return {
    where: given.map(([column]) => `${column} = ?`).join(" AND "),
    values: given.map(([, value]) => value),
  };
}

/** One delivery with its event's envelope (null after an erasure) and every attempt. @throws AppError `delivery_not_found` */
export async function getDelivery(
  tx: Tx,
  id: number,
): Promise<DeliveryView & { event: unknown; attempts: AttemptView[] }> {
  const rows = await tx.manager.query<(DeliveryRow & { body: Buffer | null })[]>(
    `SELECT ${columns}, e.body FROM deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.id = ? AND d.account_id = ?`,
    [id, tx.actor.accountId],
  );
  const row = rows[0];
  if (row === undefined) throw notFound("delivery");
  const attempts = await tx.manager.query<AttemptRow[]>(
    `SELECT run, seq, number, manual, posts, started_at, duration_ms, status_code, error_class,
            request_url, request_headers, response_headers, response_excerpt, ip
       FROM delivery_attempts WHERE delivery_id = ? ORDER BY run, seq`,
    [id],
  );
  return {
    ...presentDelivery(row),
    event: row.body === null ? null : (JSON.parse(row.body.toString("utf8")) as unknown),
    attempts: attempts.map(presentAttempt),
  };
}

/**
 * Ends up to `limit` open deliveries of a deleted subscription as `cancelled`, in no order of ours: all
 * open ones would be sorted for it.
 * @returns how many; fewer than `limit` means that none is left.
 */
export async function cancelOpenDeliveries(
  tx: Tx,
  subscriptionId: number,
  limit: number,
): Promise<number> {
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `UPDATE deliveries FORCE INDEX (deliveries_state) SET state = 'cancelled', reason = 'subscription_deleted', next_attempt_at = NULL,
            discard_at = NULL, finished_at = ?, updated_at = ?
      WHERE account_id = ? AND state IN ('queued', 'sending', 'waiting', 'held') AND subscription_id = ? LIMIT ?`,
    [tx.now, tx.now, tx.actor.accountId, subscriptionId, limit],
  );
  if (affectedRows > 0) await recordDeliveryChange(tx, { subscriptionId });
  return affectedRows;
}

function presentDelivery(row: DeliveryRow): DeliveryView {
  return {
    id: row.id,
    event_id: bytesToUuid(row.event_id),
    event_type: row.event_type,
    subscription_id: row.subscription_id,
    state: row.state,
    run: row.run,
    first_number: row.first_number,
    attempts_made: row.attempts_made,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    discard_at: row.discard_at?.toISOString() ?? null,
    reason: row.reason,
    via: row.via,
    workflow_id: row.workflow_id,
    created_at: row.created_at.toISOString(),
  };
}

function presentAttempt(row: AttemptRow): AttemptView {
  return { ...row, manual: row.manual === 1, started_at: row.started_at.toISOString() };
}
