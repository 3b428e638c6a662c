import type { WorkflowHandle } from "@temporalio/client";
import type {
  CalendarReadOutcome,
  CalendarWatchOutcome,
} from "../../core/model/workflow/calendar-reading.ts";
import { changed } from "../../workflows/sync-calendar.ts";
import { eventually } from "../support/eventually.ts";
import { storyOf, type ScriptFixture } from "../workflows/scripted-run.ts";

const more: CalendarReadOutcome = { state: "more", changed: 1 };
const ended = { state: "ended" } as const;

/** Every way the workflows of a calendar can go, by the name of its history. */
export const calendarScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> =
  {
    "sync-calendar-ended": async (fixture) => (await reading(fixture, [more, more, ended])).handle,
    "sync-calendar-announced-while-waiting": async (fixture) => {
      const { handle } = await reading(fixture, [more, idle(1_800_000), ended]);
      await eventually(async () => {
        const story = await storyOf(handle);
        if (!story.includes("wait 30 min")) throw new Error(story.join());
      });
      await handle.signal(changed);
      return handle;
    },
    "sync-calendar-in-trouble": async (fixture) =>
      (await reading(fixture, [{ state: "waiting", waitMs: 30, code: "http_503" }, ended])).handle,
    "watch-calendar-renews": async (fixture) =>
      (await watching(fixture, [{ state: "open", waitMs: 30 }, ended])).handle,
    "watch-calendar-ended": async (fixture) =>
      (await watching(fixture, [{ state: "polling", waitMs: 30, code: "no_https" }, ended])).handle,
  };

function idle(waitMs: number): CalendarReadOutcome {
  return { state: "idle", waitMs };
}

async function reading(fixture: ScriptFixture, answers: CalendarReadOutcome[]) {
  const left = [...answers];
  const readCalendar = async () => await Promise.resolve(left.shift() ?? ended);
  return await fixture.reading({ readCalendar });
}

async function watching(fixture: ScriptFixture, answers: CalendarWatchOutcome[]) {
  const left = [...answers];
  const keepCalendarChannel = async () => await Promise.resolve(left.shift() ?? ended);
  return await fixture.watching({ keepCalendarChannel });
}
