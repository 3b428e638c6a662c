import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { RescheduleEnd, RescheduleRun } from "../core/model/workflow/rescheduling.ts";
import { moveEvent } from "./move-event.ts";
import { syncAppointment } from "./sync-appointment.ts";

const { commitReschedule, releaseReschedule } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
  // A cancelled run still gets the outcome of the step in flight.
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
});

/**
 * Moves one appointment whose new time is held: first its event on the external calendar, then the
 * appointment itself. If a step fails, the hold is released. The event then moves back to the
 * appointment's time in MySQL (rule C74).
 */
export async function reschedule(input: RescheduleRun): Promise<{ state: RescheduleEnd["state"] }> {
  const end = await move(input).catch(async (error: unknown) => {
    if (!isCancellation(error)) throw error;
    const given = { ...input, code: "cancelled_in_temporal" };
    return await CancellationScope.nonCancellable(() => releaseReschedule(given));
  });
  const { state, code, appointmentIds } = end;
  setCurrentDetails(state === "committed" ? "Moved." : `Not moved: ${code}. The old time stands.`);
  await CancellationScope.nonCancellable(async () => {
    for (const appointmentId of appointmentIds) {
      await syncAppointment({ accountId: input.accountId, appointmentId });
    }
  });
  return { state };
}

async function move(input: RescheduleRun): Promise<RescheduleEnd> {
  const failure = await moveEvent(input);
  if (failure !== null) return await releaseReschedule({ ...input, code: failure });
  return await commitReschedule(input);
}
