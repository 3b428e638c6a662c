import { CancellationScope, condition, isCancellation } from "@temporalio/workflow";
import {
  waitSummary,
  type DeliverWebhookInput,
  type DeliverWebhookResult,
  type DeliveryRunState,
} from "../core/model/workflow/delivery.ts";
import { listenToOperators } from "./delivery-signals.ts";
import { attemptDelivery, cancelDelivery, discardDelivery } from "./delivery-steps.ts";
import { beginAnewIfLong, startTimer, waitForStart } from "./delivery-waits.ts";
import { showEnd, showFailure } from "./visibility.ts";

/**
 * One delivery: six attempts, a durable wait after each, then the discard (rules C47 and C49). It
 * completes with the final state of the delivery; a failed run is a bug of ours. Signals are hints:
 * every step reads MySQL before it acts.
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
  const { firstSeq = 1 } = input;
  const asked = listenToOperators(firstSeq - 1);
  let isTimeUp = false;
  if ((await waitForStart(input, asked.any)) && asked.cancel) return await cancelDelivery(input);
  let number = input.firstNumber;
  let inLastWait = false;
  for (let seq = firstSeq; ; seq += 1) {
    const outcome = await attemptDelivery(input, { seq, number, manual: asked.retry() });
    asked.attemptMade(seq === firstSeq && input.attempted !== undefined);
    if (outcome.state !== "waiting") return outcome.state;
    if (number === lastNumber && !asked.any()) await beginAnewIfLong(input, { seq, outcome });
    showFailure(input, number, outcome);
    shown.failure = true;

    const waitMs = Math.max(1, outcome.waitMs);
    const summary = waitSummary(number, lastNumber, waitMs);
    if (number < lastNumber) await condition(asked.any, waitMs, { summary });
    else {
      // One timer covers the last wait, even if operators retry several times in it.
      if (!inLastWait) startTimer(waitMs, summary, () => (isTimeUp = true));
      inLastWait = true;
      await condition(() => isTimeUp || asked.any());
    }
    if (asked.cancel) return await cancelDelivery(input);
    if (isTimeUp) return await discardDelivery(input);
    number = Math.min(number + 1, lastNumber);
  }
}
