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
  // A cancelled run still hears what came of the look under way.
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
});

/**
 * Reminds the customer of one appointment when it is due. The activity reads MySQL and judges for
 * itself; the signal only has it look again before the wait is over. An operator's cancellation is
 * written down, so that the next change of the appointment plans a reminder anew.
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
    // What has changed while MySQL was read may not have been in it.
    if (stale) continue;
    const summary = `wait ${formatWait(outcome.waitMs)} before the reminder`;
    setCurrentDetails(`Not due yet; ${summary}.`);
    await condition(() => stale, outcome.waitMs, { summary });
  }
}
