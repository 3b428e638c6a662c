import { setTimeout as sleep } from "node:timers/promises";
import type { Deadline } from "../../db/transaction.ts";

/**
 * Database time of a call. After that nothing more is begun for the call. A transaction that has
 * begun by then waits up to 3 s for its connection. So callers have an answer within about 10 s,
 * even if the database is slow.
 */
const databaseTimeMs = 4_000;
/** Time limit for work that an answer waits for but does not depend on. */
const brieflyMs = 1_000;

/** The deadline of a new call. */
export function newDeadline(): Deadline {
  return { remainingMs: databaseTimeMs };
}

/**
 * Waits a short time for work that does not change the answer. Longer work goes on in the
 * background.
 */
export async function waitBriefly(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, sleep(brieflyMs, undefined, { ref: false })]);
}
