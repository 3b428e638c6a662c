import { proxyActivities, setCurrentDetails, sleep } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { formatWait } from "../core/model/delivery.ts";
import {
  reportPauseMs,
  unknownWaitMs,
  type SendMessageInput,
  type SendOutcome,
} from "../core/model/sending.ts";

const { sendToChannel, endUnknownSend, recordReport } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
});

/**
 * Takes one message to its channel: tried again while the channel is in trouble, never sent again
 * once it may have arrived. It completes with how the message stands; MySQL has its whole story.
 */
export async function sendMessage(
  input: SendMessageInput,
): Promise<{ state: SendOutcome["state"] }> {
  for (;;) {
    const outcome = await sendToChannel(input);
    switch (outcome.state) {
      case "sent":
        for (const status of outcome.reports) {
          await sleep(reportPauseMs, { summary: `wait before "${status}"` });
          await recordReport({ ...input, status });
        }
        return { state: outcome.state };
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
        return { state: outcome.state };
      case "failed":
      case "cancelled":
      case "over":
        return { state: outcome.state };
    }
  }
}
