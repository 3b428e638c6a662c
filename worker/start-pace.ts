import type { StartResult } from "./start-workflow.ts";

/** How many runs may be being started at once; no more may wait for their first attempt anyway. */
const mostAtOnce = 64;
const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** What came of telling Temporal of a row. */
export interface Told {
  result: StartResult;
  /** It had failed before, so that it may be at fault itself. */
  failedBefore: boolean;
}

/** How a relay paces what it tells Temporal, and knows when Temporal is away. */
export interface StartPace {
  /** How many more runs may be started now; none while Temporal is away. */
  room(): number;
  /** Temporal is away, as far as we know. */
  isAway(): boolean;
  /** So many are being started from now on. */
  begin(count: number): void;
  /** One of them no longer is. */
  end: () => void;
  /**
   * Of what was begun together. Where Temporal took none of it and might have taken some, it is away;
   * where all that it did not take had failed before, it is asked at once, and nothing starts meanwhile.
   */
  judge: (told: readonly Told[]) => void;
  /** Asks whether Temporal is there: when in doubt at once, else after a pause that grows from a quarter of a second to five. */
  look(isReachable: () => Promise<boolean>): void;
}

/** Makes the pace of one relay. */
export function createStartPace(now = () => Date.now()): StartPace {
  let underWay = 0;
  let away = false;
  let inDoubt = false;
  let askAt = 0;
  let asking = false;
  let pauseMs = firstPauseMs;

  function pause(): void {
    away = true;
    askAt = now() + pauseMs * (0.5 + Math.random() / 2);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }

  async function ask(isReachable: () => Promise<boolean>): Promise<void> {
    asking = true;
    if (await isReachable()) away = false;
    else pause();
    inDoubt = false;
    asking = false;
  }

  return {
    room: () => (away || inDoubt ? 0 : Math.max(0, mostAtOnce - underWay)),
    isAway: () => away,
    begin(count) {
      underWay += count;
    },
    end() {
      underWay -= 1;
    },
    judge(told) {
      const passing = told.filter(({ result }) => typeof result === "object" && result.passing);
      if (told.some(({ result }) => typeof result === "string")) {
        away = false;
        pauseMs = firstPauseMs;
      } else if (passing.some(({ failedBefore }) => !failedBefore) && !away) pause();
      else if (passing.length > 0) inDoubt = true;
    },
    look(isReachable) {
      if (asking) return;
      if ((away && now() >= askAt) || (inDoubt && !away)) void ask(isReachable);
    },
  };
}
