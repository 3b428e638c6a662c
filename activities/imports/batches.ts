import { Context } from "@temporalio/activity";
import { errorNumber, mysqlError, WriteConflict, AppError } from "../../core/errors.ts";
import type { ImportStep } from "../../core/model/workflow/importing.ts";
import {
  failNextRow,
  readCursor,
  type BatchProgress,
} from "../../core/services/imports/import-steps.ts";
import { transaction, type Tx, type TxOptions } from "../../db/transaction.ts";
import type { ActivityDeps } from "../deps.ts";
import type { ImportPace } from "./pace.ts";

/** One step ends after so many rows or so much time, so that its run sees signals and the history stays short. */
const rowsOfStep = 20_000;
const stepMs = 30_000;

/** Work on the next rows of an import, at most `limit` of them. */
export type NextRows = (tx: Tx, limit: number) => Promise<BatchProgress>;

/** Parts of a worker that batches need. */
export type BatchDeps = Pick<ActivityDeps, "dataSource" | "log" | "stopping">;

/**
 * Works on rows batch by batch until the phase ends, a person stops it, or the step is long enough.
 * A batch that keeps failing for its rows is tried row by row, and a row that fails alone is
 * recorded as failed.
 * @throws the error of a lock that another transaction holds; the next try goes on from that row
 */
export async function workOnRows(
  { dataSource, log, stopping }: BatchDeps,
  pace: ImportPace,
  { importId, options, next }: { importId: number; options: TxOptions; next: NextRows },
): Promise<Pick<ImportStep, "handled"> & { progress: BatchProgress }> {
  const { heartbeat, cancellationSignal } = Context.current();
  const end = performance.now() + stepMs;
  let handled = 0;
  let limit = await pace.rest(null, stopping);
  for (;;) {
    const startedAt = performance.now();
    const progress = await runBatch();
    handled += progress.handled;
    heartbeat(handled);
    const isOver = handled >= rowsOfStep || performance.now() >= end || stopping.aborted;
    if (progress.done || isOver) return { handled, progress };
    cancellationSignal.throwIfAborted();
    const batch = { rows: progress.handled, ms: performance.now() - startedAt };
    limit = await pace.rest(batch, stopping);
  }

  async function runBatch(): Promise<BatchProgress> {
    try {
      return await transaction(dataSource, options, (tx) => next(tx, limit));
    } catch (error) {
      if (!isFaultOfRows(error) && !isFaultOfLock(error)) throw error;
      log.warn({ import_id: importId, err: nameOf(error) }, "import.batch_failed");
      // The tries of a locked batch, and those of its first row, outlast one heartbeat together.
      heartbeat(handled);
      return await runRows();
    }
  }

  async function runRows(): Promise<BatchProgress> {
    let progress: BatchProgress = { state: "committing", handled: 0, done: false };
    for (let count = 0; count < limit && !progress.done; count += 1) {
      const one = await runRow();
      progress = { ...one, handled: progress.handled + one.handled };
      heartbeat(handled + progress.handled);
      if (stopping.aborted) break;
    }
    return progress;
  }

  async function runRow(): Promise<BatchProgress> {
    const cursorRow = await transaction(dataSource, options, (tx) => readCursor(tx, importId));
    try {
      return await transaction(dataSource, options, (tx) => next(tx, 1));
    } catch (error) {
      if (!isFaultOfRows(error)) throw error;
      log.error({ import_id: importId, err: nameOf(error) }, "import.row_failed");
      return await transaction(dataSource, options, (tx) => failNextRow(tx, importId, cursorRow));
    }
  }
}

/** Errors of MySQL that the values of a row cause. */
const faultsOfRows: ReadonlySet<number> = new Set([
  mysqlError.duplicateKey,
  // A value that is too long, out of range, null, or of another type.
  1048,
  1264,
  1292,
  1366,
  1406,
  3140,
]);

function isFaultOfRows(error: unknown): boolean {
  if (error instanceof WriteConflict || error instanceof AppError) return true;
  const number = errorNumber(error);
  return number !== null && faultsOfRows.has(number);
}

/** True where another transaction was in the way. The rows themselves are good. */
function isFaultOfLock(error: unknown): boolean {
  const number = errorNumber(error);
  return number === mysqlError.lockWaitTimeout || number === mysqlError.deadlock;
}

/** Messages of the driver repeat values of the row, so the log gets the class and the number. */
function nameOf(error: unknown): string {
  const number = errorNumber(error);
  if (number !== null) return `MySQL ${number}`;
  return error instanceof AppError ? error.code : "WriteConflict";
}
