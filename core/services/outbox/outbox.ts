import { v7 as uuidv7 } from "uuid";
import { uuidToBytes } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { EventChannel } from "../../model/channels.ts";
import {
  deliveryWorkflowId,
  isFinishedDelivery,
  type DeliveryState,
} from "../../model/workflow/delivery.ts";
import type { EventType } from "../../model/event-types.ts";
import { serializeEvent, type EventData } from "../../model/events.ts";
import {
  deliveryPartition,
  requestPartition,
  requestPartitions,
} from "../../model/partition-key.ts";
import { matchesSubscription, type SubscriptionState } from "../../model/subscription.ts";
import type {
  DeliveryCommand,
  DeliverySignal,
  WorkflowCommand,
} from "../../model/workflow/workflow-command.ts";
import { placeholders, unlessTooLong } from "../sql.ts";
import { noteOutboxRows } from "./outbox-claims.ts";
import { listTargets, type EventTarget } from "./event-targets.ts";

/** An event that takes effect when the running transaction commits. */
export interface PublishedEvent {
  eventId: string;
  /** Its deliveries, one for each subscription that selects it. */
  deliveryIds: number[];
}

/**
 * Publishes an event in the caller's transaction: stores the bytes of its envelope, and one
 * delivery for each subscription that matches. An active subscription gets an outbox row, a
 * paused one a `held` delivery, a disabled one a `skipped` delivery. Timeline and erasure find the
 * event by `contact_id` of its data. Held deliveries continue when
 * their subscription is resumed, and skipped ones can be replayed. Rules C35, C45 and C57.
 * @param only deliver to this one subscription, whatever it selects (`test.ping`).
 */
export async function publish<T extends EventType>(
  tx: Tx,
  type: T,
  data: EventData<T>,
  only: { subscriptionId: number } | null = null,
): Promise<PublishedEvent> {
  const [published] = await publishAll(tx, type, [data], only);
  if (published === undefined) throw new Error("An event was not published.");
  return published;
}

/** Publishes events of one type like `publish`. Each statement stores the rows of all of them. */
export async function publishAll<T extends EventType>(
  tx: Tx,
  type: T,
  data: readonly EventData<T>[],
  only: { subscriptionId: number } | null = null,
): Promise<PublishedEvent[]> {
  if (data.length === 0) return [];
  const events = data.map((one) => newEvent(tx, type, one));
  await insertEvents(tx, type, events);
  const targets = await listTargets(tx);
  const deliveries = events.flatMap(({ eventId, channel }) =>
    targets
      .filter((target) =>
        only === null
          ? matchesSubscription(target, { type, channel })
          : target.id === only.subscriptionId,
      )
      .map((target) => ({ eventId, target })),
  );
  const ids = await insertDeliveries(tx, type, deliveries);
  await insertOutboxRows(tx, deliveries, ids);
  return events.map(({ eventId }) => ({
    eventId,
    deliveryIds: ids.filter((_, index) => deliveries[index]?.eventId === eventId),
  }));
}

/** An event with the bytes of its envelope. */
interface NewEvent {
  eventId: string;
  body: string;
  data: object;
  channel: EventChannel | null;
}

function newEvent<T extends EventType>(tx: Tx, type: T, data: EventData<T>): NewEvent {
  const eventId = uuidv7();
  const body = serializeEvent({
    event_id: eventId,
    event_type: type,
    occurred_at: tx.now.toISOString(),
    data,
  });
  const channel = "channel" in data ? (data.channel as EventChannel | null) : null;
  return { eventId, body, data, channel };
}

/**
 * Requests a workflow, to be started once this transaction has committed.
 * @param partition key of the request, if it is not that of all requests of the account
 */
export async function request(
  tx: Tx,
  command: WorkflowCommand,
  partition = requestPartition(tx.actor.accountId),
): Promise<void> {
  noteOutboxRows(tx);
  await tx.manager.query(
    "INSERT INTO outbox (account_id, kind, command, lane, available_at) VALUES (?, 'request', ?, ?, UTC_TIMESTAMP(3))",
    [tx.actor.accountId, JSON.stringify(command), partition],
  );
}

/** True if `run` is the newest run that was requested for the row, and is not over. */
export function isOpenRun(row: { run: number; requestedAt: Date | null }, run: number): boolean {
  return row.run === run && row.requestedAt !== null;
}

/**
 * Requests a signal to one run of a delivery. If a newer run has begun by then, no signal is sent.
 * A signal that is pending already is not requested again. The caller holds the lock of the
 * delivery's row.
 */
export async function signalDelivery(
  tx: Tx,
  delivery: { id: number; run: number },
  signal: DeliverySignal,
): Promise<void> {
  noteOutboxRows(tx);
  const command: DeliveryCommand = { op: "signalDelivery", run: delivery.run, ...signal };
  const json = JSON.stringify(command);
  const { accountId } = tx.actor;
  await tx.manager.query(
    `INSERT INTO outbox (account_id, kind, delivery_id, command, lane, available_at)
     SELECT ?, 'request', ?, ?, ?, UTC_TIMESTAMP(3)
      WHERE NOT EXISTS (SELECT 1 FROM outbox FORCE INDEX (outbox_delivery)
              WHERE delivery_id = ? AND command = CAST(? AS JSON) AND parked_at IS NULL)`,
    [accountId, delivery.id, json, requestPartition(accountId), delivery.id, json],
  );
}

