import { bytesToUuid } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import { deliveryWorkflowId, type DeliveryState } from "../../model/workflow/delivery.ts";
import { actingUserId } from "../accounts/actor.ts";
import { requestRun, type RequestedDelivery } from "../outbox/outbox.ts";
import { setDeliveryState } from "./delivery-state.ts";

/** Facts for a new run of a delivery. The caller holds the lock of the delivery. */
export interface RunFacts extends RequestedDelivery {
  event_id: Buffer;
  state: DeliveryState;
  run: number;
}

/** First attempt of a run, and its earliest time; null: at once. */
export interface RunStart {
  number: number;
  at: Date | null;
}

/**
 * Queues the next run of a delivery with the same event and the same bytes. Its `seq` begins at 1
 * again. Earlier runs have no effect any more. The relay starts the new run.
 * @returns the run's number.
 */
export async function queueNextRun(
  tx: Tx,
  row: RunFacts,
  { number, at }: RunStart = { number: 1, at: null },
): Promise<number> {
  const run = row.run + 1;
  const next = {
    run,
    number,
    workflowId: deliveryWorkflowId(bytesToUuid(row.event_id), row.subscription_id, run),
    userId: actingUserId(tx.actor),
  };
  await setDeliveryState(
    tx,
    [row.id],
    at === null ? { trigger: "restart", ...next } : { trigger: "restartLater", ...next, at },
  );
  await requestRun(tx, row, run);
  return run;
}
