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
/** Time in which a batch passes over the held deliveries of other subscriptions. */
const resumeMs = 3_000;

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
    /** Holds some of the open deliveries. Holds none while the subscription is active. */
    async holdDeliveriesBatch(
      input: OfSubscription & { walk?: DeliveryWalk | undefined },
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
      input: OfSubscription & { after?: number | undefined },
    ): Promise<{ resumed: number; done: boolean; after?: number | undefined }> {
      const { subscriptionId } = input;
      const endsAt = performance.now() + resumeMs;
      let { after } = input;
      let resumed = 0;
      for (;;) {
        const before = after;
        const batch = await transaction(dataSource, systemOf(input.accountId), (tx) =>
          resumeHeldDeliveries(tx, subscriptionId, resumeBatchSize - resumed, before),
        );
        resumed += batch.resumed;
        ({ after } = batch);
        const isFull = resumed === resumeBatchSize || after === before;
        if (!batch.done && !isFull && performance.now() < endsAt) continue;
        log.info({ subscription_id: subscriptionId, resumed }, "deliveries.resumed");
        return { resumed, done: batch.done, after };
      }
    },
  };
}