async function insertEvents(tx: Tx, type: EventType, events: readonly NewEvent[]): Promise<void> {
  await tx.manager.query(
    `INSERT INTO events (id, account_id, type, contact_id, conversation_id, appointment_id, body, occurred_at)
     VALUES ${events.map(() => "(?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
    events.flatMap(({ eventId, body, data }) => [
      uuidToBytes(eventId),
      tx.actor.accountId,
      type,
      idIn(data, "contact_id"),
      idIn(data, "conversation_id"),
      idIn(data, "appointment_id"),
      Buffer.from(body, "utf8"),
      tx.now,
    ]),
  );
}

function idIn(data: object, member: string): number | null {
  const value: unknown = Reflect.get(data, member);
  return typeof value === "number" ? value : null;
}

/** The first state of a delivery, by the state of its subscription. */
function firstState(state: SubscriptionState): { state: DeliveryState; reason: string | null } {
  switch (state) {
    case "active":
      return { state: "queued", reason: null };
    case "paused":
      return { state: "held", reason: "subscription_paused" };
    case "disabled":
      return { state: "skipped", reason: "subscription_disabled" };
    case "deleted":
      return { state: "cancelled", reason: "subscription_deleted" };
  }
}

/** An event and a subscription that gets it. */
interface NewDelivery {
  eventId: string;
  target: EventTarget;
}

/**
 * One statement, so that InnoDB gives the rows consecutive ids.
 * @returns the id of each.
 */
async function insertDeliveries(
  tx: Tx,
  type: EventType,
  deliveries: readonly NewDelivery[],
): Promise<number[]> {
  if (deliveries.length === 0) return [];
  const rows = deliveries.flatMap(({ eventId, target }) => {
    const { state, reason } = firstState(target.state);
    const workflowId = state === "queued" ? deliveryWorkflowId(eventId, target.id, 1) : null;
    const finishedAt = isFinishedDelivery(state) ? tx.now : null;
    const { accountId } = tx.actor;
    const what = [accountId, uuidToBytes(eventId), target.id, type, state, reason, workflowId];
    return [...what, tx.now, tx.now, finishedAt];
  });
  const { insertId } = await tx.manager.query<{ insertId: number }>(
    `INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state, reason, workflow_id, created_at, updated_at, finished_at)
     VALUES ${deliveries.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
    rows,
  );
  return deliveries.map((_, index) => insertId + index);
}

/** A delivery whose run is requested, with the present target of its subscription. */
export interface RequestedDelivery {
  id: number;
  account_id: number;
  subscription_id: number;
  url: string;
  max_concurrency: number | null;
}

/** Requests one run of a delivery. If a newer run has begun by then, the request has no effect. */
export async function requestRun(
  tx: Tx,
  { id, account_id, subscription_id, url, max_concurrency }: RequestedDelivery,
  run: number,
): Promise<void> {
  const target = { subscriptionId: subscription_id, url, maxConcurrency: max_concurrency };
  await insertRunRows(tx, [[account_id, id, run, deliveryPartition(account_id, target)]]);
}

/** Time limit of the read, in milliseconds: enough for some hundred thousand requests. */
const pendingMs = 1_000;

/**
 * Lists those of the workflow ids that still have a request in the outbox.
 * @returns null where the account has more requests than the database reads in 1 s
 */
export async function listPendingRuns(
  tx: Tx,
  accountId: number,
  workflowIds: readonly string[],
): Promise<Set<string> | null> {
  const { keys, pattern } = requestPartitions(accountId);
  const rows = await unlessTooLong(() =>
    tx.manager.query<{ workflowId: string }[]>(
      `SELECT /*+ MAX_EXECUTION_TIME(${pendingMs}) */ DISTINCT command->>'$.workflowId' AS workflowId
         FROM outbox FORCE INDEX (outbox_lane)
        WHERE (lane IN (${placeholders(keys)}) OR lane LIKE ?)
          AND command->>'$.workflowId' IN (${placeholders(workflowIds)})`,
      [...keys, pattern, ...workflowIds],
    ),
  );
  return rows && new Set(rows.map(({ workflowId }) => workflowId));
}

async function insertOutboxRows(
  tx: Tx,
  deliveries: readonly NewDelivery[],
  deliveryIds: readonly number[],
): Promise<void> {
  const { accountId } = tx.actor;
  const rows = deliveries.flatMap(({ target }, index) => {
    const { id, state, url, max_concurrency: maxConcurrency } = target;
    if (state !== "active") return [];
    const partition = deliveryPartition(accountId, { subscriptionId: id, url, maxConcurrency });
    return [[accountId, deliveryIds[index], 1, partition]];
  });
  if (rows.length > 0) await insertRunRows(tx, rows);
}

async function insertRunRows(tx: Tx, rows: unknown[][]): Promise<void> {
  noteOutboxRows(tx);
  await tx.manager.query(
    `INSERT INTO outbox (account_id, kind, delivery_id, run, lane, available_at)
     VALUES ${rows.map(() => "(?, 'delivery', ?, ?, ?, UTC_TIMESTAMP(3))").join(", ")}`,
    rows.flat(),
  );
}
