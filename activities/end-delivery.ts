import type { DeliveryRun, DeliveryRunState } from "../core/model/workflow/delivery.ts";
import { cancelDelivery, discardDelivery } from "../core/services/deliveries/delivery-ends.ts";
import { cancelOpenDeliveries } from "../core/services/deliveries/deliveries.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import { walkDeliveries, type DeliveryWalk } from "./delivery-walk.ts";
import type { ActivityDeps } from "./deps.ts";

const batchSize = 500;

/** The activities that end deliveries. Each may run twice and changes things once. */
export function createEndDelivery({ dataSource, log, metrics }: ActivityDeps) {
  async function end(
    { accountId, deliveryId: delivery_id, run }: DeliveryRun,
    work: (tx: Tx) => Promise<DeliveryRunState>,
  ): Promise<DeliveryRunState> {
    const state = await transaction(dataSource, systemOf(accountId), work);
    log.info({ delivery_id, run, state }, "delivery.ended");
    metrics.deliveriesFinished.inc({ state });
    return state;
  }

  return {
    /** Discards a delivery after the last wait, with its one notification (rule C49). */
    discardDelivery: (input: DeliveryRun) => end(input, (tx) => discardDelivery(tx, input)),

    /** Cancels a delivery whose run an operator cancelled in Temporal UI. */
    cancelDelivery: (input: DeliveryRun) =>
      end(input, (tx) => cancelDelivery(tx, input, "cancelled_by_operator")),

    /** Cancels some of a deleted subscription's open deliveries. */
    async cancelDeliveriesBatch(input: {
      accountId: number;
      subscriptionId: number;
      walk?: DeliveryWalk | undefined;
    }): Promise<{ cancelled: number; done: boolean; walk?: DeliveryWalk | undefined }> {
      const { accountId, subscriptionId } = input;
      const cancel = (after: number) =>
        transaction(dataSource, systemOf(accountId), (tx) =>
          cancelOpenDeliveries(tx, subscriptionId, batchSize, after),
        );
      const { changed: cancelled, walk } = await walkDeliveries(cancel, input.walk);
      log.info({ subscription_id: subscriptionId, cancelled }, "deliveries.cancelled");
      return { cancelled, done: walk === undefined, walk };
    },
  };
}
