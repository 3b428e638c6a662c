import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { roundsOfRun, type CalendarRun } from "../core/model/workflow/calendar-reading.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";

/** The calendar was connected, or is not read any more. */
const changed = defineSignal("changed");

const { keepCalendarChannel } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
  summary: "open the channel, or renew it",
});

/**
 * Keeps the channel by which a calendar announces its changes. Google ends a channel after some
 * days, so the next one opens a day before.
 */
export async function watchCalendar(input: CalendarRun): Promise<{ state: "ended" }> {
  const { accountId, linkId } = input;
  let dirty = input.dirty ?? false;
  setHandler(changed, () => void (dirty = true));
  let failures = 0;
  for (let round = 0; round < roundsOfRun; round += 1) {
    dirty = false;
    const outcome = await keepCalendarChannel({ accountId, linkId, failures });
    if (outcome.state === "ended") return { state: "ended" };
    failures = outcome.state === "waiting" ? failures + 1 : 0;
    const summary =
      outcome.state === "open"
        ? `wait ${formatWait(outcome.waitMs)} until the renewal`
        : `wait ${formatWait(outcome.waitMs)}: changes are not announced (${outcome.code})`;
    setCurrentDetails(`${outcome.state}; ${summary}.`);
    await condition(() => dirty, outcome.waitMs, { summary });
  }
  return await continueAsNew<typeof watchCalendar>({ accountId, linkId, dirty });
}
