import { setTimeout as sleep } from "node:timers/promises";
import type { PurgeInput, PurgeProgress } from "../core/model/retention.ts";
import { purgeBatch } from "../core/services/retention.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./index.ts";
import { TryLater } from "./try-later.ts";

const rowsAtOnce = 200;
/** Of the time that a transaction takes, for how long nothing is deleted after it: deliveries go first. */
const restFactor = 5;
/** Small transactions, as many as fit: a large backlog then makes no long history. */
const stepMs = 30_000;
/** Another worker takes it then, or this one once it is back. */
const retryMs = 1_000;

/** The step of a purge. It may run twice, or beside another one, and finds less to do. */
export function createPurge({ dataSource, log, metrics, stopping }: ActivityDeps) {
  return {
    /**
     * Deletes what is too old of one kind, for half a minute, until nothing is left or this process
     * stops.
     */
    async purgeOld({ kind, after }: PurgeInput): Promise<PurgeProgress> {
      // Its worker may take one more step before it stops to.
      if (stopping.aborted) throw new TryLater("This process is to stop.", retryMs);
      const end = performance.now() + stepMs;
      const done: PurgeProgress = { deleted: 0, after };
      for (;;) {
        const startedAt = performance.now();
        const input = { kind, after: done.after };
        const batch = await transaction(dataSource, systemOf(), (tx) =>
          purgeBatch(tx, input, rowsAtOnce),
        );
        done.deleted += batch.deleted;
        done.after = batch.after;
        metrics.rowsPurged.inc({ table: kind }, batch.deleted);
        const restMs = (performance.now() - startedAt) * restFactor;
        if (done.after === null || performance.now() + restMs >= end) break;
        await sleep(restMs, undefined, { signal: stopping }).catch(() => undefined);
        if (stopping.aborted) break;
      }
      if (done.deleted > 0) log.info({ table: kind, deleted: done.deleted }, "rows.purged");
      return done;
    },
  };
}
