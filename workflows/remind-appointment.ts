import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";
import type { ReminderInput, ReminderOutcome } from "../core/model/reminder.ts";

/** The appointment was moved, cancelled or is over. */
export const changed = defineSignal("changed");

const { sendReminder, cancelReminder } = proxyActivities<Activities>({
  startToCloseTimeout: 20_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
  // A cancelled run still gets the outcome of the activity in flight.
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
});

/**
 * Reminds the customer of one appointment when the reminder is due (rule C75). The activity reads
 * MySQL and decides; the signal only makes it run again before the wait is over. An operator's
 * cancellation is stored, so that the next change of the appointment plans a new reminder.
 */
export async function remindAppointment(
  input: ReminderInput,
): Promise<{ state: ReminderOutcome["state"] }> {
  const state = await remind(input).catch(async (error: unknown) => {
    if (!isCancellation(error)) throw error;
    return await CancellationScope.nonCancellable(() => cancelReminder(input));
  });
  return { state };
}

async function remind(input: ReminderInput): Promise<ReminderOutcome["state"]> {
  let stale = false;
  setHandler(changed, () => void (stale = true));
  for (;;) {
    stale = false;
    const outcome = await sendReminder(input);
    if (outcome.state !== "waiting") return outcome.state;
    // A change during the activity may not have been in MySQL when the activity read.
    if (stale) continue;
    const summary = `wait ${formatWait(outcome.waitMs)} before the reminder`;
    setCurrentDetails(`Not due yet; ${summary}.`);
    await condition(() => stale, outcome.waitMs, { summary });
  }
}
