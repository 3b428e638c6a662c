import type { Tx } from "../../../db/transaction.ts";
import { hourMs } from "../../model/durations.ts";
import {
  canChangeDelivery,
  isOpenDelivery,
  type AttemptInput,
  type AttemptOutcome,
} from "../../model/workflow/delivery.ts";
import { actAs } from "../act-as.ts";
import { recordDeliveryChange } from "../outbox/changes.ts";
import { placeholders } from "../sql.ts";
import { failureParams } from "./delivery-ends.ts";
import {
  lockDeliveries,
  millisecondsUntil,
  lockError,
  outcomeWithoutPost,
  workflowIdOf,
  type DeliveryFacts,
  type LockOptions,
} from "./delivery-facts.ts";
import { postponeHeld, setDelivered, setDeliveryState } from "./delivery-state.ts";
import { lastToldAt, recordNotification } from "../notifications/notifications.ts";
import { recordFailure } from "../subscriptions/subscription-health.ts";
import { forgetFailures } from "../subscriptions/subscription-state.ts";

/** Outcome of a POST, as the log keeps it. */
export interface AttemptRecord {
  ok: boolean;
  durationMs: number;
  statusCode: number | null;
  errorClass: string | null;
  requestHeaders: Record<string, string>;
  responseHeaders: Record<string, string> | null;
  responseExcerpt: string | null;
  ip: string | null;
  /**
   * Wait before the next attempt. For the last number: the last wait, if this attempt begins that
   * wait.
   */
  waitMs: number;
}

/** A finished attempt with its outcome. */
export interface AttemptMade {
  input: AttemptInput;
  record: AttemptRecord;
}

/**
 * Completes attempts and updates their deliveries. Deliveries that arrived are updated in a few
 * statements. A delivery that was cancelled or held during the POST keeps that state, and the
 * attempt still records its outcome. A held delivery that arrived becomes delivered. Otherwise the
 * event would be sent again when the subscription is resumed.
 * @returns the outcome of each attempt, in their order; an Error where a delivery is gone or
 *   skipped.
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

/** A 2xx ends the delivery, even where a slower twin of the attempt was reported as failed. */
function hasArrived({ input, record, facts }: LockedAttempt): boolean {
  return record.ok && facts.run === input.run && canChangeDelivery(facts.state, "arrive");
}

async function moveOn(tx: Tx, { input, record, facts }: LockedAttempt): Promise<AttemptOutcome> {
  const settled = outcomeWithoutPost(facts, input, tx.now);
  if (settled?.state === "held") await keepNextMoment(tx, input, record);
  if (settled !== null) return settled;
  const own = actAs(tx, "system", facts.account_id);
  const outcome = await markFailed(own, { input, record, facts });
  const { subscription_id: subscriptionId, event_id: eventId } = facts;
  await recordFailure(own, { subscriptionId, eventId, statusCode: record.statusCode });
  return outcome;
}

/**
 * A delivery that was held while its attempt failed keeps the time of its next attempt. The time
 * counts if it comes after the hold.
 */
async function keepNextMoment(
  tx: Tx,
  input: AttemptInput,
  { waitMs }: AttemptRecord,
): Promise<void> {
  if (isLast(input)) return;
  await postponeHeld(tx, input.deliveryId, new Date(tx.now.getTime() + waitMs));
}

async function updateAttempts(tx: Tx, made: readonly LockedAttempt[]): Promise<void> {
  const erased = await listErased(tx, made);
  await tx.manager.query(
    `UPDATE (VALUES ${made.map(() => "ROW(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")})
              AS v (delivery_id, run, seq, duration_ms, status_code, error_class, request_headers,
                    response_headers, response_excerpt, ip)
       STRAIGHT_JOIN delivery_attempts a
          ON a.delivery_id = v.delivery_id AND a.run = v.run AND a.seq = v.seq
        SET a.duration_ms = v.duration_ms, a.status_code = v.status_code, a.error_class = v.error_class,
            a.request_headers = v.request_headers, a.response_headers = v.response_headers,
            a.response_excerpt = v.response_excerpt, a.ip = v.ip`,
    made.flatMap(({ input, record }) => [
      input.deliveryId,
      input.run,
      input.seq,
      Math.round(record.durationMs),
      record.statusCode,
      record.errorClass,
      JSON.stringify(record.requestHeaders),
      ...(erased.has(input.deliveryId) ? [null, null] : answerOf(record)),
      record.ip,
    ]),
  );
}

