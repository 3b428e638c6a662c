// Workflow code runs this file, so it imports nothing.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/**
 * The wait after failed hand-over 1, 2, … of a message to its channel. A further failure is final.
 */
export const sendWaitsMs: readonly number[] = [
  secondMs,
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
];

/** Wait for the channel's report on a message that may have arrived there or not. */
export const unknownWaitMs = 10 * minuteMs;

/** Pause between two reports of the sandbox on a message. */
export const reportPauseMs = 500;

/** Input of the workflow that sends one message: ids alone, since Temporal keeps the input. */
export type SendMessageInput = {
  accountId: number;
  messageId: number;
  /** True where steps run inside the workflow task. Runs of earlier versions lack it, and replay. */
  inTask?: true;
};

/** Outcome of handing a message to its channel: a value, since only our own faults are thrown. */
export type SendOutcome =
  /** Accepted; `reports` are statuses that this channel does not send by itself. */
  | { state: "sent"; reports: ("delivered" | "read")[] }
  /** To be tried again after `waitMs`, because of the channel or to keep the order of messages. */
  | { state: "waiting"; waitMs: number; why: "channel" | "order" }
  /** The message left, and may have arrived or not. So it is not sent again. Rule C26. */
  | { state: "unknown" }
  | { state: "failed" | "cancelled" | "over" };
