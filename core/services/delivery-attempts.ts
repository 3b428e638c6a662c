import { bytesToUuid } from "../../db/entities/columns.ts";
import type { Tx } from "../../db/transaction.ts";
import {
  isOpenDelivery,
  type AttemptInput,
  type AttemptOutcome,
  type DeliveryState,
} from "../model/delivery.ts";
import type { EventType } from "../model/events.ts";
import type { SubscriptionState } from "../model/subscription.ts";
import { recordDeliveryChange } from "./changes.ts";
import { recordNotification } from "./notifications.ts";
import { forgetFailures, recordFailure } from "./subscription-health.ts";
import { secretContext } from "./subscriptions.ts";

/** What the POST of an attempt is made of, read as it stands now. */
export interface AttemptMaterial {
  accountId: number;
  eventId: string;
  eventType: EventType;
  occurredAt: Date;
  url: string;
  /** The stored bytes, the same on every attempt. */
  body: Buffer;
  /** Sealed secrets that sign now, the newest first, and the context they open in. */
  sealedSecrets: string[];
  secretContext: string;
}

/** Either the material of a POST, or the outcome without one. */
export type AttemptStart =
  | { go: true; material: AttemptMaterial }
  | { go: false; outcome: AttemptOutcome }
  /** The receiver's host has as many attempts under way as it may have. */
  | { go: false; busyHost: string };

interface DeliveryFacts {
  account_id: number;
  event_id: Buffer;
  event_type: EventType;
  subscription_id: number;
  run: number;
  state: DeliveryState;
  attempts_made: number;
  next_attempt_at: Date | null;
  discard_at: Date | null;
  last_status_code: number | null;
  last_error_class: string | null;
  url: string;
  subscription_state: SubscriptionState;
  erased: number;
  /** Whether its receiver has only failed of late. */
  failing: number;
}

/**
 * Writes an attempt down before it leaves. There is no POST when the run is no longer the current
 * one, the delivery has ended, its subscription is not active, or this very attempt was completed
 * before a crash. The same attempt after a crash in the middle counts as one more post of it.
 * @param enterHost whether an attempt toward the host may be made now; asked again if the transaction is.
 */
export async function beginAttempt(
  tx: Tx,
  input: AttemptInput,
  enterHost: (host: string) => boolean = () => true,
): Promise<AttemptStart> {
  const facts = await lockDelivery(tx, input.deliveryId);
  const outcome = outcomeWithoutPost(facts, input, tx.now);
  if (outcome !== null) return { go: false, outcome };
  const stopped = stopFor(facts);
  if (stopped !== null)
    return { go: false, outcome: await stopDelivery(tx, input.deliveryId, stopped) };
  const { host } = new URL(facts.url);
  if (!enterHost(host)) return { go: false, busyHost: host };
  await writeAhead(tx, facts, input);
  return { go: true, material: await readMaterial(tx, facts) };
}

async function readMaterial(tx: Tx, facts: DeliveryFacts): Promise<AttemptMaterial> {
  const rows = await tx.manager.query<{ body: Buffer; occurred_at: Date; sealed: string }[]>(
    `SELECT e.body, e.occurred_at, x.sealed FROM events e
       JOIN subscription_secrets x ON x.subscription_id = ? AND (x.valid_until IS NULL OR x.valid_until > ?)
      WHERE e.id = ? ORDER BY x.id DESC`,
    [facts.subscription_id, tx.now, facts.event_id],
  );
  const [newest] = rows;
  if (newest === undefined) throw new Error("A subscription has no secret.");
  return {
    accountId: facts.account_id,
    eventId: bytesToUuid(facts.event_id),
    eventType: facts.event_type,
    occurredAt: newest.occurred_at,
    url: facts.url,
    body: newest.body,
    sealedSecrets: rows.map(({ sealed }) => sealed),
    secretContext: secretContext(facts.account_id),
  };
}

