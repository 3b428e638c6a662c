import type { StartResult } from "./start-workflow.ts";

/** How many runs may be being started at once; no more may wait for their first attempt anyway. */
const maxConcurrent = 64;
const minPauseMs = 250;
const maxPauseMs = 5_000;

/** What came of telling Temporal of a row. */
export interface StartOutcome {
  result: StartResult;
  /** It had failed before, so that it may be at fault itself. */
  failedBefore: boolean;
}

/** How a relay paces what it tells Temporal, and knows when Temporal is away. */
export interface CircuitBreaker {
  /** How many more runs may be started now; none while Temporal is away. */
  available(): number;
  /** Temporal is away, as far as we know. */
  isOpen(): boolean;
  /** So many are being started from now on. */
  begin(count: number): void;
  /** One of them no longer is. */
  end: () => void;
  /**
   * Of what was begun together. Where Temporal took none of it and might have taken some, it is away;
   * where all that it did not take had failed before, it is asked at once, and nothing starts meanwhile.
   */
  recordOutcomes: (told: readonly StartOutcome[]) => void;
  /** Asks whether Temporal is there: when in doubt at once, else after a pause that grows from a quarter of a second to five. */
  probe(isReachable: () => Promise<boolean>): void;
}

/** Makes the pace of one relay. */
export function createCircuitBreaker(now = () => Date.now()): CircuitBreaker {
  let underWay = 0;
  let open = false;
  let inDoubt = false;
  let askAt = 0;
  let asking = false;
  let pauseMs = minPauseMs;

  function pause(): void {
    open = true;
    askAt = now() + pauseMs * (0.5 + Math.random() / 2);
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }

  async function ask(isReachable: () => Promise<boolean>): Promise<void> {
    asking = true;
    if (await isReachable()) open = false;
    else pause();
    inDoubt = false;
    asking = false;
  }

  return {
    available: () => (open || inDoubt ? 0 : Math.max(0, maxConcurrent - underWay)),
    isOpen: () => open,
    begin(count) {
      underWay += count;
    },
    end() {
      underWay -= 1;
    },
    recordOutcomes(told) {
      const transient = told.filter(({ result }) => typeof result === "object" && result.transient);
      if (told.some(({ result }) => typeof result === "string")) {
        open = false;
        pauseMs = minPauseMs;
      } else if (transient.some(({ failedBefore }) => !failedBefore) && !open) pause();
      else if (transient.length > 0) inDoubt = true;
    },
    probe(isReachable) {
      if (asking) return;
      if ((open && now() >= askAt) || (inDoubt && !open)) void ask(isReachable);
    },
  };
}
