import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { CalendlyInviteeRun, CalendlyTellOutcome } from "../core/model/workflow/calendly.ts";

const activities = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  // A change of ours is told again until Calendly answers, because nothing else repairs it.
  retry: { initialInterval: 1_000, maximumInterval: 600_000 },
});

/** Tells Calendly of a visit that was cancelled or missed here. */
export async function tellCalendly(input: CalendlyInviteeRun): Promise<CalendlyTellOutcome> {
  return await activities.tellCalendly(input);
}
