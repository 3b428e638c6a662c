import {
  attemptHeader,
  eventIdHeader,
  eventTypeHeader,
  nextWaitMs,
  signatureHeader,
  webhookIdHeader,
  webhookSignatureHeader,
  webhookTimestampHeader,
  type AttemptInput,
  type AttemptOutcome,
} from "../core/model/delivery.ts";
import {
  beginAttempt,
  completeAttempt,
  type AttemptMaterial,
  type AttemptRecord,
} from "../core/services/delivery-attempts.ts";
import { signBody, signStandard } from "../core/signature.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { PostResult } from "./http.ts";
import type { ActivityDeps } from "./index.ts";
import { keepTrying } from "./keep-trying.ts";
import { HostBusy, runKey, type HostAnswer } from "./receiver-slots.ts";

/**
 * An attempt that could not be written down within this time is not posted: Temporal gives it 20 s,
 * the POST and its completion take up to 17 s of them, and after that someone else repeats it.
 */
const beginMs = 3_000;
/** What says that a host cannot take what it is sent. */
const unreachable = new Set<string | null>(["timeout", "connection_refused", "connection_failed"]);

/**
 * Makes one attempt: writes it down, posts, writes down what came of it. The outcome is a value; what
 * it throws is a fault of ours, after which the same attempt, number and bytes go again.
 */
export function createAttemptDelivery(deps: ActivityDeps) {
  return async function attemptDelivery(input: AttemptInput): Promise<AttemptOutcome> {
    const run = runKey(input);
    let answer: HostAnswer = null;
    try {
      return await attempt(deps, input, (given) => (answer = given));
    } finally {
      deps.receiverSlots.leave(run, answer);
    }
  };
}

async function attempt(
  deps: ActivityDeps,
  input: AttemptInput,
  onAnswer: (answer: HostAnswer) => void,
): Promise<AttemptOutcome> {
  const { dataSource, log, metrics, receiverSlots } = deps;
  const options = systemOf(input.accountId);
  const calledAt = performance.now();
  const enterHost = (host: string) => receiverSlots.enter(runKey(input), host);
  const start = await transaction(dataSource, options, (tx) => beginAttempt(tx, input, enterHost));
  if (!start.go) {
    if ("busyHost" in start) throw new HostBusy(receiverSlots.delayMs(start.busyHost));
    return start.outcome;
  }
  if (performance.now() - calledAt > beginMs) throw new Error("Too late to post.");
  const { material } = start;
  if (input.seq === 1) metrics.firstAttemptSeconds.observe(secondsSince(material.occurredAt));
  const requestHeaders = signedHeaders(deps, input, material);
  const result = await deps.poster.post({
    url: material.url,
    headers: requestHeaders,
    body: material.body,
  });
  onAnswer({ reached: !unreachable.has(result.errorClass), durationMs: result.durationMs });
  const record = recordOf(deps, input, result, requestHeaders);
  const outcome = await keepTrying(() =>
    transaction(dataSource, options, (tx) => completeAttempt(tx, input, record)),
  );
  observe(deps, result, outcome);
  // A redelivery begins long after its event: it would tell of the operator, not of the receiver.
  if (outcome.state === "delivered" && result.errorClass === null && input.run === 1) {
    metrics.deliverySeconds.observe(secondsSince(material.occurredAt));
  }
  log.info(logFields(input, material, result, outcome), "delivery.attempted");
  return outcome;
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
): Record<string, string> {
  const secrets = material.sealedSecrets.map((sealed) =>
    secretBox.open(sealed, material.secretContext),
  );
  const [newest = ""] = secrets;
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const { eventId: id, body } = material;
  return {
    "Content-Type": "application/json",
    "User-Agent": "Parley-Webhooks/1",
    [eventTypeHeader]: material.eventType,
    [eventIdHeader]: id,
    [signatureHeader]: signBody(newest, body),
    [attemptHeader]: String(input.number),
    [webhookIdHeader]: id,
    [webhookTimestampHeader]: String(timestampSeconds),
    [webhookSignatureHeader]: signStandard({ secrets, id, timestampSeconds, body }),
  };
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
  // No attempt follows the last wait, so a receiver has nothing to ask of it.
  const retryAfterMs = input.number < input.waitsMs.length ? asked : null;
  const waitMs = nextWaitMs({ scheduledMs, retryAfterMs, jitterMs });
  return { ...answer, requestHeaders, waitMs };
}

function observe({ metrics }: ActivityDeps, result: PostResult, outcome: AttemptOutcome): void {
  metrics.attempts.inc({ outcome: result.errorClass ?? "ok" });
  metrics.attemptSeconds.observe(result.durationMs / 1000);
  if (outcome.state !== "waiting") metrics.deliveriesFinished.inc({ state: outcome.state });
}
