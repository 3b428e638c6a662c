// Workflow code runs this file, so it imports nothing.

/** States of a delivery. `held` waits for its subscription to be resumed; it is neither open nor finished. */
export const deliveryStates = [
  "queued",
  "sending",
  "waiting",
  "delivered",
  "discarded",
  "cancelled",
  "skipped",
  "held",
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** States in which a run is under way or about to start. */
export const openDeliveryStates = ["queued", "sending", "waiting"] as const;
export type OpenDeliveryState = (typeof openDeliveryStates)[number];

/** States that only a redelivery or a replay leaves. */
export const finishedDeliveryStates = ["delivered", "discarded", "cancelled", "skipped"] as const;

/** Whether a run of the delivery is under way or about to start. */
export function isOpenDelivery(state: DeliveryState): state is OpenDeliveryState {
  return openDeliveryStates.some((open) => open === state);
}

/** Whether the delivery is over, so that retry and cancel are refused with `delivery_finished`. */
export function isFinishedDelivery(state: DeliveryState): boolean {
  return finishedDeliveryStates.some((finished) => finished === state);
}

/** Automatic attempts of one run, numbered 1 to 6. Source: contract, Limits. */
export const maxAttempts = 6;

/** A delivery is read with so many of its newest attempts: each may hold 20 KB of headers and answer. Our choice. */
export const newestAttempts = 100;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The wait after failed attempt 1, 2, … 6, in milliseconds; the last one ends in the discard. Source: contract, Limits. */
export const retryWaitsMs: readonly number[] = [
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  hourMs,
  6 * hourMs,
  24 * hourMs,
];

/** A 2xx status line must arrive within this many milliseconds. Source: contract, Errors. */
export const attemptTimeoutMs = 8_000;

/** Headers of a delivery. Source: contract, Delivery headers; the `webhook-*` ones: Standard Webhooks. */
export const eventTypeHeader = "X-Service-Event";
export const eventIdHeader = "X-Service-Event-Id";
export const signatureHeader = "X-Service-Signature";
export const attemptHeader = "X-Service-Attempt";
/** Our addition: the same value on every delivery of an installation. `makeLoopMark` makes it. */
export const loopGuardHeader = "X-Service-Loop-Guard";
export const webhookIdHeader = "webhook-id";
export const webhookTimestampHeader = "webhook-timestamp";
export const webhookSignatureHeader = "webhook-signature";

/** Input of the workflow that makes one run of a delivery: ids and numbers, since Temporal keeps it. */
export type DeliverWebhookInput = {
  accountId: number;
  deliveryId: number;
  /** 1 at first; grows with every redelivery and resumption. */
  run: number;
  /** Number of the run's first attempt, 1 to 6. */
  firstNumber: number;
  /** Moment (ISO 8601) before which the first attempt is not made, where the run goes on after a hold. */
  notBefore?: string;
  /** The run's count of its first attempt here, 1 unless told: more where a long history began anew. */
  firstSeq?: number;
  /**
   * What came of that attempt, where it was made in vain before: by the relay, or in the history before
   * this one. It begins with the wait.
   */
  attempted?: FailedAttempt;
  /** The wait after failed attempt 1, 2, … in milliseconds, whatever `firstNumber` is. */
  waitsMs: number[];
  /** Whether the server knows our search attributes; setting an unknown one would block the run. */
  searchable: boolean;
};

/** The state a run leaves its delivery in; `superseded` when a newer run has taken over. */
export type DeliveryRunState = DeliveryState | "superseded";

/** What the workflow of a run completes with. */
export type DeliverWebhookResult = { state: DeliveryRunState };

/** Which attempt of a run is next. */
export type AttemptStep = {
  /** Counts the attempts of the run, those by hand included, from 1. */
  seq: number;
  /** What the receiver reads, 1 to 6. */
  number: number;
  /** Asked for by a person instead of the schedule. */
  manual: boolean;
};

/** One run of one delivery, as every step names it. */
export type DeliveryRun = Pick<DeliverWebhookInput, "accountId" | "deliveryId" | "run">;

/** Input of one attempt. */
export type AttemptInput = AttemptStep &
  DeliveryRun &
  Pick<DeliverWebhookInput, "waitsMs"> & {
    /** Made by the relay, before the run has a workflow. */
    via?: "relay";
  };

/** What came of an attempt, good or bad: a value, since only faults of our own are thrown. */
export type AttemptOutcome =
  | { state: Exclude<DeliveryRunState, OpenDeliveryState> }
  | FailedAttempt;

/** An attempt that failed, and what its delivery waits for. */
export type FailedAttempt = {
  state: "waiting";
  /** Until the next attempt; in the last wait, what is left of it until the discard. */
  waitMs: number;
  /** ISO 8601; null in the last wait. */
  nextAttemptAt: string | null;
  statusCode: number | null;
  errorClass: string | null;
};

/** What a wait is for, as Temporal UI shows it beside the timer. */
export function waitSummary(number: number, lastNumber: number, waitMs: number): string {
  const goal = number < lastNumber ? `attempt ${number + 1}` : "the discard";
  return `wait ${formatWait(waitMs)} before ${goal}`;
}

/** Workflow id of one run: `delivery-<event>-<subscription>`, with `-r2` and so on from run 2. */
export function deliveryWorkflowId(eventId: string, subscriptionId: number, run: number): string {
  const first = `delivery-${eventId}-${subscriptionId}`;
  return run === 1 ? first : `${first}-r${run}`;
}

/** A wait for people, in its two largest units: `30 s`, `2 min`, `1 min 30 s`, `24 h`. */
export function formatWait(ms: number): string {
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / secondMs);
  const parts: [number, string][] = [
    [Math.floor(seconds / 3_600), "h"],
    [Math.floor((seconds % 3_600) / 60), "min"],
    [seconds % 60, "s"],
  ];
  return parts
    .filter(([amount]) => amount > 0)
    .slice(0, 2)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}

const maxJitterShare = 0.1;
const maxJitterMs = minuteMs;

/** What decides how long to wait before the next attempt, in milliseconds. */
export interface WaitFacts {
  /** The wait that the schedule gives. */
  scheduledMs: number;
  /** What the receiver asked for with `Retry-After`; null if it did not, or not readably. */
  retryAfterMs: number | null;
  /** Spreads waits; at most a tenth of the scheduled wait and one minute of it count. */
  jitterMs: number;
}

/**
 * The wait before the next attempt, in whole milliseconds: never shorter than scheduled and never
 * longer than twice that, whatever the receiver asks for. Our choice; the contract sets the schedule.
 */
export function nextWaitMs({ scheduledMs, retryAfterMs, jitterMs }: WaitFacts): number {
  const asked = retryAfterMs === null || Number.isNaN(retryAfterMs) ? 0 : retryAfterMs;
  const spread = Math.min(Math.max(jitterMs, 0), scheduledMs * maxJitterShare, maxJitterMs);
  return Math.round(Math.min(Math.max(scheduledMs, asked) + spread, 2 * scheduledMs));
}
