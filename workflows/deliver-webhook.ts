import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  setHandler,
  sleep,
} from "@temporalio/workflow";
import {
  waitSummary,
  type DeliverWebhookInput,
  type DeliverWebhookResult,
} from "../core/model/delivery.ts";
import { attemptDelivery, cancelDelivery, discardDelivery, showFailure } from "./delivery-steps.ts";

/** Post the next attempt now instead of waiting for it; in the last wait, the sixth once more. */
export const retryNow = defineSignal("retryNow");
/** End the delivery as `cancelled`, unless MySQL says that it has ended already. */
export const cancel = defineSignal("cancel");

/**
 * One delivery: six attempts, a durable wait after each, then the discard. It completes with the
 * state the delivery ended in; a failed run is a bug of ours. Signals are hints: every step reads
 * MySQL before it acts.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliverWebhookResult> {
  try {
    return await deliver(input);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return { state: await CancellationScope.nonCancellable(() => cancelDelivery(input)) };
  }
}

async function deliver(input: DeliverWebhookInput): Promise<DeliverWebhookResult> {
  const lastNumber = input.waitsMs.length;
  const asked = { retry: false, cancel: false, discard: false };
  setHandler(retryNow, () => void (asked.retry = true));
  setHandler(cancel, () => void (asked.cancel = true));
  const isAsked = () => asked.retry || asked.cancel || asked.discard;

  let number = input.firstNumber;
  for (let seq = 1; ; seq += 1) {
    const outcome = await attemptDelivery(input, { seq, number, manual: asked.retry });
    asked.retry = false;
    if (outcome.state !== "waiting") return { state: outcome.state };
    showFailure(input, number, outcome);

    const { waitMs } = outcome;
    const summary = waitSummary(number, lastNumber, waitMs ?? 0);
    if (number < lastNumber) await condition(isAsked, waitMs ?? 0, { summary });
    // The last wait runs on through retries by hand: only the sixth attempt itself starts it.
    else if (waitMs !== null) startTimer(waitMs, summary, () => (asked.discard = true));
    if (number === lastNumber) await condition(isAsked);
    if (asked.cancel) return { state: await cancelDelivery(input) };
    if (asked.discard) return { state: await discardDelivery(input) };
    number = Math.min(number + 1, lastNumber);
  }
}

/** A cancelled run has nobody left to tell, so the rejection of its timer is no fault. */
function startTimer(waitMs: number, summary: string, done: () => void): void {
  sleep(waitMs, { summary }).then(done, () => undefined);
}
