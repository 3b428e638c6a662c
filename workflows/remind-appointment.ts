import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { formatWait } from "../core/model/delivery.ts";
import type { ReminderInput, ReminderOutcome } from "../core/model/reminder.ts";

/** The appointment was moved, cancelled or is over. */
export const changed = defineSignal("changed");

const { sendReminder } = proxyActivities<Activities>({
  startToCloseTimeout: 20_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
});

/**
 * Reminds the customer of one appointment when it is due. The activity reads MySQL and judges for
 * itself; the signal only has it look again before the wait is over.
 */
export async function remindAppointment(
  input: ReminderInput,
): Promise<{ state: ReminderOutcome["state"] }> {
  let stale = false;
  setHandler(changed, () => void (stale = true));
  for (;;) {
    stale = false;
    const outcome = await sendReminder(input);
    if (outcome.state !== "waiting") return outcome;
    // What has changed while MySQL was read may not have been in it.
    if (stale) continue;
    const summary = `wait ${formatWait(outcome.waitMs)} before the reminder`;
    setCurrentDetails(`Not due yet; ${summary}.`);
    await condition(() => stale, outcome.waitMs, { summary });
  }
}
