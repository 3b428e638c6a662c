// Workflow code runs this file, so it imports nothing.

const minuteMs = 60_000;

/** The wait after failed try 1, 2, … of a mail. A further failure is final. */
export const mailWaitsMs: readonly number[] = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  60 * minuteMs,
  180 * minuteMs,
];

/** Input of the workflow that sends one mail: ids alone, since Temporal keeps the input. */
export type SendMailInput = { accountId: number; mailId: number };

/** The result of one try. `over`: the mail is no longer wanted, or an earlier try has finished it. */
export type SendMailOutcome =
  | { state: "sent" | "failed" | "over" }
  | { state: "waiting"; waitMs: number };
