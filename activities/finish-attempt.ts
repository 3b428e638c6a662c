import {
  nextWaitMs,
  type AttemptInput,
  type AttemptOutcome,
} from "../core/model/workflow/delivery.ts";
import type { AttemptMaterial } from "../core/services/deliveries/attempt-material.ts";
import type { AttemptStart } from "../core/services/deliveries/begin-attempts.ts";
import {
  completeAttempts,
  type AttemptMade,
  type AttemptRecord,
} from "../core/services/deliveries/complete-attempts.ts";
import type { LockOptions } from "../core/services/deliveries/delivery-facts.ts";
import { deliveryHeaders, hideSignatures, makeLoopMark } from "../core/signature.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import { gatherAttempts } from "./attempt-batches.ts";
import type { ActivityDeps } from "./deps.ts";
import type { PostResult } from "./http/post.ts";
import { runKey, type HostAnswer } from "./limits/host-limiter.ts";
import type { WorkerMetrics } from "./metrics.ts";
import { retryFor } from "./retry-for.ts";
import { AttemptUnderWay, HostBusy } from "./retry-later.ts";

/** An attempt after its beginning, with the slot of its host. */
export interface StartedAttempt {
  input: AttemptInput;
  start: AttemptStart;
  /** When its beginning was called for, by `performance.now()`. */
  calledAt: number;
}

/**
 * Time limit to store the beginning of an attempt; a later attempt is not posted. Temporal gives
 * the activity 20 s, and the POST and its completion take up to 17 s of them. After that another
 * worker repeats the attempt.
 */
const beginMs = 3_000;
/** Errors that mean that no host answered, so it cannot take more attempts. */
const unreachable = new Set<string | null>([
  "timeout",
  "dns_error",
  "connection_refused",
  "connection_failed",
]);
/**
 * Wait of the relay's attempts for others to complete with. The receiver has answered, and no run
 * waits for the outcome.
 */
const relayGatherMs = 20;

/**
 * Creates the second part of an attempt: the POST and its completion. Where the start says so, there
 * is no POST. The slot is given back in any case.
 */
export function createFinishAttempt(deps: ActivityDeps) {
  const { dataSource, hostLimiter } = deps;
  const run = (made: AttemptMade[], locking: LockOptions) =>
    transaction(dataSource, systemOf(), (tx) => completeAttempts(tx, made, locking));
  const complete = {
    workflow: gatherAttempts(hostLimiter, run),
    relay: gatherAttempts(hostLimiter, run, relayGatherMs),
  };
  const loopMark = makeLoopMark(deps.secretBox);
  return async function finishAttempt(started: StartedAttempt): Promise<AttemptOutcome> {
    const { input, start, calledAt } = started;
    const key = runKey(input);
    try {
      if (!start.go) return outcomeOf(deps, input, start);
      if (performance.now() - calledAt > beginMs) throw new Error("Too late to post.");
      const { material } = start;
      // A later run was begun by an operator or by a recovery, long after the event.
      if (input.seq === 1 && input.run === 1) {
        deps.metrics.firstAttemptSeconds.observe(secondsSince(material.occurredAt));
      }
      const headers = signedHeaders(deps, input, material, loopMark);
      const { url, body } = material;
      const result = await deps.poster.post({ url, headers, body });
      // The receiver has answered, so its slot is free while the result is stored.
      hostLimiter.release(key, answerOf(result));
      const record = recordOf(deps, input, result, hideSignatures(headers));
      const completeOne = complete[input.via ?? "workflow"];
      const outcome = await retryFor(() => completeOne({ input, record }));
      tell(deps, input, material, { result, outcome });
      return outcome;
    } finally {
      hostLimiter.release(key, null);
    }
  };
}

/**
 * The outcome of an attempt without a POST.
 * @throws RetryLaterError where it may not begin yet
 */
function outcomeOf(
  { metrics, hostLimiter }: ActivityDeps,
  { inTask = false }: AttemptInput,
  start: Exclude<AttemptStart, { go: true }>,
): AttemptOutcome {
  if ("busyHost" in start) {
    if (inTask) throw new HostBusy(0);
    metrics.attemptsPostponed.inc({ reason: "host_busy" });
    throw new HostBusy(hostLimiter.retryDelayMs(start.busyHost, start.subscriptionId));
  }
  if ("underWayMs" in start) {
    metrics.attemptsPostponed.inc({ reason: "under_way" });
    throw new AttemptUnderWay(start.underWayMs);
  }
  countEnd(metrics, start.outcome);
  return start.outcome;
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
  countEnd(metrics, outcome);
}

/** A run ends with an outcome that is no wait, with or without a POST. */
function countEnd({ deliveriesFinished }: WorkerMetrics, { state }: AttemptOutcome): void {
  if (state !== "waiting") deliveriesFinished.inc({ state });
}
