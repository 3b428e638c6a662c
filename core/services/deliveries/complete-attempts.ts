import type { Tx } from "../../../db/transaction.ts";
import {
  isOpenDelivery,
  type AttemptInput,
  type AttemptOutcome,
  type DeliveryState,
} from "../../model/workflow/delivery.ts";
import { recordDeliveryChange } from "../outbox/changes.ts";
import { failureParams } from "./delivery-ends.ts";
import {
  inAccount,
  lockDeliveries,
  millisecondsUntil,
  lockError,
  outcomeWithoutPost,
  workflowIdOf,
  type DeliveryFacts,
  type LockOptions,
} from "./delivery-facts.ts";
import { lastToldAt, recordNotification } from "../notifications/notifications.ts";
import { recordFailure } from "../subscriptions/subscription-health.ts";
import { forgetFailures } from "../subscriptions/subscription-state.ts";

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

/** An attempt that has been made. */
export interface AttemptMade {
  input: AttemptInput;
  record: AttemptRecord;
}

/**
 * Completes attempts and moves their deliveries on, those that arrived in a few statements. A delivery
 * that was cancelled or held while the POST was under way keeps that state, and the attempt still tells
 * what came of it; a held one that arrived is delivered, or it would go out again when its subscription
 * is resumed.
 * @returns what comes of each, in their order; an Error where a delivery is gone or passed over.
 */
export async function completeAttempts(
  tx: Tx,
  attempts: readonly AttemptMade[],
  locking: LockOptions = {},
): Promise<(AttemptOutcome | Error)[]> {
  const ids = attempts.map(({ input }) => input.deliveryId);
  const locked = await lockDeliveries(tx, ids, locking);
  const known = attempts.flatMap((made) => {
    const facts = locked.get(made.input.deliveryId);
    return facts === undefined ? [] : [{ ...made, facts }];
  });
  if (known.length > 0) await updateAttempts(tx, known);
  const outcomes = new Map<AttemptInput, AttemptOutcome>();
  const arrived = known.filter(hasArrived);
  for (const made of known) {
    if (!hasArrived(made)) outcomes.set(made.input, await moveOn(tx, made));
  }
  if (arrived.length > 0) await markDelivered(tx, arrived);
  for (const { input } of arrived) outcomes.set(input, { state: "delivered" });
  return attempts.map(({ input }) => outcomes.get(input) ?? lockError(input.deliveryId, locking));
}

interface LockedAttempt extends AttemptMade {
  facts: DeliveryFacts;
}

/** An answer of 2xx ends the delivery, also where a slower twin of the attempt was told to have failed. */
function hasArrived({ input, record, facts }: LockedAttempt): boolean {
  return record.ok && facts.run === input.run && mayStillArrive(facts.state);
}

function mayStillArrive(state: DeliveryState): boolean {
  return isOpenDelivery(state) || state === "held";
}

