import {
  holdOpenDeliveries,
  resumeHeldDeliveries,
} from "../core/services/deliveries/delivery-holds.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import { walkDeliveries, type DeliveryWalk } from "./delivery-walk.ts";
import type { ActivityDeps } from "./deps.ts";

const holdBatchSize = 500;
/** With the pause between batches, about the throughput of the relay and workers of one machine. */
const resumeBatchSize = 100;

/** The subscription of a batch, and the place of the batch before. */
interface BatchInput {
  accountId: number;
  subscriptionId: number;
  walk?: DeliveryWalk | undefined;
}

/**
 * The activities of a subscription that is paused, disabled or active again. Each may run twice.
 */
export function createHoldDeliveries({ dataSource, log }: ActivityDeps) {
  return {
    /** Holds some of the open deliveries. Holds none while the subscription is active. */
    async holdDeliveriesBatch(
      input: BatchInput,
    ): Promise<{ held: number; done: boolean; walk?: DeliveryWalk | undefined }> {
      const { subscriptionId } = input;
      const hold = (after: number) =>
        transaction(dataSource, systemOf(input.accountId), (tx) =>
          holdOpenDeliveries(tx, subscriptionId, holdBatchSize, after),
        );
      const { changed: held, walk } = await walkDeliveries(hold, input.walk);
      log.info({ subscription_id: subscriptionId, held }, "deliveries.held");
      return { held, done: walk === undefined, walk };
    },

    /**
     * Queues the next run of one batch of held deliveries. Queues none unless the subscription is
     * active.
     */
    async resumeDeliveriesBatch(
      input: BatchInput,
    ): Promise<{ resumed: number; done: boolean; walk?: DeliveryWalk | undefined }> {
      const { subscriptionId } = input;
      const resume = (after: number, most: number) =>
        transaction(dataSource, systemOf(input.accountId), (tx) =>
          resumeHeldDeliveries(tx, subscriptionId, most, after),
        );
      const { changed: resumed, walk } = await walkDeliveries(resume, input.walk, resumeBatchSize);
      log.info({ subscription_id: subscriptionId, resumed }, "deliveries.resumed");
      return { resumed, done: walk === undefined, walk };
    },
  };
}
