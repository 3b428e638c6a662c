import { proxyActivities, proxyLocalActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type {
  AttemptOutcome,
  AttemptStep,
  DeliverWebhookInput,
  DeliveryRun,
  DeliveryRunState,
} from "../core/model/workflow/delivery.ts";
import { inTaskFirst } from "./in-task.ts";

// An error of an activity is ours (a lost database, a bug), so it is retried without limit. A
// receiver's failure is an outcome. An attempt of 8 s and its two writes fit in 20 s.
const retry = { initialInterval: 500, maximumInterval: 10_000 };
const bounds = {
  startToCloseTimeout: 20_000,
  retry,
  // A cancelled run still gets the outcome of the POST in flight. Without this explicit value it
  // does not.
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
} as const;

// Two tries in the task. A longer problem waits on the queue, where it adds no event. An attempt
// that may not begin yet waits there too. In the task it would hold a slot for up to a minute.
const inThisTask = proxyLocalActivities<Activities>({
  ...bounds,
  retry: {
    ...retry,
    maximumAttempts: 2,
    nonRetryableErrorTypes: ["HostBusy", "AttemptUnderWay"],
  },
});
const onTheQueue = proxyActivities<Activities>(bounds);

/**
 * Makes one attempt, or returns the outcome of an attempt that was made before. The very first
 * attempt runs inside the workflow task that started the run, the cheapest way in Temporal. Later
 * attempts are activities of their own, so that operators see them. So is a first attempt that
 * failed through an error of ours.
 */
export async function attemptDelivery(
  input: DeliverWebhookInput,
  step: AttemptStep,
): Promise<AttemptOutcome> {
  const { waitsMs, attempted, firstSeq = 1 } = input;
  if (step.seq === firstSeq && attempted !== undefined) return attempted;
  const attempt = { ...runOf(input), waitsMs, ...step };
  const summary = `attempt ${step.number} of ${waitsMs.length}${step.manual ? ", by hand" : ""}`;
  const queued = async () =>
    await onTheQueue.attemptDelivery.executeWithOptions({ ...bounds, summary }, [attempt]);
  if (step.seq !== 1) return await queued();
  const inTask = async () => await inThisTask.attemptDelivery({ ...attempt, inTask: true });
  return await inTaskFirst(inTask, queued);
}

/** Discards the delivery and notifies the account. */
export async function discardDelivery(input: DeliverWebhookInput): Promise<DeliveryRunState> {
  const options = { ...bounds, summary: "discard and notify" };
  return await onTheQueue.discardDelivery.executeWithOptions(options, [runOf(input)]);
}

/** Ends the delivery after an operator cancelled its run in Temporal UI. */
export async function cancelDelivery(input: DeliverWebhookInput): Promise<DeliveryRunState> {
  const options = { ...bounds, summary: "cancel" };
  return await onTheQueue.cancelDelivery.executeWithOptions(options, [runOf(input)]);
}

function runOf({ accountId, deliveryId, run }: DeliverWebhookInput): DeliveryRun {
  return { accountId, deliveryId, run };
}
