import type { DeliveryRunState } from "../core/model/delivery.ts";
import { cancelDelivery, discardDelivery } from "../core/services/delivery-attempts.ts";
import { cancelOpenDeliveries } from "../core/services/deliveries.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./index.ts";

const batchSize = 500;

/** The activities that end deliveries. Each may run twice and changes things once. */
export function createEndDelivery({ dataSource, log, metrics }: ActivityDeps) {
  return {
    /** After the last wait: state `discarded` and its one notification. */
    async discardDelivery(input: {
      accountId: number;
      deliveryId: number;
      run: number;
    }): Promise<DeliveryRunState> {
      const state = await transaction(dataSource, systemOf(input.accountId), (tx) =>
        discardDelivery(tx, input),
      );
      log.info({ delivery_id: input.deliveryId, run: input.run, state }, "delivery.ended");
      metrics.deliveriesFinished.inc({ state });
      return state;
    },

    /** Where an operator cancelled the run in Temporal UI. */
    async cancelDelivery(input: {
      accountId: number;
      deliveryId: number;
      run: number;
    }): Promise<DeliveryRunState> {
      const state = await transaction(dataSource, systemOf(input.accountId), (tx) =>
        cancelDelivery(tx, input, "cancelled_by_operator"),
      );
      log.info({ delivery_id: input.deliveryId, run: input.run, state }, "delivery.ended");
      metrics.deliveriesFinished.inc({ state });
      return state;
    },

    /** One batch of a deleted subscription's open deliveries. */
    async cancelDeliveriesBatch(input: {
      accountId: number;
      subscriptionId: number;
    }): Promise<{ cancelled: number; done: boolean }> {
      const cancelled = await transaction(dataSource, systemOf(input.accountId), (tx) =>
        cancelOpenDeliveries(tx, input.subscriptionId, batchSize),
      );
      log.info({ subscription_id: input.subscriptionId, cancelled }, "deliveries.cancelled");
      return { cancelled, done: cancelled < batchSize };
    },
  };
}
