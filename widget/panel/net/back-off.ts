const firstMs = 2_000;
const longestMs = 30_000;

/**
 * Wait before another try, with full jitter: all clients of a server that was away do not come back
 * together.
 * @param tries failed ones so far, at least 1
 * @returns ms, from 0 to twice as long for each try, at most 30 s
 */
export function backOffMs(tries: number, random = Math.random): number {
  return random() * Math.min(longestMs, firstMs * 2 ** (tries - 1));
}
