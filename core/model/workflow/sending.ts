// Workflow code runs this file, so it imports nothing.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** The wait after failed hand-over 1, 2, … of a message to its channel; after the last one it has failed. Our choice. */
export const sendWaitsMs: readonly number[] = [
  secondMs,
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
];

/** How long the channel's word is waited for where nobody knows whether it has a message. */
export const unknownWaitMs = 10 * minuteMs;

/** Between what the sandbox reports of a message. */
export const reportPauseMs = 500;

/** Input of the workflow that sends one message: ids alone, since Temporal keeps it. */
export type SendMessageInput = { accountId: number; messageId: number };

/** What came of handing a message to its channel: a value, since only faults of our own are thrown. */
export type SendOutcome =
  /** Accepted; `reports` are statuses that this channel does not send by itself. */
  | { state: "sent"; reports: ("delivered" | "read")[] }
  /** To be tried again after `waitMs`, because of the channel or to keep the order of messages. */
  | { state: "waiting"; waitMs: number; why: "channel" | "order" }
  /** It left and nobody knows whether it arrived: it is not sent again. */
  | { state: "unknown" }
  | { state: "failed" | "cancelled" | "over" };
