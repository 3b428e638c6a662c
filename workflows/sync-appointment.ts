import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { SyncAppointmentInput } from "../core/model/workflow/rescheduling.ts";

const { syncCalendarEvents } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  // A calendar in trouble is asked again until it answers: nothing else would put this right.
  retry: { initialInterval: 1_000, maximumInterval: 600_000 },
});

/**
 * Brings the events of an appointment on external calendars in line with the appointment as it stands
 * in MySQL by then: made, moved, deleted, or nothing to do.
 */
export async function syncAppointment(
  input: SyncAppointmentInput,
): Promise<{ state: "done" | "refused" }> {
  const summary = `bring the calendar in line with appointment ${input.appointmentId}`;
  return await syncCalendarEvents.executeWithOptions({ summary }, [input]);
}
