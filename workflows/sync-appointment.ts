import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { SyncAppointmentInput } from "../core/model/workflow/rescheduling.ts";

const { syncCalendarEvents } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  // A calendar with an error is called again until it answers, because nothing else repairs the
  // event.
  retry: { initialInterval: 1_000, maximumInterval: 600_000 },
});

/**
 * Brings an appointment's events on external calendars in line with its current state in MySQL.
 * Events are created, moved or deleted as needed.
 */
export async function syncAppointment(
  input: SyncAppointmentInput,
): Promise<{ state: "done" | "refused" }> {
  const summary = `bring the calendar in line with appointment ${input.appointmentId}`;
  return await syncCalendarEvents.executeWithOptions({ summary }, [input]);
}
