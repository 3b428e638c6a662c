import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  patched,
  setHandler,
} from "@temporalio/workflow";
import {
  waitSummary,
  type DeliverWebhookInput,
  type DeliverWebhookResult,
  type DeliveryRunState,
} from "../core/model/delivery.ts";
import { attemptDelivery, cancelDelivery, discardDelivery } from "./delivery-steps.ts";
import { startTimer, waitForStart } from "./delivery-waits.ts";
import { showEnd, showFailure } from "./visibility.ts";

/**
 * Post the next attempt now instead of waiting for it; in the last wait, the sixth once more. Asked
 * for while an attempt runs, that attempt is the answer.
 */
export const retryNow = defineSignal("retryNow");
/** End the delivery as `cancelled`, unless MySQL says that it has ended already. */
export const cancel = defineSignal("cancel");

/**
 * One delivery: six attempts, a durable wait after each, then the discard. It completes with the
 * state the delivery ended in; a failed run is a bug of ours. Signals are hints: every step reads
 * MySQL before it acts.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliverWebhookResult> {
  const shown = { failure: false };
  const state = await deliver(input, shown).catch(async (error: unknown) => {
    if (!isCancellation(error)) throw error;
    return await CancellationScope.nonCancellable(() => cancelDelivery(input));
  });
  if (shown.failure) showEnd(input, state);
  return { state };
}

async function deliver(
  input: DeliverWebhookInput,
  shown: { failure: boolean },
): Promise<DeliveryRunState> {
  const lastNumber = input.waitsMs.length;
  const asked = { retry: false, cancel: false, discard: false };
  setHandler(retryNow, () => void (asked.retry = true));
  setHandler(cancel, () => void (asked.cancel = true));
  const isAsked = () => asked.retry || asked.cancel || asked.discard;

  if ((await waitForStart(input, isAsked)) && asked.cancel) return await cancelDelivery(input);
  let number = input.firstNumber;
  let inLastWait = false;
  for (let seq = 1; ; seq += 1) {
    const outcome = await attemptDelivery(input, { seq, number, manual: asked.retry });
    // One that came with the start is not answered by the relay's attempt. Older runs took it so.
    const isUnanswered = asked.retry && seq === 1 && input.attempted !== undefined;
    asked.retry = isUnanswered && patched("retry-with-the-start");
    if (outcome.state !== "waiting") return outcome.state;
    showFailure(input, number, outcome);
    shown.failure = true;

    const waitMs = Math.max(1, outcome.waitMs);
    const summary = waitSummary(number, lastNumber, waitMs);
    if (number < lastNumber) await condition(isAsked, waitMs, { summary });
    else {
      // One timer runs through the last wait, however often someone retries by hand in it.
      if (!inLastWait) startTimer(waitMs, summary, () => (asked.discard = true));
      inLastWait = true;
      await condition(isAsked);
    }
    if (asked.cancel) return await cancelDelivery(input);
    if (asked.discard) return await discardDelivery(input);
    number = Math.min(number + 1, lastNumber);
  }
}