async function lockDelivery(tx: Tx, deliveryId: number): Promise<DeliveryFacts> {
  const rows = await tx.manager.query<DeliveryFacts[]>(
    `SELECT d.account_id, d.event_id, d.event_type, d.subscription_id, d.run, d.state, d.attempts_made,
            d.next_attempt_at, d.discard_at, d.last_status_code, d.last_error_class, s.url, s.state AS subscription_state, e.body IS NULL AS erased,
            h.subscription_id IS NOT NULL AS failing
       FROM deliveries d
       JOIN subscriptions s ON s.id = d.subscription_id
       JOIN events e ON e.id = d.event_id
       LEFT JOIN subscription_health h ON h.subscription_id = d.subscription_id
      WHERE d.id = ? FOR UPDATE OF d`,
    [deliveryId],
  );
  const facts = rows[0];
  if (facts === undefined) throw new Error(`Delivery ${deliveryId} is gone.`);
  return facts;
}

function outcomeWithoutPost(
  facts: DeliveryFacts,
  input: AttemptInput,
  now: Date,
): AttemptOutcome | null {
  if (facts.run !== input.run) return { state: "superseded" };
  if (!isOpenDelivery(facts.state)) return { state: facts.state };
  if (facts.attempts_made < input.seq) return null;
  const due = facts.next_attempt_at ?? facts.discard_at ?? now;
  return {
    state: "waiting",
    waitMs: millisecondsUntil(due, now),
    nextAttemptAt: facts.next_attempt_at?.toISOString() ?? null,
    statusCode: facts.last_status_code,
    errorClass: facts.last_error_class,
  };
}

/** An answer of 2xx ends the delivery, also where a slower twin of the attempt was told to have failed. */
function mayStillArrive(state: DeliveryState): boolean {
  return isOpenDelivery(state) || state === "held";
}

function millisecondsUntil(due: Date, now: Date): number {
  return Math.max(0, due.getTime() - now.getTime());
}

/** Why an open delivery may not be attempted now, or null where it may. */
function stopFor(facts: DeliveryFacts): { state: "cancelled" | "held"; reason: string } | null {
  if (facts.erased === 1) return { state: "cancelled", reason: "erased" };
  switch (facts.subscription_state) {
    case "active":
      return null;
    case "paused":
      return { state: "held", reason: "subscription_paused" };
    case "disabled":
      return { state: "held", reason: "subscription_disabled" };
    case "deleted":
      return { state: "cancelled", reason: "subscription_deleted" };
  }
}

async function stopDelivery(
  tx: Tx,
  deliveryId: number,
  { state, reason }: { state: "cancelled" | "held"; reason: string },
): Promise<AttemptOutcome> {
  await tx.manager.query(
    `UPDATE deliveries SET state = ?, reason = ?, next_attempt_at = IF(? = 'held', next_attempt_at, NULL),
            discard_at = NULL, finished_at = IF(? = 'cancelled', ?, NULL), updated_at = ? WHERE id = ?`,
    [state, reason, state, state, tx.now, tx.now, deliveryId],
  );
  await recordDeliveryChange(tx, { deliveryId });
  return { state };
}

async function writeAhead(tx: Tx, facts: DeliveryFacts, input: AttemptInput): Promise<void> {
  await tx.manager.query(
    `INSERT INTO delivery_attempts (account_id, delivery_id, run, seq, number, manual, started_at, request_url)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON DUPLICATE KEY UPDATE posts = posts + 1, started_at = ?, request_url = ?`,
    [
      facts.account_id,
      input.deliveryId,
      input.run,
      input.seq,
      input.number,
      input.manual,
      tx.now,
      facts.url,
      tx.now,
      facts.url,
    ],
  );
  await tx.manager.query("UPDATE deliveries SET state = 'sending', updated_at = ? WHERE id = ?", [
    tx.now,
    input.deliveryId,
  ]);
}

