// Workflow code runs this file, so it imports nothing.

/**
 * States of a delivery. `held` waits until its subscription is resumed; `held` is neither open nor
 * finished.
 */
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

/** @returns true while a run of the delivery is under way or about to start. */
export function isOpenDelivery(state: DeliveryState): state is OpenDeliveryState {
  return openDeliveryStates.some((open) => open === state);
}

/**
 * @returns true for a delivery that is over. Retry and cancel are then refused with
 *   `delivery_finished`.
 */
export function isFinishedDelivery(state: DeliveryState): boolean {
  return finishedDeliveryStates.some((finished) => finished === state);
}

/** Open and held deliveries. */
const unfinishedDeliveryStates = [...openDeliveryStates, "held"] as const;

/**
 * The state table of a delivery: the states that a trigger leaves, and the state after it. A new
 * delivery begins as `queued`, `held`, `skipped` or `cancelled`, by the state of its subscription.
 */
export const deliveryTransitions = {
  /** An attempt begins. It begins again after a crash in the middle. */
  send: { from: openDeliveryStates, to: "sending" },
  /** An attempt failed, and the next wait begins. */
  fail: { from: openDeliveryStates, to: "waiting" },
  /** An attempt succeeded. A delivery that was held during its POST has arrived too. */
  arrive: { from: unfinishedDeliveryStates, to: "delivered" },
  /** The last wait is over. Rule C49. */
  discard: { from: openDeliveryStates, to: "discarded" },
  /** The subscription is paused or disabled. */
  hold: { from: openDeliveryStates, to: "held" },
  /** By a person, by an erasure, or with its subscription. */
  cancel: { from: unfinishedDeliveryStates, to: "cancelled" },
  /** A redelivery, a replay or a resumption queues the next run. */
  restart: { from: [...finishedDeliveryStates, "held"], to: "queued" },
  /** A resumption before the time of the next attempt. */
  restartLater: { from: ["held"], to: "waiting" },
  /** Temporal has lost the run, and the next run continues. */
  recover: { from: openDeliveryStates, to: "queued" },
} as const satisfies Record<string, { from: readonly DeliveryState[]; to: DeliveryState }>;

/** Triggers that change the state of a delivery. */
export type DeliveryTrigger = keyof typeof deliveryTransitions;

/** @returns true where the state table lets the trigger change a delivery in this state. */
export function canChangeDelivery(state: DeliveryState, trigger: DeliveryTrigger): boolean {
  return deliveryTransitions[trigger].from.some((from) => from === state);
}

/** Reasons of a held delivery. */
export type HoldReason = "subscription_paused" | "subscription_disabled";
/** Reasons of a cancelled delivery. */
export type CancelReason = "cancelled_by_operator" | "subscription_deleted" | "erased";

/** Automatic attempts of one run, numbered 1 to 6. Rule C47. */
export const maxAttempts = 6;

/**
 * Number of newest attempts in a delivery's view. Each attempt may hold 20 KB of headers and
 * answer.
 */
export const newestAttempts = 100;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/**
 * The wait after failed attempt 1, 2, … 6, in milliseconds. The last wait ends in the discard. Rule
 * C47.
 */
export const retryWaitsMs: readonly number[] = [
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  hourMs,
  6 * hourMs,
  24 * hourMs,
];

/** A 2xx status line must arrive within this many milliseconds. Rule C48. */
export const attemptTimeoutMs = 8_000;

/** Headers of a delivery. Rule C51. The `webhook-*` headers come from Standard Webhooks. */
export const eventTypeHeader = "X-Service-Event";
export const eventIdHeader = "X-Service-Event-Id";
export const signatureHeader = "X-Service-Signature";
export const attemptHeader = "X-Service-Attempt";
/**
 * The same value on every delivery of an installation. `makeLoopMark` makes the value. Rule C76.
 */
export const loopGuardHeader = "X-Service-Loop-Guard";
export const webhookIdHeader = "webhook-id";
export const webhookTimestampHeader = "webhook-timestamp";
export const webhookSignatureHeader = "webhook-signature";

/**
 * Input of the workflow of one run of a delivery: ids and numbers, since Temporal keeps the input.
 */
export type DeliverWebhookInput = {
  accountId: number;
  deliveryId: number;
  /** 1 at first; grows with every redelivery and resumption. */
  run: number;
  /** Number of the run's first attempt, 1 to 6. */
  firstNumber: number;
  /**
   * Moment (ISO 8601) before which the first attempt is not made. Set where the run continues after
   * a hold.
   */
  notBefore?: string;
  /**
   * `seq` of the first attempt in this history, 1 by default. More where a long history was
   * continued as new.
   */
  firstSeq?: number;
  /**
   * Outcome of that attempt, where the relay or the history before this one made it and it failed.
   * The run then begins with the wait.
   */
  attempted?: FailedAttempt;
  /** The wait after failed attempt 1, 2, … in milliseconds, whatever `firstNumber` is. */
  waitsMs: number[];
  /**
   * True where the server knows our search attributes. An unknown attribute would block the run.
   */
  searchable: boolean;
};

/** The state in which a run leaves its delivery; `superseded` when a newer run has taken over. */
export type DeliveryRunState = DeliveryState | "superseded";

/** Result of the workflow of a run. */
export type DeliverWebhookResult = { state: DeliveryRunState };

/** The next attempt of a run. */
export type AttemptStep = {
  /** Count of the run's attempts up to this one, manual attempts included, from 1. */
  seq: number;
  /** Number that the receiver reads, 1 to 6. */
  number: number;
  /** Requested by a person instead of the schedule. */
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
    /**
     * Made inside a workflow task. Where its host is busy it goes to the queue at once, so it books no
     * time for another try.
     */
    inTask?: boolean;
  };

/** Outcome of an attempt, good or bad: a value, since only our own faults are thrown. */
export type AttemptOutcome =
  | { state: Exclude<DeliveryRunState, OpenDeliveryState> }
  | FailedAttempt;

/** A failed attempt, and the wait of its delivery. */
export type FailedAttempt = {
  state: "waiting";
  /** Time until the next attempt. In the last wait: the time left until the discard. */
  waitMs: number;
  /** ISO 8601; null in the last wait. */
  nextAttemptAt: string | null;
  statusCode: number | null;
  errorClass: string | null;
};

/** Purpose of a wait, as Temporal UI shows it beside the timer. */
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

/** Facts that decide the wait before the next attempt, in milliseconds. */
export interface WaitFacts {
  /** The wait that the schedule gives. */
  scheduledMs: number;
  /** Wait that the receiver asked for with `Retry-After`. Null without a readable header. */
  retryAfterMs: number | null;
  /** Spreads waits. At most a tenth of the scheduled wait and one minute of jitter count. */
  jitterMs: number;
}

/**
 * The wait before the next attempt, in whole milliseconds. Never shorter than scheduled and never
 * longer than twice that, whatever the receiver asks for. Rules C47 and C50.
 */
export function nextWaitMs({ scheduledMs, retryAfterMs, jitterMs }: WaitFacts): number {
  const asked = retryAfterMs === null || Number.isNaN(retryAfterMs) ? 0 : retryAfterMs;
  const spread = Math.min(Math.max(jitterMs, 0), scheduledMs * maxJitterShare, maxJitterMs);
  return Math.round(Math.min(Math.max(scheduledMs, asked) + spread, 2 * scheduledMs));
}
