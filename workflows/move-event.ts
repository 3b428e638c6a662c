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
  // A cancelled run still hears what came of the try under way.
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
  summary: "move the event on the calendar",
});

/**
 * Moves the external event of an appointment, tried again while the calendar is in trouble.
 * @returns why it could not be moved; null where it is, or there is none.
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
