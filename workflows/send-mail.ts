import { proxyActivities, setCurrentDetails, sleep } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";
import type { SendMailInput, SendMailOutcome } from "../core/model/workflow/mailing.ts";

const { postMail } = proxyActivities<Activities>({
  startToCloseTimeout: 90_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
});

/**
 * Sends one mail, with retries while the mail server has an error. MySQL has the mail and its
 * state; the run knows ids only.
 */
export async function sendMail(
  input: SendMailInput,
): Promise<{ state: Exclude<SendMailOutcome["state"], "waiting"> }> {
  for (;;) {
    const outcome = await postMail(input);
    if (outcome.state !== "waiting") return { state: outcome.state };
    const summary = `wait ${formatWait(outcome.waitMs)} before the next try`;
    setCurrentDetails(`The mail server did not take the mail; ${summary}.`);
    await sleep(outcome.waitMs, { summary });
  }
}
