import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource, EntityManager, QueryRunner } from "typeorm";
import { errorNumber, mysqlError, WriteConflict } from "../core/errors.ts";
import type { Principal } from "../core/model/principal.ts";

/** One transaction: the first parameter of every service. */
export interface Tx {
  manager: EntityManager;
  /** The one clock reading of the transaction, to the millisecond. */
  now: Date;
  /** The actor, with the account of the transaction. */
  actor: Principal;
  /** Origin of a request, for the audit log; null for work of our own. */
  origin: Origin | null;
  /** Notes of this transaction, or of this one statement, for its commit. */
  notes?: CommitNotes;
}

/** Facts that a service notes during a transaction. */
export interface CommitNotes {
  /** True once a change for live views was recorded. */
  hasChanges: boolean;
  /** True once outbox rows were written, freed or put off. */
  hasOutboxRows: boolean;
  /** True once a webhook or an item of a channel was stored, or is due again. */
  hasChannelWork: boolean;
}

/** Address and id of a request. */
export interface Origin {
  ip: string;
  requestId: string;
}

/** Remaining database time of one call. At 0 no further transaction, or try of one, begins. */
export interface Deadline {
  remainingMs: number;
}

/** Actor and deadline of a transaction. Without a deadline only the number of tries is limited. */
export interface TxOptions {
  actor: Principal;
  origin?: Origin | null;
  deadline?: Deadline;
  /** Most tries, 4 by default. */
  tries?: number;
}

/** Our own work in one account, or in all of them. */
export function systemOf(accountId = 0): TxOptions {
  return { actor: { type: "system", accountId } };
}

const defaultTries = 4;

type Listeners = WeakMap<DataSource, Set<() => void>>;

const listeners: Record<keyof CommitNotes, Listeners> = {
  hasChanges: new WeakMap(),
  hasOutboxRows: new WeakMap(),
  hasChannelWork: new WeakMap(),
};

/**
 * Calls `listener` after each commit of this process that has recorded changes. It must not throw.
 * @returns the end of the calls.
 */
export function onCommittedChange(dataSource: DataSource, listener: () => void): () => void {
  return listen("hasChanges", dataSource, listener);
}

/**
 * Calls `listener` after each commit of this process that has written outbox rows, freed them or put
 * them off. It must not throw.
 * @returns the end of the calls.
 */
export function onCommittedOutboxRows(dataSource: DataSource, listener: () => void): () => void {
  return listen("hasOutboxRows", dataSource, listener);
}

/**
 * Calls `listener` after each commit of this process that has left work for the drain. It must not
 * throw.
 * @returns the end of the calls.
 */
export function onCommittedChannelWork(dataSource: DataSource, listener: () => void): () => void {
  return listen("hasChannelWork", dataSource, listener);
}

function listen(note: keyof CommitNotes, dataSource: DataSource, listener: () => void): () => void {
  const known = listeners[note].get(dataSource) ?? new Set();
  listeners[note].set(dataSource, known.add(listener));
  return () => void known.delete(listener);
}

function tellListeners(dataSource: DataSource, notes: CommitNotes): void {
  for (const note of ["hasOutboxRows", "hasChannelWork", "hasChanges"] as const) {
    if (!notes[note]) continue;
    for (const listener of listeners[note].get(dataSource) ?? []) listener();
  }
}

/**
 * Runs `work` in one READ COMMITTED transaction. Any error rolls back everything, even an error
 * after which MySQL itself would undo only one statement. A deadlock, a lock timeout or a
 * `WriteConflict` runs all of it again, at most three more times. So `work` must have no effect
 * except SQL, or take it back when it runs again.
 */
export async function transaction<T>(
  dataSource: DataSource,
  options: TxOptions,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await tryAgain(
    async () => await runOnce(dataSource, options, { begin, end: commit }, work),
    options.tries,
  );
}

/**
 * Runs `work` like `transaction`, and always rolls it back. Nothing of it stays, and nobody else
 * sees it. Its locks hold until the end, so `work` must be short.
 */
export async function rehearse<T>(
  dataSource: DataSource,
  options: TxOptions,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await tryAgain(async () => await runOnce(dataSource, options, { begin, end: undo }, work));
}

async function tryAgain<T>(run: () => Promise<T>, tries = defaultTries): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= tries || !isConflict(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/** Runs `work` on one read-only snapshot, so that rows and their total agree. */
export async function snapshot<T>(
  dataSource: DataSource,
  options: TxOptions,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await runOnce(dataSource, options, { begin: beginSnapshot, end: commit }, work);
}

/**
 * Runs `work`, a single statement, without a transaction, which saves two round trips. The statement is
 * its own commit.
 */
export async function oneStatement<T>(
  dataSource: DataSource,
  { actor, origin = null }: TxOptions,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const notes = emptyNotes();
  const result = await work({
    manager: dataSource.manager,
    now: new Date(),
    actor,
    origin,
    notes,
  });
  tellListeners(dataSource, notes);
  return result;
}

function emptyNotes(): CommitNotes {
  return { hasChanges: false, hasOutboxRows: false, hasChannelWork: false };
}

async function begin(runner: QueryRunner): Promise<void> {
  await runner.startTransaction();
}

async function commit(runner: QueryRunner): Promise<void> {
  await runner.commitTransaction();
}

async function undo(runner: QueryRunner): Promise<void> {
  await runner.rollbackTransaction();
}

async function beginSnapshot(runner: QueryRunner): Promise<void> {
  // One statement: as an option of `startTransaction`, the level would cost another round trip.
  await runner.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  await runner.startTransaction();
}

/** Statement that begins or ends a transaction. */
type Bound = (runner: QueryRunner) => Promise<void>;

async function runOnce<T>(
  dataSource: DataSource,
  { actor, origin = null, deadline = { remainingMs: Number.POSITIVE_INFINITY } }: TxOptions,
  bounds: { begin: Bound; end: Bound },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (deadline.remainingMs <= 0) throw deadlineExceeded();
  const startedAt = performance.now();
  const runner = dataSource.createQueryRunner();
  const notes = emptyNotes();
  try {
    await bounds.begin(runner);
    const result = await work({ manager: runner.manager, now: new Date(), actor, origin, notes });
    await bounds.end(runner);
    if (bounds.end === commit) tellListeners(dataSource, notes);
    return result;
  } catch (error) {
    await rollBack(runner);
    throw error;
  } finally {
    await runner.release();
    deadline.remainingMs -= performance.now() - startedAt;
  }
}

/** Error of a call whose database time is over. */
export function deadlineExceeded(): Error {
  return Object.assign(new Error("The database has kept this call for too long."), {
    code: "ETIMEDOUT",
  });
}

/**
 * Keeps the first error. A connection that cannot roll back is dead, and its transaction with it.
 */
async function rollBack(runner: QueryRunner): Promise<void> {
  try {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
  } catch {
    // Nothing to add to the error under way.
  }
}

/** True for an error of a transaction that may succeed when it runs again. */
export function isConflict(error: unknown): boolean {
  if (error instanceof WriteConflict) return true;
  const number = errorNumber(error);
  return number === mysqlError.deadlock || number === mysqlError.lockWaitTimeout;
}
