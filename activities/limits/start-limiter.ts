/** Bounds of one limiter. */
interface StartBounds {
  minInFlight: number;
  initialInFlight: number;
  maxInFlight: number;
  /** A run counts for this time at most. Its first task failed then, or another worker has it. */
  countedMs: number;
}

const deliveryBounds = {
  minInFlight: 8,
  initialInFlight: 16,
  maxInFlight: 64,
  countedMs: 15_000,
};
/** A run should reach its first attempt within this time. Due rows wait behind it. */
const slowMs = 250;
/** Runs that began before the limit fell do not lower it again. */
const lowerEveryMs = 500;
/** A run that begins so late still lowers the limit. */
const rememberedMs = 15_000;
/** Runs are late above this mean, and above this multiple of their best mean. */
const lateMs = 75;
const lateRatio = 3;
/** The mean is mostly that of so many runs. */
const meanRuns = 16;
/** Runs of a new process are slow, because its code is not compiled yet. */
const firstRuns = 64;
/** A mean to which no run was added for so long says nothing about now. */
const meanMemoryMs = 1_000;

/**
 * Adaptive limit of runs that started here and have not begun their first attempt. More runs make
 * nothing faster once Temporal is busy: they wait longer, and due rows wait behind them. So the
 * limit grows by one per limit while runs begin within 250 ms. It falls by a quarter when a run
 * takes longer.
 */
export interface StartLimiter {
  /** @returns the number of further runs that may start */
  available: () => number;
  /** @returns true while runs take long to their first attempt, and took much less at their best */
  areLate: () => boolean;
  add: (run: string) => void;
  /** The run reached its first attempt. */
  recordBegun: (run: string) => void;
  drop: (run: string) => void;
  /** Returns runs that count no longer, once each. */
  takeExpired: () => string[];
}

/** Creates the limiter of one process: 8 to 64 runs by default. */
export function createStartLimiter(
  now: () => number,
  { minInFlight, initialInFlight, maxInFlight, countedMs }: StartBounds = deliveryBounds,
): StartLimiter {
  // Start times, in the order of the starts. A run moves from `counted` to `late`, and leaves `late`.
  const counted = new Map<string, number>();
  const late = new Map<string, number>();
  const lateness = createLateness(now);
  let limit = initialInFlight;
  let loweredAt = Number.NEGATIVE_INFINITY;

  function adjust(waitedMs: number): void {
    if (waitedMs <= slowMs) limit = Math.min(maxInFlight, limit + 1 / limit);
    else if (now() - loweredAt >= lowerEveryMs) {
      limit = Math.max(minInFlight, limit * 0.75);
      loweredAt = now();
    }
  }

  return {
    available: () => Math.max(0, Math.floor(limit) - counted.size),
    areLate: lateness.isHigh,
    add(run) {
      // A run that is asked again moves to the end, so that the order of the times holds.
      counted.delete(run);
      counted.set(run, now());
    },
    recordBegun(run) {
      const since = counted.get(run) ?? late.get(run);
      if (since !== undefined) {
        adjust(now() - since);
        lateness.record(now() - since);
      }
      counted.delete(run);
      late.delete(run);
    },
    drop: (run) => void counted.delete(run),
    takeExpired() {
      takeOlder(late, now() - rememberedMs);
      const expired = takeOlder(counted, now() - countedMs);
      for (const [run, since] of expired) late.set(run, since);
      return expired.map(([run]) => run);
    },
  };
}

/** Mean time of the last runs from their start to their first attempt, beside their best mean. */
function createLateness(now: () => number) {
  let runs = 0;
  let meanMs = 0;
  let bestMs = Number.POSITIVE_INFINITY;
  let recordedAt = Number.NEGATIVE_INFINITY;
  return {
    record(waitedMs: number): void {
      runs += 1;
      meanMs += (waitedMs - meanMs) / Math.min(runs, meanRuns);
      if (runs >= firstRuns) bestMs = Math.min(bestMs, meanMs);
      recordedAt = now();
    },
    isHigh: (): boolean =>
      now() - recordedAt < meanMemoryMs && meanMs > Math.max(lateMs, lateRatio * bestMs),
  };
}

/** Removes and returns the runs that started at `until` or before. */
function takeOlder(runs: Map<string, number>, until: number): [run: string, since: number][] {
  const older: [string, number][] = [];
  for (const [run, since] of runs) {
    if (since > until) break;
    older.push([run, since]);
  }
  for (const [run] of older) runs.delete(run);
  return older;
}
