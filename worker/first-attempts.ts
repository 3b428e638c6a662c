/** How many runs this process may have started whose first attempt has yet to begin. */
const defaultLimit = 64;
/** After that a run is taken to go on elsewhere: its first task came to nothing, or to another worker. */
const forgetMs = 15_000;

/**
 * Holds the relay back while the runs it started wait for their first attempt. Temporal's workflow
 * thread takes in new runs before it goes on with those it has, so without a bound a burst lets no
 * run get on until the burst is over or every slot is taken.
 */
export interface FirstAttempts {
  /** How many more runs may be started now. */
  room: () => number;
  /** A run is about to be started here. */
  expect: (run: string) => void;
  /** Its first attempt has begun, or will not begin here. */
  settle: (run: string) => void;
}

/** What a run's first attempt is known by. */
export function firstAttemptKey(deliveryId: number, run: number): string {
  return `${deliveryId}:${run}`;
}

export function createFirstAttempts(limit = defaultLimit, now = () => Date.now()): FirstAttempts {
  // In the order of their start, so that the oldest come first.
  const expected = new Map<string, number>();
  return {
    room() {
      for (const [run, since] of expected) {
        if (now() - since < forgetMs) break;
        expected.delete(run);
      }
      return Math.max(0, limit - expected.size);
    },
    expect: (run) => void expected.set(run, now()),
    settle: (run) => void expected.delete(run),
  };
}