/**
 * Deliveries that store no answer: a receiver may echo the event, and the event may have been erased
 * meanwhile. A lock that waited for the erasure shows its reason, but not yet the event without its
 * body. A delivery that had ended before keeps its own reason, so its event is read anew.
 */
async function listErased(tx: Tx, made: readonly LockedAttempt[]): Promise<Set<number>> {
  const isErased = ({ facts }: LockedAttempt) => facts.erased === 1 || facts.reason === "erased";
  const idsOf = (some: LockedAttempt[]) => some.map(({ input }) => input.deliveryId);
  const erased = new Set(idsOf(made.filter(isErased)));
  const ended = idsOf(made.filter((one) => !isErased(one) && !isOpenDelivery(one.facts.state)));
  if (ended.length === 0) return erased;
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT d.id FROM deliveries d FORCE INDEX (PRIMARY) JOIN events e ON e.id = d.event_id
      WHERE d.id IN (${placeholders(ended)}) AND e.body IS NULL`,
    ended,
  );
  for (const { id } of rows) erased.add(Number(id));
  return erased;
}

function answerOf({ responseHeaders, responseExcerpt }: AttemptRecord): (string | null)[] {
  return [responseHeaders === null ? null : JSON.stringify(responseHeaders), responseExcerpt];
}

async function markDelivered(tx: Tx, arrived: readonly LockedAttempt[]): Promise<void> {
  await setDelivered(
    tx,
    arrived.map(({ input: { deliveryId: id, seq }, record: { statusCode } }) => {
      return { id, seq, statusCode };
    }),
  );
  const recovered = new Set(
    arrived.flatMap(({ facts }) => (facts.failing === 1 ? [facts.subscription_id] : [])),
  );
  for (const subscriptionId of recovered) await forgetFailures(tx, subscriptionId);
  for (const { input, facts } of arrived.filter(isWatched)) {
    const own = actAs(tx, "system", facts.account_id);
    await recordDeliveryChange(own, { deliveryId: input.deliveryId });
  }
}

/**
 * Nearly all deliveries arrive at their first attempt, and a change for each would cost more than
 * it is worth. A delivery that views know as held or waiting does get a change.
 */
function isWatched({ input, facts }: LockedAttempt): boolean {
  return input.seq > 1 || input.run > 1 || facts.state !== "sending";
}

async function markFailed(
  tx: Tx,
  { input, record, facts }: LockedAttempt,
): Promise<AttemptOutcome> {
  const due = new Date(tx.now.getTime() + record.waitMs);
  // The last wait begins once: a manual attempt during that wait does not move its end.
  const discardAt = isLast(input) ? (facts.discard_at ?? due) : null;
  const nextAttemptAt = isLast(input) ? null : due;
  await setDeliveryState(tx, [input.deliveryId], {
    trigger: "fail",
    attemptsMade: input.seq,
    nextAttemptAt,
    discardAt,
    statusCode: record.statusCode,
    errorClass: record.errorClass,
    // A delivery whose attempt by the relay failed continues in a workflow.
    workflowId: facts.workflow_id ?? workflowIdOf(facts),
  });
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

/**
 * At most one warning an hour for each subscription, because a dead receiver fails many deliveries
 * at once.
 */
async function warnOfExhaustion(
  tx: Tx,
  input: AttemptInput,
  facts: DeliveryFacts,
  discardAt: Date,
): Promise<void> {
  const now = tx.now.getTime();
  const hour = Math.floor(now / hourMs);
  const keyOf = (of: number) => `exhausted:${facts.subscription_id}:${of}`;
  const toldAt = await lastToldAt(tx, [keyOf(hour), keyOf(hour - 1)]);
  if (toldAt !== null && now - toldAt.getTime() < hourMs) return;
  await recordNotification(tx, {
    kind: "delivery_exhausted_warning",
    params: {
      ...(await failureParams(tx, input.deliveryId)),
      discard_at: discardAt.toISOString(),
    },
    // One key an hour, for deliveries that fail together, each in its own transaction.
    dedupeKey: keyOf(hour),
    // The group of the discard that follows. That notification then becomes the newest of the
    // group.
    groupKey: `discarded:${facts.subscription_id}`,
    deliveryId: input.deliveryId,
    subscriptionId: facts.subscription_id,
  });
}