/** What came of a POST, as the log keeps it. */
export interface AttemptRecord {
  ok: boolean;
  durationMs: number;
  statusCode: number | null;
  errorClass: string | null;
  requestHeaders: Record<string, string>;
  responseHeaders: Record<string, string> | null;
  responseExcerpt: string | null;
  ip: string | null;
  /** Wait before the next attempt, or the last wait, should this attempt begin it. */
  waitMs: number;
}

/**
 * Completes an attempt and moves its delivery on. A delivery that was cancelled or held while the
 * POST was under way keeps that state, and the attempt still tells what came of it; a held one that
 * arrived is delivered, or it would go out again when its subscription is resumed.
 */
export async function completeAttempt(
  tx: Tx,
  input: AttemptInput,
  record: AttemptRecord,
): Promise<AttemptOutcome> {
  const facts = await lockDelivery(tx, input.deliveryId);
  await updateAttempt(tx, input, facts.erased === 1 ? withoutAnswer(record) : record);
  const settled = outcomeWithoutPost(facts, input, tx.now);
  const arrived = record.ok && facts.run === input.run && mayStillArrive(facts.state);
  if (settled?.state === "held" && !arrived) await keepNextMoment(tx, input, record);
  if (settled !== null && !arrived) return settled;
  const { subscription_id: subscriptionId, event_id: eventId } = facts;
  if (arrived) {
    if (facts.failing === 1) await forgetFailures(tx, subscriptionId);
    return await markDelivered(tx, input, record);
  }
  const outcome = await markFailed(tx, input, record, facts);
  await recordFailure(tx, { subscriptionId, eventId, statusCode: record.statusCode });
  return outcome;
}

/** A delivery that was held while it failed goes on at its time, should that come after the hold. */
async function keepNextMoment(
  tx: Tx,
  input: AttemptInput,
  { waitMs }: AttemptRecord,
): Promise<void> {
  if (isLast(input)) return;
  await tx.manager.query("UPDATE deliveries SET next_attempt_at = ? WHERE id = ?", [
    new Date(tx.now.getTime() + waitMs),
    input.deliveryId,
  ]);
}

/** A receiver may repeat what it was sent, and that has been erased meanwhile. */
function withoutAnswer(record: AttemptRecord): AttemptRecord {
  return { ...record, responseHeaders: null, responseExcerpt: null };
}

async function updateAttempt(tx: Tx, input: AttemptInput, record: AttemptRecord): Promise<void> {
  await tx.manager.query(
    `UPDATE delivery_attempts SET duration_ms = ?, status_code = ?, error_class = ?, request_headers = ?,
            response_headers = ?, response_excerpt = ?, ip = ?
      WHERE delivery_id = ? AND run = ? AND seq = ?`,
    [
      Math.round(record.durationMs),
      record.statusCode,
      record.errorClass,
      JSON.stringify(record.requestHeaders),
      record.responseHeaders === null ? null : JSON.stringify(record.responseHeaders),
      record.responseExcerpt,
      record.ip,
      input.deliveryId,
      input.run,
      input.seq,
    ],
  );
}

async function markDelivered(
  tx: Tx,
  input: AttemptInput,
  record: AttemptRecord,
): Promise<AttemptOutcome> {
  await tx.manager.query(
    `UPDATE deliveries SET state = 'delivered', reason = NULL, attempts_made = GREATEST(attempts_made, ?), next_attempt_at = NULL, discard_at = NULL,
            last_status_code = ?, last_error_class = NULL, finished_at = ?, updated_at = ? WHERE id = ?`,
    [input.seq, record.statusCode, tx.now, tx.now, input.deliveryId],
  );
  if (input.seq > 1 || input.run > 1) {
    await recordDeliveryChange(tx, { deliveryId: input.deliveryId });
  }
  return { state: "delivered" };
}

