import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";
import {
  reportPauseMs,
  unknownWaitMs,
  type SendMessageInput,
  type SendOutcome,
} from "../core/model/workflow/sending.ts";

const { sendToChannel, endUnknownSend, recordReport, cancelSend } = proxyActivities<Activities>({
  // The channel's word is worth writing down for 40 s.
  startToCloseTimeout: 60_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
  // A cancelled run still hears what came of the hand-over under way.
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
});

type State = SendOutcome["state"];

/**
 * Takes one message to its channel: tried again while the channel is in trouble, never sent again
 * once it may have arrived. It completes with how the message stands; MySQL has its whole story.
 */
export async function sendMessage(input: SendMessageInput): Promise<{ state: State }> {
  const state = await send(input).catch(async (error: unknown) => {
    if (!isCancellation(error)) throw error;
    return await CancellationScope.nonCancellable(() => cancelSend(input));
  });
  return { state };
}

async function send(input: SendMessageInput): Promise<State> {
  for (;;) {
    const outcome = await sendToChannel(input);
    switch (outcome.state) {
      case "sent":
        for (const status of outcome.reports) {
          await sleep(reportPauseMs, { summary: `wait before "${status}"` });
          await recordReport({ ...input, status });
        }
        return outcome.state;
      case "waiting": {
        const { waitMs, why } = outcome;
        const reason =
          why === "order" ? "an older message goes first" : "the channel is in trouble";
        setCurrentDetails(`Waiting ${formatWait(waitMs)}: ${reason}.`);
        await sleep(waitMs, { summary: `wait ${formatWait(waitMs)}: ${reason}` });
        break;
      }
      case "unknown":
        await sleep(unknownWaitMs, { summary: "wait for the channel's word" });
        await endUnknownSend(input);
        return outcome.state;
      case "failed":
      case "cancelled":
      case "over":
        return outcome.state;
    }
  }
}
