const deliveryBounds = { minInFlight: 8, initialInFlight: 16, maxInFlight: 64 };
/** A run should reach its first attempt within this time. Due rows wait behind it. */
const slowMs = 250;
/** Runs that began before the limit fell do not lower it again. */
const lowerEveryMs = 500;
/** After this time the run goes on elsewhere: its first task failed, or another worker has it. */
const expireMs = 15_000;

/**
 * Adaptive limit of runs that started here and have not begun their first attempt. More runs make
 * nothing faster once Temporal is busy: they wait longer, and due rows wait behind them. So the
 * limit grows by one per limit while runs begin within 250 ms. It falls by a quarter when a run
 * takes longer.
 */
export interface StartLimiter {
  /** @returns the number of further runs that may start */
  available: () => number;
  add: (run: string) => void;
  /** The run reached its first attempt. */
  recordBegun: (run: string) => void;
  drop: (run: string) => void;
  /** Removes and returns runs that will not begin here. */
  takeExpired: () => string[];
}

/** Creates the limiter of one process: 8 to 64 runs by default. */
export function createStartLimiter(
  now: () => number,
  { minInFlight, initialInFlight, maxInFlight } = deliveryBounds,
): StartLimiter {
  // In the order of their start. No run stays longer than `expireMs`.
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
