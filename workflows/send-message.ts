import { CancellationScope, isCancellation, sleep } from "@temporalio/workflow";
import {
  reportPauseMs,
  unknownWaitMs,
  type SendMessageInput,
  type SendOutcome,
} from "../core/model/workflow/sending.ts";
import { cancelSend, endUnknownSend, giveToNetwork, handOver, report } from "./message-steps.ts";
import { beginAnewIfLong, waitForTry } from "./message-waits.ts";

type State = SendOutcome["state"];

/**
 * Hands one message to its channel, with retries while the channel has an error. A message that may
 * have arrived is never sent again (rule C26). It completes with the message's state; MySQL has its
 * history. A held message ends its run, and gets another one once its channel can send.
 */
export async function sendMessage(input: SendMessageInput): Promise<{ state: State }> {
  const state = await send(input).catch(async (error: unknown) => {
    if (!isCancellation(error)) throw error;
    return await CancellationScope.nonCancellable(() => cancelSend(input));
  });
  return { state };
}

async function send(input: SendMessageInput): Promise<State> {
  let afterTrouble = input.afterTrouble === true;
  for (;;) {
    const handed = await handOver(input, afterTrouble);
    const outcome = handed.state === "upload" ? await giveToNetwork(input) : handed;
    switch (outcome.state) {
      case "sent":
        for (const status of outcome.reports) {
          await sleep(reportPauseMs, { summary: `wait before "${status}"` });
          await report({ ...input, status });
        }
        return outcome.state;
      case "waiting":
        await waitForTry(outcome);
        afterTrouble = outcome.why === "channel";
        await beginAnewIfLong(input, afterTrouble);
        break;
      case "unknown":
        await sleep(unknownWaitMs, { summary: "wait for the channel's word" });
        await endUnknownSend(input);
        return outcome.state;
      // An upload ends otherwise.
      case "upload":
        break;
      case "failed":
      case "held":
      case "cancelled":
      case "over":
        return outcome.state;
    }
  }
}
