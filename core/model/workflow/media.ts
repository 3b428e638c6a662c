// Workflow code runs this file, so it imports nothing.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The wait after failed try 1, 2, … of a download. The last one repeats. */
const waitsMs: readonly number[] = [
  secondMs,
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  hourMs,
  6 * hourMs,
];

/** Wait after a failed try of a download. @param tries tries so far, from 1 */
export function mediaWaitMs(tries: number): number {
  return waitsMs[Math.min(tries, waitsMs.length) - 1] ?? secondMs;
}

/** Input of the workflow that fetches one file: ids alone, since Temporal keeps the input. */
export type FetchMediaInput = { accountId: number; mediaId: number };

/** The result of one try. `over`: the file is no longer wanted, or an earlier try has ended it. */
export type FetchMediaOutcome =
  | { state: "ready" | "failed" | "refused" | "expired" | "over" }
  | { state: "waiting"; waitMs: number };
