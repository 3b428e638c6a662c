import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource, EntityManager, QueryRunner } from "typeorm";
import { errorNumber, WriteConflict } from "../core/errors.ts";
import type { Principal } from "../core/model/principal.ts";

/** One transaction: the first parameter of every service. */
export interface Tx {
  manager: EntityManager;
  /** The one clock reading of the transaction, to the millisecond. */
  now: Date;
  /** Who acts, and in which account. */
  actor: Principal;
  /** Where a request came from, for the audit log; null for work of our own. */
  origin: Origin | null;
}

/** Where a request came from. */
export interface Origin {
  ip: string;
  requestId: string;
}

/** How much longer the transactions of one call may take before no further one, or try of one, begins. */
export interface Deadline {
  remainingMs: number;
}

/** Who a transaction acts for, and with what deadline; without one, for as long as its tries take. */
export interface TxOptions {
  actor: Principal;
  origin?: Origin | null;
  deadline?: Deadline;
}

/** Our own work in one account, or over all of them. */
export function systemOf(accountId = 0): TxOptions {
  return { actor: { type: "system", accountId } };
}

const deadlock = 1213;
const lockWaitTimeout = 1205;
const maxTries = 4;

/**
 * Runs `work` in one READ COMMITTED transaction. Any error rolls all of it back, also those after
 * which MySQL itself would undo the one statement only. A deadlock or a lock timeout runs the whole
 * of it again, at most three times more, so `work` must have no effect but SQL.
 */
export async function transaction<T>(
  dataSource: DataSource,
  options: TxOptions,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(dataSource, options, begin, work);
    } catch (error) {
      if (attempt >= maxTries || !isWorthAnotherTry(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/** Runs `work` on one snapshot that cannot write: rows and their total agree. */
export async function snapshot<T>(
  dataSource: DataSource,
  options: TxOptions,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await runOnce(dataSource, options, beginSnapshot, work);
}

/** Runs `work`, which is one statement, by itself: two round trips less than in a transaction. */
export async function oneStatement<T>(
  { manager }: DataSource,
  { actor, origin = null }: TxOptions,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await work({ manager, now: new Date(), actor, origin });
}

async function begin(runner: QueryRunner): Promise<void> {
  await runner.startTransaction();
}

async function beginSnapshot(runner: QueryRunner): Promise<void> {
  // In one statement: given to `startTransaction`, the level would be another round trip.
  await runner.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  await runner.startTransaction();
}

async function runOnce<T>(
  dataSource: DataSource,
  { actor, origin = null, deadline = { remainingMs: Number.POSITIVE_INFINITY } }: TxOptions,
  start: (runner: QueryRunner) => Promise<void>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (deadline.remainingMs <= 0) throw deadlineExceeded();
  const startedAt = performance.now();
  const runner = dataSource.createQueryRunner();
  try {
    await start(runner);
    const result = await work({ manager: runner.manager, now: new Date(), actor, origin });
    await runner.commitTransaction();
    return result;
  } catch (error) {
    await rollBack(runner);
    throw error;
  } finally {
    await runner.release();
    deadline.remainingMs -= performance.now() - startedAt;
  }
}

function deadlineExceeded(): Error {
  return Object.assign(new Error("The database has kept this call for too long."), {
    code: "ETIMEDOUT",
  });
}

/** The first error is the one to tell; a connection that cannot roll back is dead and so is its transaction. */
async function rollBack(runner: QueryRunner): Promise<void> {
  try {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
  } catch {
    // Nothing to add to the error under way.
  }
}

function isWorthAnotherTry(error: unknown): boolean {
  if (error instanceof WriteConflict) return true;
  const number = errorNumber(error);
  return number === deadlock || number === lockWaitTimeout;
}