async function markFailed(
  tx: Tx,
  input: AttemptInput,
  record: AttemptRecord,
  facts: DeliveryFacts,
): Promise<AttemptOutcome> {
  const due = new Date(tx.now.getTime() + record.waitMs);
  // The last wait begins once: an attempt by hand in it leaves its end where it is.
  const discardAt = isLast(input) ? (facts.discard_at ?? due) : null;
  const nextAttemptAt = isLast(input) ? null : due;
  await tx.manager.query(
    `UPDATE deliveries SET state = 'waiting', attempts_made = ?, next_attempt_at = ?, discard_at = ?,
            last_status_code = ?, last_error_class = ?, updated_at = ? WHERE id = ?`,
    [
      input.seq,
      nextAttemptAt,
      discardAt,
      record.statusCode,
      record.errorClass,
      tx.now,
      input.deliveryId,
    ],
  );
  await recordDeliveryChange(tx, { deliveryId: input.deliveryId });
  if (discardAt !== null && facts.discard_at === null) {
    await warnOfExhaustion(tx, input, facts, discardAt);
  }
  return {
    state: "waiting",
    waitMs: millisecondsUntil(discardAt ?? due, tx.now),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    statusCode: record.statusCode,
    errorClass: record.errorClass,
  };
}

function isLast({ number, waitsMs }: AttemptInput): boolean {
  return number === waitsMs.length;
}

/** At most one warning an hour for a subscription: a dead receiver fails many deliveries at once. */
async function warnOfExhaustion(
  tx: Tx,
  input: AttemptInput,
  facts: DeliveryFacts,
  discardAt: Date,
): Promise<void> {
  const hour = Math.floor(tx.now.getTime() / 3_600_000);
  await recordNotification(tx, {
    kind: "delivery_exhausted_warning",
    params: {
      ...(await failureParams(tx, input.deliveryId)),
      discard_at: discardAt.toISOString(),
    },
    dedupeKey: `exhausted:${facts.subscription_id}:${hour}`,
    groupKey: `exhausted:${facts.subscription_id}`,
    deliveryId: input.deliveryId,
    subscriptionId: facts.subscription_id,
  });
}

/**
 * Gives up a delivery after its last wait and tells the people of the account, once for each run.
 * A delivery that has ended otherwise, or runs anew, stays as it is.
 */
export async function discardDelivery(
  tx: Tx,
  input: { deliveryId: number; run: number },
): Promise<DeliveryState | "superseded"> {
  const facts = await lockDelivery(tx, input.deliveryId);
  if (facts.run !== input.run) return "superseded";
  if (!isOpenDelivery(facts.state)) return facts.state;
  await tx.manager.query(
    `UPDATE deliveries SET state = 'discarded', next_attempt_at = NULL, discard_at = NULL, finished_at = ?,
            updated_at = ? WHERE id = ?`,
    [tx.now, tx.now, input.deliveryId],
  );
  await recordDeliveryChange(tx, { deliveryId: input.deliveryId });
  await recordNotification(tx, {
    kind: "delivery_discarded",
    params: await failureParams(tx, input.deliveryId),
    dedupeKey: `discarded:${input.deliveryId}:${input.run}`,
    groupKey: `discarded:${facts.subscription_id}`,
    deliveryId: input.deliveryId,
    subscriptionId: facts.subscription_id,
  });
  return "discarded";
}

/** Ends an open delivery of the current run as `cancelled`. @returns the state it is in now. */
export async function cancelDelivery(
  tx: Tx,
  input: { deliveryId: number; run: number },
  reason: string,
): Promise<DeliveryState | "superseded"> {
  const facts = await lockDelivery(tx, input.deliveryId);
  if (facts.run !== input.run) return "superseded";
  if (!isOpenDelivery(facts.state)) return facts.state;
  await stopDelivery(tx, input.deliveryId, { state: "cancelled", reason });
  return "cancelled";
}

async function failureParams(
  tx: Tx,
  deliveryId: number,
): Promise<Record<string, string | number | null>> {
  const [params] = await tx.manager.query<Record<string, string | number | null>[]>(
    `SELECT s.name AS subscription_name, d.event_type, d.first_number - 1 + d.attempts_made AS attempts,
            d.last_status_code AS status_code, d.last_error_class AS error_class
       FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id WHERE d.id = ?`,
    [deliveryId],
  );
  return params ?? {};
}
