import type { PurgeInput, PurgeProgress } from "../core/model/retention.ts";
import { purgeBatch } from "../core/services/retention.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./index.ts";

const rowsAtOnce = 500;
/** Small transactions, as many as fit: a large backlog then makes no long history. */
const stepMs = 30_000;

/** The step of a purge. It may run twice, or beside another one, and finds less to do. */
export function createPurge({ dataSource, log, metrics }: ActivityDeps) {
  return {
    /** Deletes what is too old of one kind, for half a minute or until nothing is left. */
    async purgeOld({ kind, after }: PurgeInput): Promise<PurgeProgress> {
      const end = performance.now() + stepMs;
      const done: PurgeProgress = { deleted: 0, after };
      do {
        const input = { kind, after: done.after };
        const batch = await transaction(dataSource, systemOf(), (tx) =>
          purgeBatch(tx, input, rowsAtOnce),
        );
        done.deleted += batch.deleted;
        done.after = batch.after;
        metrics.rowsPurged.inc({ table: kind }, batch.deleted);
      } while (done.after !== null && performance.now() < end);
      if (done.deleted > 0) log.info({ table: kind, deleted: done.deleted }, "rows.purged");
      return done;
    },
  };
}
