import { defineSearchAttributeKey } from "@temporalio/common";
import {
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type {
  AttemptOutcome,
  AttemptStep,
  DeliverWebhookInput,
  DeliveryRunState,
} from "../core/model/delivery.ts";

// Whatever an activity throws is a fault of ours (a lost database, a bug), so it is repeated without
// limit; a receiver's failure is an outcome. An attempt of 8 s and its two writes fit in 20 s.
const retry = { initialInterval: 500, maximumInterval: 10_000 };
const bounds = { startToCloseTimeout: 20_000, retry };

const inThisTask = proxyLocalActivities<Activities>(bounds);
const onTheQueue = proxyActivities<Activities>(bounds);

const deliveryState = defineSearchAttributeKey("DeliveryState", "KEYWORD");
const attemptNumber = defineSearchAttributeKey("Attempt", "INT");
const nextAttemptAt = defineSearchAttributeKey("NextAttemptAt", "DATETIME");

/**
 * Makes one attempt. The very first runs inside the workflow task that started the run, which is the
 * cheapest way Temporal has; later ones are activities of their own, so that operators see them.
 */
export async function attemptDelivery(
  input: DeliverWebhookInput,
  step: AttemptStep,
): Promise<AttemptOutcome> {
  const { accountId, deliveryId, run, waitsMs } = input;
  const attempt = { accountId, deliveryId, run, waitsMs, ...step };
  if (step.seq === 1) return await inThisTask.attemptDelivery(attempt);
  const summary = `attempt ${step.number} of ${waitsMs.length}${step.manual ? ", by hand" : ""}`;
  return await onTheQueue.attemptDelivery.executeWithOptions({ ...bounds, summary }, [attempt]);
}

/** Gives the delivery up and tells the account. */
export async function discardDelivery(input: DeliverWebhookInput): Promise<DeliveryRunState> {
  const { accountId, deliveryId, run } = input;
  const summary = "discard and notify";
  return await onTheQueue.discardDelivery.executeWithOptions({ ...bounds, summary }, [
    { accountId, deliveryId, run },
  ]);
}

/** Ends the delivery where an operator asked for it in Temporal UI. */
export async function cancelDelivery(input: DeliverWebhookInput): Promise<DeliveryRunState> {
  const { accountId, deliveryId, run } = input;
  const summary = "cancel";
  return await onTheQueue.cancelDelivery.executeWithOptions({ ...bounds, summary }, [
    { accountId, deliveryId, run },
  ]);
}

/** Makes a failed attempt visible: searchable, and in the words of the run's page. */
export function showFailure(
  input: DeliverWebhookInput,
  number: number,
  outcome: Extract<AttemptOutcome, { state: "waiting" }>,
): void {
  const answer = outcome.statusCode === null ? outcome.errorClass : `HTTP ${outcome.statusCode}`;
  const due = outcome.nextAttemptAt === null ? null : new Date(outcome.nextAttemptAt);
  const next = due === null ? "no attempt is left" : `next at ${due.toISOString()}`;
  setCurrentDetails(`Attempt ${number} of ${input.waitsMs.length} failed: ${answer}; ${next}.`);
  if (!input.searchable) return;
  upsertSearchAttributes([
    { key: deliveryState, value: "waiting" },
    { key: attemptNumber, value: number },
    { key: nextAttemptAt, value: due },
  ]);
}
