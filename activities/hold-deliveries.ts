import {
  holdOpenDeliveries,
  resumeHeldDeliveries,
} from "../core/services/deliveries/delivery-holds.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

const holdBatchSize = 500;
/** With the pause between batches, about the throughput of the relay and workers of one machine. */
const resumeBatchSize = 100;

/** The subscription of a batch. */
interface OfSubscription {
  accountId: number;
  subscriptionId: number;
}

/**
 * The activities of a subscription that is paused, disabled or active again. Each may run twice.
 */
export function createHoldDeliveries({ dataSource, log }: ActivityDeps) {
  return {
    /** Holds one batch of the open deliveries. Holds none while the subscription is active. */
    async holdDeliveriesBatch(input: OfSubscription): Promise<{ held: number; done: boolean }> {
      const { subscriptionId } = input;
      const held = await transaction(dataSource, systemOf(input.accountId), (tx) =>
        holdOpenDeliveries(tx, subscriptionId, holdBatchSize),
      );
      log.info({ subscription_id: subscriptionId, held }, "deliveries.held");
      return { held, done: held < holdBatchSize };
    },

    /**
     * Queues the next run of one batch of held deliveries. Queues none unless the subscription is
     * active.
     */
    async resumeDeliveriesBatch(
      input: OfSubscription & { after?: number | undefined },
    ): Promise<{ resumed: number; done: boolean; after?: number | undefined }> {
      const { subscriptionId, after } = input;
      const batch = await transaction(dataSource, systemOf(input.accountId), (tx) =>
        resumeHeldDeliveries(tx, subscriptionId, resumeBatchSize, after),
      );
      log.info({ subscription_id: subscriptionId, resumed: batch.resumed }, "deliveries.resumed");
      return batch;
    },
  };
}
