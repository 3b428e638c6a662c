import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { rowsAtOnce } from "../../core/services/imports/import-steps.ts";
import { isApiBusy } from "../../core/services/operations/busy-processes.ts";
import { oneStatement, systemOf } from "../../db/transaction.ts";

/** The answer is asked for again after this time. */
const lookMs = 250;
/** Beside calls a batch takes about so long. A call that meets it waits for its CPU and its commit. */
const busyBatchMs = 40;
/** Each batch costs some statements, so smaller ones would hardly be shorter. */
const leastRows = 50;
/** The first batch beside calls, before any was timed. */
const firstRows = 100;

/** A batch as it was. */
export interface BatchTime {
  rows: number;
  ms: number;
}

/** Size of batches and pauses between them, so that callers of the API notice no import. */
export interface ImportPace {
  /**
   * Rests for as long as the batch took while the API is busy. Ends at once where it is idle.
   * @param batch null before the first one
   * @returns rows for the next batch: fewer while the API is busy
   */
  rest(batch: BatchTime | null, stopping: AbortSignal): Promise<number>;
}

/** Creates the pace of a worker process. */
export function createImportPace(dataSource: DataSource): ImportPace {
  let busy = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    async rest(batch, stopping) {
      const now = performance.now();
      if (now - lookedAt > lookMs) {
        busy = await oneStatement(dataSource, systemOf(), isApiBusy);
        lookedAt = now;
      }
      if (!busy || stopping.aborted) return rowsAtOnce;
      if (batch === null) return firstRows;
      await sleep(batch.ms, undefined, { signal: stopping }).catch(() => undefined);
      return rowsBeside(batch);
    },
  };
}

function rowsBeside({ rows, ms }: BatchTime): number {
  const fitting = Math.round((rows * busyBatchMs) / Math.max(ms, 1));
  return Math.min(rowsAtOnce, Math.max(leastRows, fitting));
}
