import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import {
  roundsOfRun,
  type CalendarReadOutcome,
  type CalendarRun,
} from "../core/model/workflow/calendar-reading.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";

/** The calendar was changed, connected, or is not read any more. */
export const changed = defineSignal("changed");

const { readCalendar } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 20_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
});

/**
 * Reads an external calendar for as long as it is connected. Each activity reads one page and
 * applies it in one transaction. MySQL holds the place, so a lost run continues there.
 */
export async function syncCalendar(input: CalendarRun): Promise<{ state: "ended" }> {
  let dirty = input.dirty ?? false;
  setHandler(changed, () => void (dirty = true));
  let failures = 0;
  for (let round = 0; round < roundsOfRun && !workflowInfo().continueAsNewSuggested; round += 1) {
    // Before the reading: a change that comes during it may not be in its pages.
    const announced = dirty;
    dirty = false;
    const outcome = await readRound(input, announced, failures);
    if (outcome.state === "ended") return { state: "ended" };
    failures = outcome.state === "waiting" ? failures + 1 : 0;
    const code =
      outcome.state === "waiting" ? `: the calendar is in trouble (${outcome.code})` : "";
    const summary = `wait ${formatWait(outcome.waitMs)} until the next reading${code}`;
    setCurrentDetails(`${outcome.state === "idle" ? "Up to date" : "Not up to date"}; ${summary}.`);
    // While the calendar is in trouble an announcement does not shorten the wait.
    await condition(() => dirty && outcome.state === "idle", outcome.waitMs, { summary });
  }
  return await continueAsNew<typeof syncCalendar>({
    accountId: input.accountId,
    linkId: input.linkId,
    dirty,
  });
}

async function readRound(
  { accountId, linkId }: CalendarRun,
  announced: boolean,
  failures: number,
): Promise<Exclude<CalendarReadOutcome, { state: "more" }>> {
  for (let begins = true; ; begins = false) {
    const summary = begins ? "read what has changed" : "read the next page";
    const part = { accountId, linkId, begins, announced, failures };
    const outcome = await readCalendar.executeWithOptions({ summary }, [part]);
    if (outcome.state !== "more") return outcome;
  }
}
