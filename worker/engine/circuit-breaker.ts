import type { StartResult } from "./start-workflow.ts";

/** Most starts in flight. The start limiter lets no more runs wait for their first attempt. */
const maxConcurrent = 64;
const minPauseMs = 250;
const maxPauseMs = 5_000;

/** Outcome of one start or signal. */
export interface StartOutcome {
  result: StartResult;
  /** The row failed before, so the row itself may be the cause. */
  failedBefore: boolean;
}

/** Circuit breaker of one relay: stops starts while Temporal does not answer. */
export interface CircuitBreaker {
  /** @returns the number of further starts that may begin. 0 while the breaker is open or in doubt */
  available(): number;
  /** @returns true while Temporal does not answer, as far as this process knows */
  isOpen(): boolean;
  /** Counts starts that begin. */
  begin(count: number): void;
  /** Counts one start that ended. */
  end: () => void;
  /**
   * Records the outcomes of starts that began together. Any success closes the breaker. A failure of a
   * row that never failed before opens it. Where every failed row had failed before, the breaker is in
   * doubt: it probes at once, and nothing starts meanwhile.
   */
  recordOutcomes: (told: readonly StartOutcome[]) => void;
  /** Probes Temporal: at once when in doubt, else after a pause that grows from 0.25 s to 5 s. */
  probe(isReachable: () => Promise<boolean>): void;
}

/** Creates the breaker of one relay, closed. */
export function createCircuitBreaker(now = () => performance.now()): CircuitBreaker {
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
      const transient = told.filter(
        ({ result }) => typeof result === "object" && "transient" in result && result.transient,
      );
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
