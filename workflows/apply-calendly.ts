import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type {
  CalendlyRequestOutcome,
  CalendlyRequestRun,
} from "../core/model/workflow/calendly.ts";

const { applyCalendlyRequest } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  // Calendly may be away while an earlier invitee is asked for.
  retry: { initialInterval: 500, maximumInterval: 300_000 },
});

/** Applies one stored webhook of Calendly. */
export async function applyCalendly(input: CalendlyRequestRun): Promise<CalendlyRequestOutcome> {
  return await applyCalendlyRequest(input);
}
