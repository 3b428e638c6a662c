import type { CallLine } from "./ledger.ts";

/**
 * Outcome of a call. 409 and 429 leave it unknown for now; so do server errors and missing answers.
 */
export function outcomeOf(statuses: readonly number[]): CallLine["outcome"] {
  if (statuses.some((status) => status >= 200 && status < 300)) return "accepted";
  const refused = statuses.some(
    (status) => status >= 400 && status < 500 && status !== 409 && status !== 429,
  );
  return refused ? "refused" : "unknown";
}

const firstRepeatMs = 300;
const longestRepeatMs = 5_000;
/** Maximum `Retry-After` in ms. The API asks these callers for less, and a run must end. */
const longestAskedMs = 60_000;

/**
 * Wait in ms before a failed call is repeated: the longest `Retry-After`, and a part that doubles
 * each time. This part is random, so that callers do not repeat at the same moment.
 * @param tries number of repeats so far
 * @param retryAfterMs waits that the answers ask for, where they do
 * @param draw random number in [0, 1)
 */
export function repeatWaitMs(tries: number, retryAfterMs: readonly number[], draw: number): number {
  const asked = Math.min(Math.max(0, ...retryAfterMs), longestAskedMs);
  const grown = Math.min(firstRepeatMs * 2 ** tries, longestRepeatMs);
  return asked + (grown * (1 + draw)) / 2;
}
