import {
  nextWaitMs,
  type AttemptInput,
  type AttemptOutcome,
} from "../core/model/workflow/delivery.ts";
import { createBatcher } from "../core/batches.ts";
import {
  readMaterials,
  type AttemptMaterial,
} from "../core/services/deliveries/attempt-material.ts";
import { beginAttempts, type AttemptToBegin } from "../core/services/deliveries/begin-attempts.ts";
import {
  completeAttempts,
  type AttemptMade,
  type AttemptRecord,
} from "../core/services/deliveries/complete-attempts.ts";
import { LockSkippedError, type LockOptions } from "../core/services/deliveries/delivery-facts.ts";
import { deliveryHeaders, hideSignatures, makeLoopMark } from "../core/signature.ts";
import { oneStatement, systemOf, transaction } from "../db/transaction.ts";
import type { PostResult } from "./http/post.ts";
import type { ActivityDeps } from "./deps.ts";
import { retryFor } from "./retry-for.ts";
import { runKey, type HostAnswer } from "./limits/host-limiter.ts";
import { AttemptUnderWay, HostBusy } from "./retry-later.ts";

/**
 * Time limit to store the beginning of an attempt; a later attempt is not posted. Temporal gives
 * the activity 20 s, and the POST and its completion take up to 17 s of them. After that another
 * worker repeats the attempt.
 */
const beginMs = 3_000;
/** Errors that mean that a host cannot take more attempts. */
const unreachable = new Set<string | null>(["timeout", "connection_refused", "connection_failed"]);

/** Attempts that begin or end together share a transaction: one flush to disk for all of them. */
const gathered = { atOnce: 3, most: 100 };
/**
 * Wait for further attempts in a backlog, when the CPU is the limit. A single transaction is short.
 * Two workers, with half as many attempts each, would share none without the wait.
 */
const crowdedMs = 150;
/** Batches of one, for deliveries that another transaction has locked: each waits by itself. */
const apart = { atOnce: 3, most: 1 };

/**
 * Creates the activity of one attempt: it stores the beginning, posts, and stores the result. The
 * outcome is a value. A thrown error is ours, and then the same attempt repeats with the same
 * number and bytes (rule C54).
 */
export function createAttemptDelivery(deps: ActivityDeps) {
  const attempt = createAttempt(deps);
  return async function attemptDelivery(input: AttemptInput): Promise<AttemptOutcome> {
    try {
      return await attempt(input);
    } finally {
      deps.hostLimiter.release(runKey(input), null);
    }
  };
}

function createAttempt(deps: ActivityDeps) {
  const { dataSource, metrics, hostLimiter } = deps;
  const gatherMs = () => (hostLimiter.isBacklogged() ? crowdedMs : 0);
  const begin = gather(gatherMs, async (inputs: AttemptInput[], locking) => {
    const attempts = await prepareAttempts(deps, inputs);
    return await transaction(dataSource, systemOf(), (tx) => beginAttempts(tx, attempts, locking));
  });
  const complete = gather(gatherMs, (made: AttemptMade[], locking) =>
    transaction(dataSource, systemOf(), (tx) => completeAttempts(tx, made, locking)),
  );
  const loopMark = makeLoopMark(deps.secretBox);
  return async (input: AttemptInput): Promise<AttemptOutcome> => {
    const calledAt = performance.now();
    // From here on the attempt no longer waits for Temporal.
    hostLimiter.recordStarted(runKey(input));
    const start = await begin(input);
    if (!start.go) {
      if ("busyHost" in start) {
        metrics.attemptsPostponed.inc({ reason: "host_busy" });
        throw new HostBusy(hostLimiter.retryDelayMs(start.busyHost, start.subscriptionId));
      }
      if ("underWayMs" in start) {
        metrics.attemptsPostponed.inc({ reason: "under_way" });
        throw new AttemptUnderWay(start.underWayMs);
      }
      return start.outcome;
    }
    if (performance.now() - calledAt > beginMs) throw new Error("Too late to post.");
    const { material } = start;
    if (input.seq === 1) metrics.firstAttemptSeconds.observe(secondsSince(material.occurredAt));
    const requestHeaders = signedHeaders(deps, input, material, loopMark);
    const { url, body } = material;
    const result = await deps.poster.post({ url, headers: requestHeaders, body });
    // The receiver has answered, so its slot is free while the result is stored.
    hostLimiter.release(runKey(input), answerOf(result));
    const record = recordOf(deps, input, result, hideSignatures(requestHeaders));
    const outcome = await retryFor(() => complete({ input, record }));
    tell(deps, input, material, { result, outcome });
    return outcome;
  };
}

