import type { AttemptInput, AttemptOutcome } from "../core/model/workflow/delivery.ts";
import {
  beginAttempts,
  type AttemptStart,
  type TakeSlot,
} from "../core/services/deliveries/begin-attempts.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import { gatherAttempts, mostTogether } from "./attempt-batches.ts";
import type { ActivityDeps } from "./deps.ts";
import { createFinishAttempt, type StartedAttempt } from "./finish-attempt.ts";
import { runKey } from "./limits/host-limiter.ts";

/** Rows that a transaction claimed, and the attempts that it started for some of them. */
export interface ClaimWithAttempts<Row> {
  rows: Row[];
  started: Map<Row, StartedAttempt>;
}

/** The attempts of one process. An attempt is written down, posted, and completed. */
export interface Attempts {
  /**
   * The activity: makes an attempt. The outcome is a value. A thrown error is ours, and then the same
   * attempt repeats with the same number and bytes (rule C54).
   */
  attemptDelivery: (input: AttemptInput) => Promise<AttemptOutcome>;
  /**
   * Claims rows and writes their attempts down, in one transaction. No attempt waits for a delivery
   * that another transaction has locked. Such a row is only claimed, and so is one without a free
   * slot, and each after the first hundred.
   * @param claim may run several times, and only with SQL
   * @param inputOf the attempt for a row; null: none
   */
  claimAndBegin: <Row>(
    claim: (tx: Tx) => Promise<Row[]>,
    inputOf: (row: Row) => AttemptInput | null,
  ) => Promise<ClaimWithAttempts<Row>>;
  /** Posts and completes an attempt of `claimAndBegin`, as `attemptDelivery` does. */
  finishAttempt: (started: StartedAttempt) => Promise<AttemptOutcome>;
}

/** Creates the attempts of one process. The activity and the relay share their transactions. */
export function createAttempts(deps: ActivityDeps): Attempts {
  const { dataSource, hostLimiter } = deps;
  const takeSlot = slotTaker(deps);
  const begin = gatherAttempts(hostLimiter, (inputs: AttemptInput[], locking) =>
    transaction(dataSource, systemOf(), (tx) => beginAttempts(tx, inputs, takeSlot, locking)),
  );
  const finishAttempt = createFinishAttempt(deps);
  return {
    async attemptDelivery(input) {
      const calledAt = performance.now();
      // From here on the attempt no longer waits for Temporal.
      hostLimiter.recordStarted(runKey(input));
      let start: AttemptStart;
      try {
        start = await begin(input);
      } catch (error) {
        hostLimiter.release(runKey(input), null);
        throw error;
      }
      return await finishAttempt({ input, start, calledAt });
    },
    claimAndBegin: createClaimAndBegin(deps, takeSlot),
    finishAttempt,
  };
}

function createClaimAndBegin(
  { dataSource, hostLimiter }: ActivityDeps,
  takeSlot: TakeSlot,
): Attempts["claimAndBegin"] {
  return async function claimAndBegin<Row>(
    claim: (tx: Tx) => Promise<Row[]>,
    inputOf: (row: Row) => AttemptInput | null,
  ) {
    const calledAt = performance.now();
    // Slots that go back where the transaction fails.
    const held = new Set<string>();
    const release = (key: string): void => {
      hostLimiter.release(key, null);
      held.delete(key);
    };
    try {
      return await transaction(dataSource, systemOf(), async (tx) => {
        // A try after a deadlock may claim other rows.
        for (const key of held) release(key);
        const rows = await claim(tx);
        const wanted = rows.flatMap((row) => {
          const input = inputOf(row);
          return input === null ? [] : [{ row, input }];
        });
        const first = wanted.slice(0, mostTogether);
        const inputs = first.map(({ input }) => input);
        for (const input of inputs) held.add(runKey(input));
        const starts = await beginAttempts(tx, inputs, takeSlot, { skipLocked: true });
        const started = new Map<Row, StartedAttempt>();
        for (const [index, { row, input }] of first.entries()) {
          const start = starts[index];
          if (hasStarted(start)) started.set(row, { input, start, calledAt });
          else release(runKey(input));
        }
        return { rows, started };
      });
    } catch (error) {
      for (const key of held) release(key);
      throw error;
    }
  };
}

/** False where the attempt is left to begin by itself. */
function hasStarted(start: AttemptStart | Error | undefined): start is AttemptStart {
  return start !== undefined && !(start instanceof Error) && !("busyHost" in start);
}

/** Slots belong to runs, so a transaction that runs again takes no second one. */
function slotTaker({ hostLimiter }: Pick<ActivityDeps, "hostLimiter">): TakeSlot {
  return (input, { url, subscription }) =>
    hostLimiter.acquire(runKey(input), new URL(url).host, subscription);
}
