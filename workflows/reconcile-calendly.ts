import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { calendlyRounds, type CalendlyConnectionRun } from "../core/model/workflow/calendly.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";

/** Something is to be read before the wait is over. */
export const wake = defineSignal("wake");

const { readCalendly } = proxyActivities<Activities>({
  // A first read makes two calls for each hundred events, and one for each event.
  startToCloseTimeout: 600_000,
  retry: { initialInterval: 1_000, maximumInterval: 300_000 },
});

/**
 * Reads one connection with Calendly again and again, until it ends. A webhook that was lost is made
 * up for here. The activity reads MySQL and decides about the wait.
 */
export async function reconcileCalendly(input: CalendlyConnectionRun): Promise<{ state: "over" }> {
  let woken = false;
  setHandler(wake, () => void (woken = true));
  for (let round = 0; round < calendlyRounds; round += 1) {
    woken = false;
    const outcome = await readCalendly(input);
    if (outcome.state === "over" && !woken) return { state: "over" };
    if (outcome.state === "over") continue;
    const summary = `wait ${formatWait(outcome.waitMs)} before the next read`;
    setCurrentDetails(`${outcome.changed} changes at the last read; ${summary}.`);
    await condition(() => woken, outcome.waitMs, { summary });
  }
  return await continueAsNew<typeof reconcileCalendly>(input);
}
