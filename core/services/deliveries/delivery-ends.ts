import type { Tx } from "../../../db/transaction.ts";
import {
  canChangeDelivery,
  isOpenDelivery,
  type CancelReason,
  type DeliveryState,
} from "../../model/workflow/delivery.ts";
import { recordDeliveryChange } from "../outbox/changes.ts";
import { lockDelivery } from "./delivery-facts.ts";
import { setDeliveryState, type DeliveryChange } from "./delivery-state.ts";
import { recordNotification } from "../notifications/notifications.ts";

/** Key of a run of a delivery. */
interface Run {
  deliveryId: number;
  run: number;
}

/**
 * Discards a delivery after its last wait and notifies the members of the account, once for each
 * run (rule C49). A delivery that has ended otherwise, or has a newer run, stays as it is.
 */
export async function discardDelivery(tx: Tx, input: Run): Promise<DeliveryState | "superseded"> {
  const facts = await lockDelivery(tx, input.deliveryId);
  if (facts.run !== input.run) return "superseded";
  if (!canChangeDelivery(facts.state, "discard")) return facts.state;
  await setDeliveryState(tx, [input.deliveryId], { trigger: "discard" });
  await recordDeliveryChange(tx, { deliveryId: input.deliveryId });
  await recordNotification(tx, {
    kind: "delivery_discarded",
    params: await failureParams(tx, input.deliveryId),
    dedupeKey: `discarded:${input.deliveryId}:${input.run}`,
    groupKey: `discarded:${facts.subscription_id}`,
    deliveryId: input.deliveryId,
    subscriptionId: facts.subscription_id,
  });
  return "discarded";
}

/**
 * Ends an open delivery of the current run as `cancelled`.
 * @returns its state now.
 */
export async function cancelDelivery(
  tx: Tx,
  input: Run,
  reason: CancelReason,
): Promise<DeliveryState | "superseded"> {
  const facts = await lockDelivery(tx, input.deliveryId);
  if (facts.run !== input.run) return "superseded";
  if (!isOpenDelivery(facts.state)) return facts.state;
  await stopDelivery(tx, input.deliveryId, { trigger: "cancel", reason });
  return "cancelled";
}

/** The end of a delivery without an attempt, or its hold. */
export type DeliveryStop = Extract<DeliveryChange, { trigger: "cancel" | "hold" }>;

/** Ends or holds a delivery that is locked and open. */
export async function stopDelivery(tx: Tx, deliveryId: number, stop: DeliveryStop): Promise<void> {
  await setDeliveryState(tx, [deliveryId], stop);
  await recordDeliveryChange(tx, { deliveryId });
}

/** Params of a notification about a failing delivery. */
export async function failureParams(
  tx: Tx,
  deliveryId: number,
): Promise<Record<string, string | number | null>> {
  const [params] = await tx.manager.query<Record<string, string | number | null>[]>(
    `SELECT s.name AS subscription_name, d.event_type, d.first_number - 1 + d.attempts_made AS attempts,
            d.last_status_code AS status_code, d.last_error_class AS error_class
       FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id WHERE d.id = ?`,
    [deliveryId],
  );
  return params ?? {};
}