async function moveOn(tx: Tx, { input, record, facts }: LockedAttempt): Promise<AttemptOutcome> {
  const settled = outcomeWithoutPost(facts, input, tx.now);
  if (settled?.state === "held") await keepNextMoment(tx, input, record);
  if (settled !== null) return settled;
  const own = inAccount(tx, facts);
  const outcome = await markFailed(own, { input, record, facts });
  const { subscription_id: subscriptionId, event_id: eventId } = facts;
  await recordFailure(own, { subscriptionId, eventId, statusCode: record.statusCode });
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

async function updateAttempts(tx: Tx, made: readonly LockedAttempt[]): Promise<void> {
  await tx.manager.query(
    `UPDATE (VALUES ${made.map(() => "ROW(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")})
              AS v (delivery_id, run, seq, duration_ms, status_code, error_class, request_headers,
                    response_headers, response_excerpt, ip)
       STRAIGHT_JOIN delivery_attempts a
          ON a.delivery_id = v.delivery_id AND a.run = v.run AND a.seq = v.seq
        SET a.duration_ms = v.duration_ms, a.status_code = v.status_code, a.error_class = v.error_class,
            a.request_headers = v.request_headers, a.response_headers = v.response_headers,
            a.response_excerpt = v.response_excerpt, a.ip = v.ip`,
    made.flatMap(({ input, record, facts }) => [
      input.deliveryId,
      input.run,
      input.seq,
      Math.round(record.durationMs),
      record.statusCode,
      record.errorClass,
      JSON.stringify(record.requestHeaders),
      ...answerOf(record, facts),
      record.ip,
    ]),
  );
}

/** A receiver may repeat what it was sent, and that may have been erased meanwhile. */
function answerOf(
  { responseHeaders, responseExcerpt }: AttemptRecord,
  { erased }: DeliveryFacts,
): (string | null)[] {
  if (erased === 1) return [null, null];
  return [responseHeaders === null ? null : JSON.stringify(responseHeaders), responseExcerpt];
}

async function markDelivered(tx: Tx, arrived: readonly LockedAttempt[]): Promise<void> {
  await tx.manager.query(
    `UPDATE (VALUES ${arrived.map(() => "ROW(?, ?, ?)").join(", ")}) AS v (id, seq, status_code)
       STRAIGHT_JOIN deliveries d ON d.id = v.id
        SET d.state = 'delivered', d.reason = NULL, d.attempts_made = GREATEST(d.attempts_made, v.seq),
            d.next_attempt_at = NULL, d.discard_at = NULL, d.last_status_code = v.status_code,
            d.last_error_class = NULL, d.finished_at = ?, d.updated_at = ?`,
    [
      ...arrived.flatMap(({ input, record }) => [input.deliveryId, input.seq, record.statusCode]),
      tx.now,
      tx.now,
    ],
  );
  const recovered = new Set(
    arrived.flatMap(({ facts }) => (facts.failing === 1 ? [facts.subscription_id] : [])),
  );
  for (const subscriptionId of recovered) await forgetFailures(tx, subscriptionId);
  for (const { input, facts } of arrived.filter(isWatched)) {
    await recordDeliveryChange(inAccount(tx, facts), { deliveryId: input.deliveryId });
  }
}

/**
 * Nearly all arrive at their first attempt: a row for each would cost more than it tells. One that
 * views were told of meanwhile, as held or waiting, is none of them.
 */
function isWatched({ input, facts }: LockedAttempt): boolean {
  return input.seq > 1 || input.run > 1 || facts.state !== "sending";
}

async function markFailed(
  tx: Tx,
  { input, record, facts }: LockedAttempt,
): Promise<AttemptOutcome> {
  const due = new Date(tx.now.getTime() + record.waitMs);
  // The last wait begins once: an attempt by hand in it leaves its end where it is.
  const discardAt = isLast(input) ? (facts.discard_at ?? due) : null;
  const nextAttemptAt = isLast(input) ? null : due;
  // What the relay has tried in vain goes on in a workflow.
  await tx.manager.query(
    `UPDATE deliveries SET state = 'waiting', attempts_made = ?, next_attempt_at = ?, discard_at = ?,
            last_status_code = ?, last_error_class = ?, workflow_id = COALESCE(workflow_id, ?), updated_at = ?
      WHERE id = ?`,
    [
      input.seq,
      nextAttemptAt,
      discardAt,
      record.statusCode,
      record.errorClass,
      workflowIdOf(facts),
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

const anHourMs = 3_600_000;

/** At most one warning an hour for a subscription: a dead receiver fails many deliveries at once. */
async function warnOfExhaustion(
  tx: Tx,
  input: AttemptInput,
  facts: DeliveryFacts,
  discardAt: Date,
): Promise<void> {
  const now = tx.now.getTime();
  const hour = Math.floor(now / anHourMs);
  const keyOf = (of: number) => `exhausted:${facts.subscription_id}:${of}`;
  const toldAt = await lastToldAt(tx, [keyOf(hour), keyOf(hour - 1)]);
  if (toldAt !== null && now - toldAt.getTime() < anHourMs) return;
  await recordNotification(tx, {
    kind: "delivery_exhausted_warning",
    params: {
      ...(await failureParams(tx, input.deliveryId)),
      discard_at: discardAt.toISOString(),
    },
    // For those that fail together, each in its own transaction.
    dedupeKey: keyOf(hour),
    // As the discard that follows, which then takes its place.
    groupKey: `discarded:${facts.subscription_id}`,
    deliveryId: input.deliveryId,
    subscriptionId: facts.subscription_id,
  });
}
