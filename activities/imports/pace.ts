import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { isApiBusy } from "../../core/services/operations/busy-processes.ts";
import { oneStatement, systemOf } from "../../db/transaction.ts";

/** The answer is asked for again after this time. */
const lookMs = 250;

/** Pauses between two batches, so that callers of the API notice no import. */
export interface ImportPace {
  /** Rests for as long as the batch took while the API is busy. Ends at once where it is idle. */
  rest(batchMs: number, stopping: AbortSignal): Promise<void>;
}

/** Creates the pace of a worker process. */
export function createImportPace(dataSource: DataSource): ImportPace {
  let busy = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    async rest(batchMs, stopping) {
      const now = performance.now();
      if (now - lookedAt > lookMs) {
        busy = await oneStatement(dataSource, systemOf(), isApiBusy);
        lookedAt = now;
      }
      if (!busy || stopping.aborted) return;
      await sleep(batchMs, undefined, { signal: stopping }).catch(() => undefined);
    },
  };
}
