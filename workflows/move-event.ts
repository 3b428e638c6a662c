import { proxyActivities, setCurrentDetails, sleep } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";
import {
  moveWaitsMs,
  type MoveFailure,
  type RescheduleRun,
} from "../core/model/workflow/rescheduling.ts";

const { moveCalendarEvent } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
  // A cancelled run still gets the outcome of the try in flight.
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
  summary: "move the event on the calendar",
});

/**
 * Moves the external event of an appointment, with retries while the calendar has an error.
 * @returns the reason of a failure; null if the event was moved, or there is none.
 */
export async function moveEvent(input: RescheduleRun): Promise<MoveFailure | null> {
  for (const waitMs of [...moveWaitsMs, null]) {
    const outcome = await moveCalendarEvent(input);
    if (outcome.state === "failed") return "calendar_refused";
    if (outcome.state === "done") return null;
    if (waitMs === null) break;
    const summary = `wait ${formatWait(waitMs)}: the calendar is in trouble (${outcome.code})`;
    setCurrentDetails(`The event is not moved yet; ${summary}.`);
    await sleep(waitMs, { summary });
  }
  return "calendar_unavailable";
}
