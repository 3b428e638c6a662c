import type { WorkflowHandle } from "@temporalio/client";
import type { CalendarOutcome } from "../../core/model/workflow/rescheduling.ts";
import { eventually } from "../support/eventually.ts";
import { committed, successorOf, type ScriptFixture } from "../workflows/scripted-run.ts";

const away: CalendarOutcome = { state: "waiting", code: "http_503" };

/** Every way a move and the work on external events can go, by the name of its history. */
export const appointmentScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> = {
  "reschedule-committed": async (fixture) => (await fixture.move()).handle,
  "reschedule-replaced": async (fixture) => {
    const { handle } = await fixture.move({
      commitReschedule: async ({ appointmentId: id }) => committed([id, successorOf(id)]),
    });
    return handle;
  },
  "reschedule-committed-after-waits": async (fixture) => {
    const answers: CalendarOutcome[] = [away, away];
    const { handle } = await fixture.move({
      moveCalendarEvent: async () => answers.shift() ?? { state: "done" },
    });
    return handle;
  },
  "reschedule-refused-by-the-calendar": async (fixture) => {
    const { handle } = await fixture.move({
      moveCalendarEvent: async () => ({ state: "failed", code: "http_403" }),
    });
    return handle;
  },
  "reschedule-released-at-the-commit": async (fixture) => {
    const { handle } = await fixture.move({
      commitReschedule: async ({ appointmentId }) => {
        return { state: "released", code: "slot_taken", appointmentIds: [appointmentId] };
      },
    });
    return handle;
  },
  "reschedule-cancelled-in-temporal": async (fixture) => {
    const { handle, calls } = await fixture.move({ moveCalendarEvent: async () => away });
    await eventually(() => {
      if (calls.length === 0) throw new Error("not called yet");
    });
    await handle.cancel();
    return handle;
  },
  "reschedule-faults-of-ours": async (fixture) => {
    let faults = 0;
    const failTwice = async <T>(value: T): Promise<T> => {
      if ((faults += 1) % 3 !== 0) throw new Error("a fault of ours");
      return await Promise.resolve(value);
    };
    const { handle } = await fixture.move({
      moveCalendarEvent: async () => await failTwice({ state: "done" }),
      commitReschedule: async ({ appointmentId }) => await failTwice(committed([appointmentId])),
      syncCalendarEvents: async () => await failTwice({ state: "done" }),
    });
    return handle;
  },
  "sync-appointment": async (fixture) => (await fixture.sync()).handle,
};

/** The ways with waits that only a server that skips time gets through quickly. */
export const longAppointmentScenarios: typeof appointmentScenarios = {
  "reschedule-calendar-unavailable": async (fixture) =>
    (await fixture.move({ moveCalendarEvent: async () => away })).handle,
};