/**
 * Reads what attempts post, and acquires the slots of their hosts. Both come before the
 * transaction, which may run several times and holds locks. `attemptDelivery` releases the slot of
 * an attempt that does not begin.
 */
async function prepareAttempts(
  { dataSource, hostLimiter }: ActivityDeps,
  inputs: readonly AttemptInput[],
): Promise<AttemptToBegin[]> {
  const ids = inputs.map(({ deliveryId }) => deliveryId);
  const materials = await oneStatement(dataSource, systemOf(), (tx) => readMaterials(tx, ids));
  return inputs.map((input) => {
    const material = materials.get(input.deliveryId);
    if (material === undefined) return { input, material, hasSlot: false };
    const { url, subscription } = material;
    const hasSlot = hostLimiter.acquire(runKey(input), new URL(url).host, subscription);
    return { input, material, hasSlot };
  });
}

/** Runs items in batches. No batch waits for a delivery that another transaction has locked. */
function gather<Item, Result>(
  gatherMs: () => number,
  run: (items: Item[], locking: LockOptions) => Promise<(Result | Error)[]>,
): (item: Item) => Promise<Result> {
  const options = { ...gathered, gatherMs };
  const together = createBatcher((items: Item[]) => run(items, { skipLocked: true }), options);
  const alone = createBatcher((items: Item[]) => run(items, {}), apart);
  return async (item) => {
    try {
      return await together(item);
    } catch (error) {
      if (error instanceof LockSkippedError) return await alone(item);
      throw error;
    }
  };
}

function answerOf({ errorClass, durationMs, ip }: PostResult): HostAnswer {
  return { reached: !unreachable.has(errorClass), durationMs, ip };
}

/** Records an attempt for people: metrics and a log line. */
function tell(
  deps: ActivityDeps,
  input: AttemptInput,
  material: AttemptMaterial,
  { result, outcome }: { result: PostResult; outcome: AttemptOutcome },
): void {
  observe(deps, result, outcome);
  // A redelivery begins long after its event, so its time would measure the operator, not the
  // receiver.
  if (outcome.state === "delivered" && result.errorClass === null && input.run === 1) {
    deps.metrics.deliverySeconds.observe(secondsSince(material.occurredAt));
  }
  deps.log.info(logFields(input, material, result, outcome), "delivery.attempted");
}

function logFields(
  input: AttemptInput,
  material: AttemptMaterial,
  result: PostResult,
  outcome: AttemptOutcome,
): Record<string, unknown> {
  return {
    account_id: input.accountId,
    delivery_id: input.deliveryId,
    event_id: material.eventId,
    event_type: material.eventType,
    run: input.run,
    attempt: input.number,
    manual: input.manual,
    via: input.via ?? "workflow",
    status_code: result.statusCode,
    error_class: result.errorClass,
    duration_ms: Math.round(result.durationMs),
    state: outcome.state,
  };
}

function secondsSince(moment: Date): number {
  return Math.max(0, (Date.now() - moment.getTime()) / 1000);
}

function signedHeaders(
  { secretBox }: ActivityDeps,
  input: AttemptInput,
  material: AttemptMaterial,
  loopMark: string,
): Record<string, string> {
  const secrets = material.sealedSecrets.map((sealed) =>
    secretBox.open(sealed, material.secretContext),
  );
  return deliveryHeaders({
    ...material,
    attempt: input.number,
    secrets,
    timestampSeconds: Math.floor(Date.now() / 1000),
    loopMark,
  });
}

function recordOf(
  { retryJitter }: ActivityDeps,
  input: AttemptInput,
  result: PostResult,
  requestHeaders: Record<string, string>,
): AttemptRecord {
  const scheduledMs = input.waitsMs[input.number - 1] ?? 0;
  const jitterMs = scheduledMs * retryJitter * Math.random();
  const { retryAfterMs: asked, ...answer } = result;
  // No attempt follows the last wait, so `Retry-After` has no effect there.
  const retryAfterMs = input.number < input.waitsMs.length ? asked : null;
  const waitMs = nextWaitMs({ scheduledMs, retryAfterMs, jitterMs });
  return { ...answer, requestHeaders, waitMs };
}

function observe({ metrics }: ActivityDeps, result: PostResult, outcome: AttemptOutcome): void {
  metrics.attempts.inc({ outcome: result.errorClass ?? "ok" });
  metrics.attemptSeconds.observe(result.durationMs / 1000);
  if (outcome.state !== "waiting") metrics.deliveriesFinished.inc({ state: outcome.state });
}
