import { proxyActivities, setCurrentDetails, sleep } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import {
  pairWaitMs,
  type CalendlyInviteeRun,
  type CalendlyPairOutcome,
} from "../core/model/workflow/calendly.ts";

const { settleCalendlyPair } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  retry: { initialInterval: 500, maximumInterval: 300_000 },
});

/**
 * One cancellation that is the first half of a move. The other half usually comes within seconds,
 * and moves the appointment. After ten minutes Calendly itself is asked: the appointment is moved or
 * cancelled.
 */
export async function pairCalendly(input: CalendlyInviteeRun): Promise<CalendlyPairOutcome> {
  const summary = "wait 10 min for the other half of the move";
  setCurrentDetails(`The appointment stays confirmed; ${summary}.`);
  await sleep(pairWaitMs, { summary });
  return await settleCalendlyPair(input);
}
