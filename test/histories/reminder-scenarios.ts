import type { WorkflowHandle } from "@temporalio/client";
import type { ReminderOutcome } from "../../core/model/reminder.ts";
import { changed } from "../../workflows/remind-appointment.ts";
import { eventually } from "../support/eventually.ts";
import { storyOf, type ReminderRun, type ScriptFixture } from "../workflows/scripted-run.ts";

/** Every way a reminder can go, by the name of its history. */
export const reminderScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> = {
  "remind-appointment-sent": async (fixture) =>
    (await fixture.reminder(answering([wait(30), { state: "sent" }]))).handle,
  "remind-appointment-skipped": async (fixture) =>
    (await fixture.reminder(answering([wait(30), { state: "skipped" }]))).handle,
  "remind-appointment-over": async (fixture) =>
    (await fixture.reminder(answering([{ state: "over" }]))).handle,
  "remind-appointment-cancelled": async (fixture) =>
    await signalled(await fixture.reminder(answering([wait(60_000), { state: "cancelled" }]))),
  "remind-appointment-moved": async (fixture) =>
    await signalled(
      await fixture.reminder(answering([wait(60_000), wait(30), { state: "sent" }])),
    ),
  "remind-appointment-cancelled-in-temporal": async (fixture) => {
    const { handle } = await waiting(await fixture.reminder(answering([wait(60_000)])));
    await handle.cancel();
    return handle;
  },
  "remind-appointment-signal-first": async (fixture) =>
    (await fixture.reminder(answering([wait(30), { state: "sent" }]), changed)).handle,
  "remind-appointment-faults-of-ours": async (fixture) => {
    let faults = 0;
    const { handle } = await fixture.reminder({
      sendReminder: async () => {
        if ((faults += 1) < 3) throw new Error("a fault of ours");
        return await Promise.resolve({ state: "sent" });
      },
    });
    return handle;
  },
};

function wait(waitMs: number): ReminderOutcome {
  return { state: "waiting", waitMs };
}

function answering(answers: ReminderOutcome[]) {
  const left = [...answers];
  return {
    sendReminder: async () => await Promise.resolve(left.shift() ?? ({ state: "over" } as const)),
  };
}

/** Signalled once it waits. */
async function signalled(run: ReminderRun): Promise<WorkflowHandle> {
  const { handle } = await waiting(run);
  await handle.signal(changed);
  return handle;
}

async function waiting(run: ReminderRun): Promise<ReminderRun> {
  await eventually(async () => {
    const story = await storyOf(run.handle);
    if (story.length < 2) throw new Error(story.join());
  });
  return run;
}
