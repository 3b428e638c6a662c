import { replayBatchLooks, replayBatchSize, type ReplayBatch } from "../core/model/replay.ts";
import { replayBatch } from "../core/services/deliveries/replay-batches.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

/** The activity of a replay. It may run twice: the second time it takes the next batch. */
export function createReplayDeliveries({ dataSource, log }: ActivityDeps) {
  return {
    /** Queues one batch of a replay's deliveries. */
    async replayDeliveriesBatch(input: {
      accountId: number;
      replayId: number;
      run: number;
    }): Promise<ReplayBatch> {
      const batch = await transaction(dataSource, systemOf(input.accountId), (tx) =>
        replayBatch(tx, input, { size: replayBatchSize, looks: replayBatchLooks }),
      );
      log.info({ replay_id: input.replayId, ...batch }, "deliveries.replayed");
      return batch;
    },
  };
}
