import { setTimeout as sleep } from "node:timers/promises";
import { Context } from "@temporalio/activity";
import type { PurgeInput, PurgeProgress } from "../core/model/workflow/retention.ts";
import { purgeBatch } from "../core/services/operations/retention.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import { RetryLaterError } from "./retry-later.ts";

const rowsAtOnce = 200;
/** Pause after a transaction, as a multiple of its duration: deliveries have priority. */
const restFactor = 5;
/** Many small transactions fit into one step, so a large backlog makes no long history. */
const stepMs = 30_000;
/** Far below the heartbeat timeout of 20 s. */
const beatMs = 2_000;
/** Then another worker takes the step, or this one after its restart. */
const retryMs = 1_000;

/** The step of a purge. It may run twice, or in parallel, and finds less to do. */
export function createPurge({ dataSource, log, metrics, stopping }: ActivityDeps) {
  return {
    /**
     * Deletes old rows of one kind for half a minute, until none is left or this process stops.
     * Continues a step whose worker died.
     * @throws CancelledFailure if an operator cancelled the purge
     */
    async purgeOld({ kind, after }: PurgeInput): Promise<PurgeProgress> {
      // A stopping worker may still take one more step.
      if (stopping.aborted) throw new RetryLaterError("This process is to stop.", retryMs);
      const end = performance.now() + stepMs;
      const context = Context.current();
      const known: PurgeProgress | undefined = context.info.heartbeatDetails;
      const done: PurgeProgress = known ?? { deleted: 0, after };
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
        await rest(context, restMs, { done, stopping });
        if (stopping.aborted) break;
      }
      if (done.deleted > 0) log.info({ table: kind, deleted: done.deleted }, "rows.purged");
      return done;
    },
  };
}

/** Pauses until the time is over or the process stops. Heartbeats report the progress meanwhile. */
async function rest(
  { cancelled, heartbeat }: Context,
  ms: number,
  { done, stopping }: { done: PurgeProgress; stopping: AbortSignal },
): Promise<void> {
  const end = performance.now() + ms;
  for (let left = ms; left > 0 && !stopping.aborted; left = end - performance.now()) {
    heartbeat({ ...done });
    const pause = sleep(Math.min(left, beatMs), undefined, { signal: stopping });
    await Promise.race([pause.catch(() => undefined), cancelled]);
  }
}
