import { defineSearchAttributeKey } from "@temporalio/common";
import { setCurrentDetails, upsertSearchAttributes } from "@temporalio/workflow";
import type {
  DeliverWebhookInput,
  DeliveryRunState,
  FailedAttempt,
} from "../core/model/workflow/delivery.ts";

const deliveryState = defineSearchAttributeKey("DeliveryState", "KEYWORD");
const attemptNumber = defineSearchAttributeKey("Attempt", "INT");
const nextAttemptAt = defineSearchAttributeKey("NextAttemptAt", "DATETIME");

/** Makes a failed attempt visible: as search attributes, and as text on the run's page. */
export function showFailure(
  input: DeliverWebhookInput,
  number: number,
  outcome: FailedAttempt,
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

/**
 * Makes the end of a run visible that had shown a failure. A run that delivers at once sets
 * nothing: "Completed" says enough, and the history stays short.
 */
export function showEnd(input: DeliverWebhookInput, state: DeliveryRunState): void {
  setCurrentDetails(`The delivery is ${state}.`);
  if (!input.searchable) return;
  upsertSearchAttributes([
    { key: deliveryState, value: state },
    { key: nextAttemptAt, value: null },
  ]);
}
