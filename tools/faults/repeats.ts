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
/** Maximum wait in ms, even where the API asks for a longer one, because a run must end. */
const longestRepeatMs = 5_000;

/**
 * Wait in ms before a failed call is repeated. It doubles each time, up to the time that the API
 * asks for. It is random, so that callers do not repeat at the same moment.
 * @param tries number of repeats so far
 * @param retryAfterMs waits that the answers ask for, where they do
 * @param draw random number in [0, 1)
 */
export function repeatWaitMs(tries: number, retryAfterMs: readonly number[], draw: number): number {
  const longest = Math.min(firstRepeatMs * 2 ** tries, longestRepeatMs, ...retryAfterMs);
  return (longest * (1 + draw)) / 2;
}
