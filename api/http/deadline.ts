import { setTimeout as sleep } from "node:timers/promises";
import type { Deadline } from "../../db/transaction.ts";

/**
 * How long the database may keep a call before nothing more is begun for it. A transaction that is
 * begun then waits up to 3 s for its connection: so callers have an answer within about 10 s (our
 * choice), however slow the database is.
 */
const databaseTimeMs = 4_000;
/** How long a caller waits for what is written down behind an answer that is known already. */
const brieflyMs = 1_000;

/** The deadline of a call that begins. */
export function newDeadline(): Deadline {
  return { remainingMs: databaseTimeMs };
}

/** Waits for work that changes nothing about the answer; what takes longer goes on by itself. */
export async function waitBriefly(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, sleep(brieflyMs, undefined, { ref: false })]);
}
