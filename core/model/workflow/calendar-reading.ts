// Workflow code runs this file, so it imports nothing.

/** Input of the workflows of a calendar: ids alone, since Temporal keeps the input. */
export type CalendarRun = {
  accountId: number;
  linkId: number;
  /** A change came while the run before this one ended. */
  dirty?: boolean;
};

/** Input of one part of a reading. */
export type CalendarReadInput = {
  accountId: number;
  linkId: number;
  /** First part of a round. */
  begins: boolean;
  /** An announcement began the round. */
  announced: boolean;
  /** Failed tries in a row before this one. */
  failures: number;
};

/** Outcome of one part of a reading. `ended`: the calendar is not read any more. */
export type CalendarReadOutcome =
  | { state: "more"; changed: number }
  | { state: "idle"; waitMs: number }
  | { state: "waiting"; waitMs: number; code: string }
  | { state: "ended" };

/** Input of a check of the channel by which a calendar announces its changes. */
export type CalendarWatchInput = { accountId: number; linkId: number; failures: number };

/**
 * Outcome of a check of a channel. `waitMs`: time until the next check. `polling`: the provider
 * announces nothing, so the calendar is asked.
 */
export type CalendarWatchOutcome =
  | { state: "open"; waitMs: number }
  | { state: "polling" | "waiting"; waitMs: number; code: string }
  | { state: "ended" };

/** Rounds of one run. Then the next run goes on, so that a history stays short. */
export const roundsOfRun = 500;
