/** The rest of a relay between a look and the next one that a ring asks for. */
export interface LookRest {
  /** @returns milliseconds to rest after a look that found rows, or none, in `tookMs` */
  after(rows: number, tookMs: number): number;
}

const leastMs = 1;
const mostMs = 5;
/** Time in which a row's weight falls to about a third. */
const memoryMs = 100;
/** Rows of that time at which the rest is longest: 400 a second. */
const busyRows = 40;

/**
 * Creates the rest of one relay. Where few rows come, each is looked for at once. Where many come,
 * several share a look, a claim and its flush to disk. A look that found nothing rests for as long as
 * it took, so rings without rows take half of the relay's time at most.
 */
export function createLookRest(now: () => number = () => performance.now()): LookRest {
  let recent = 0;
  let at = now();
  return {
    after(rows, tookMs) {
      recent = recent * Math.exp((at - now()) / memoryMs) + rows;
      at = now();
      const wantedMs = rows === 0 ? tookMs : (mostMs * recent) / busyRows;
      return Math.min(Math.max(wantedMs, leastMs), mostMs);
    },
  };
}
