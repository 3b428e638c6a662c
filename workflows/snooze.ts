import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";
import type { SnoozeInput, SnoozeOutcome } from "../core/model/workflow/snoozing.ts";

/** The snooze has ended early, or another one has replaced it. */
export const changed = defineSignal("changed");

const { endSnooze } = proxyActivities<Activities>({
  startToCloseTimeout: 20_000,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
});

/**
 * One snooze of a conversation, until its time has come. The activity reads MySQL and decides; the
 * signal only makes it run again before the wait is over. Views of the inbox compare the time
 * themselves, so a run that is late or was cancelled hides no conversation.
 */
export async function snooze(input: SnoozeInput): Promise<{ state: SnoozeOutcome["state"] }> {
  let stale = false;
  setHandler(changed, () => void (stale = true));
  for (;;) {
    stale = false;
    const outcome = await endSnooze(input);
    if (outcome.state !== "waiting") return { state: outcome.state };
    // A change during the activity may not have been in MySQL when the activity read.
    if (stale) continue;
    const summary = `wait ${formatWait(outcome.waitMs)} before the conversation comes back`;
    setCurrentDetails(`Snoozed; ${summary}.`);
    await condition(() => stale, outcome.waitMs, { summary });
  }
}
