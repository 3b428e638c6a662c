import type { CallLine } from "./ledger.ts";

/** 409 and 429 say that it is too early to tell; a server's fault or silence that it is unknown. */
export function outcomeOf(statuses: readonly number[]): CallLine["outcome"] {
  if (statuses.some((status) => status >= 200 && status < 300)) return "accepted";
  const refused = statuses.some(
    (status) => status >= 400 && status < 500 && status !== 409 && status !== 429,
  );
  return refused ? "refused" : "unknown";
}

const firstRepeatMs = 300;
/** However late the API wants to be asked again: a run has to come to its end. */
const longestRepeatMs = 5_000;

/**
 * How long a caller waits who did not get through: twice as long each time, up to what the API asks
 * for, and by chance not at the same moment as all others.
 * @param tries how often it has asked again before
 * @param retryAfterMs what the answers ask for, as far as they do
 * @param draw in [0, 1)
 */
export function repeatWaitMs(tries: number, retryAfterMs: readonly number[], draw: number): number {
  const longest = Math.min(firstRepeatMs * 2 ** tries, longestRepeatMs, ...retryAfterMs);
  return (longest * (1 + draw)) / 2;
}
