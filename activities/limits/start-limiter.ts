const deliveryBounds = { minInFlight: 8, initialInFlight: 16, maxInFlight: 64 };
/** A run should get to its first attempt within this: others that are due wait behind it. Our choice. */
const slowMs = 250;
/** What was already under way when the limit was lowered tells nothing new. */
const lowerEveryMs = 500;
/** After that a run is taken to go on elsewhere: its first task came to nothing, or to another worker. */
const expireMs = 15_000;

/**
 * The runs that were started here and whose first attempt has yet to begin, and how many they may be.
 * More of them make nothing quicker once Temporal is busy, they only wait longer, and whatever is due
 * next waits behind them all: so the limit grows while runs get to their attempt soon, and shrinks while
 * they do not.
 */
export interface StartLimiter {
  /** How many more may be started now. */
  available: () => number;
  add: (run: string) => void;
  /** It has got to its first attempt. */
  recordBegun: (run: string) => void;
  drop: (run: string) => void;
  /** Takes out those that will not begin here. */
  takeExpired: () => string[];
}

/** Makes the waiting runs of one process: 8 to 64, unless told. */
export function createStartLimiter(
  now: () => number,
  { minInFlight, initialInFlight, maxInFlight } = deliveryBounds,
): StartLimiter {
  // In the order of their start, so that the oldest come first. None stays longer than `lostMs`.
  const runs = new Map<string, number>();
  let limit = initialInFlight;
  let loweredAt = 0;

  function adjust(waitedMs: number): void {
    if (waitedMs <= slowMs) limit = Math.min(maxInFlight, limit + 1 / limit);
    else if (now() - loweredAt >= lowerEveryMs) {
      limit = Math.max(minInFlight, limit * 0.75);
      loweredAt = now();
    }
  }

  return {
    available: () => Math.max(0, Math.floor(limit) - runs.size),
    add: (run) => void runs.set(run, now()),
    recordBegun(run) {
      const since = runs.get(run);
      if (since !== undefined) adjust(now() - since);
      runs.delete(run);
    },
    drop: (run) => void runs.delete(run),
    takeExpired() {
      const lost: string[] = [];
      for (const [run, since] of runs) {
        if (now() - since < expireMs) break;
        lost.push(run);
      }
      for (const run of lost) runs.delete(run);
      return lost;
    },
  };
}
