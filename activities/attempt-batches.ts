import { createBatcher } from "../core/batches.ts";
import { LockSkippedError, type LockOptions } from "../core/services/deliveries/delivery-facts.ts";
import type { HostLimiter } from "./limits/host-limiter.ts";

/** Most attempts that begin or end in one transaction. */
export const mostTogether = 100;
/** Attempts that begin or end together share a transaction: one flush to disk for all of them. */
const gathered = { atOnce: 3, most: mostTogether };
/**
 * Wait for further attempts in a backlog, when the CPU is the limit. A single transaction is short.
 * Two workers, with half as many attempts each, would share none without the wait.
 */
const crowdedMs = 150;
/** Batches of one, for deliveries that another transaction has locked: each waits by itself. */
const apart = { atOnce: 3, most: 1 };

/**
 * Runs attempts in batches. No batch waits for a delivery that another transaction has locked.
 * @param leastMs time for which a batch gathers attempts outside of a backlog
 */
export function gatherAttempts<Item, Result>(
  { isBacklogged }: Pick<HostLimiter, "isBacklogged">,
  run: (items: Item[], locking: LockOptions) => Promise<(Result | Error)[]>,
  leastMs = 0,
): (item: Item) => Promise<Result> {
  const options = { ...gathered, gatherMs: () => (isBacklogged() ? crowdedMs : leastMs) };
  const together = createBatcher((items: Item[]) => run(items, { skipLocked: true }), options);
  const alone = createBatcher((items: Item[]) => run(items, {}), apart);
  return async (item) => {
    try {
      return await together(item);
    } catch (error) {
      if (error instanceof LockSkippedError) return await alone(item);
      throw error;
    }
  };
}
