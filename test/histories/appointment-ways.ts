import type { WorkflowHandle } from "@temporalio/client";
import type { CalendarOutcome } from "../../core/model/workflow/rescheduling.ts";
import { eventually } from "../support/eventually.ts";
import { committed, successorOf, type Stage } from "../workflows/scripted-run.ts";

const away: CalendarOutcome = { state: "waiting", code: "http_503" };

/** Every way a move and the work on external events can go, by the name of its history. */
export const appointmentWays: Record<string, (stage: Stage) => Promise<WorkflowHandle>> = {
  "reschedule-committed": async (stage) => (await stage.move()).handle,
  "reschedule-replaced": async (stage) => {
    const { handle } = await stage.move({
      commitReschedule: async ({ appointmentId: id }) => committed([id, successorOf(id)]),
    });
    return handle;
  },
  "reschedule-committed-after-waits": async (stage) => {
    const answers: CalendarOutcome[] = [away, away];
    const { handle } = await stage.move({
      moveCalendarEvent: async () => answers.shift() ?? { state: "done" },
    });
    return handle;
  },
  "reschedule-refused-by-the-calendar": async (stage) => {
    const { handle } = await stage.move({
      moveCalendarEvent: async () => ({ state: "failed", code: "http_403" }),
    });
    return handle;
  },
  "reschedule-released-at-the-commit": async (stage) => {
    const { handle } = await stage.move({
      commitReschedule: async ({ appointmentId }) => {
        return { state: "released", code: "slot_taken", appointmentIds: [appointmentId] };
      },
    });
    return handle;
  },
  "reschedule-cancelled-in-temporal": async (stage) => {
    const { handle, calls } = await stage.move({ moveCalendarEvent: async () => away });
    await eventually(() => {
      if (calls.length === 0) throw new Error("not called yet");
    });
    await handle.cancel();
    return handle;
  },
  "reschedule-faults-of-ours": async (stage) => {
    let faults = 0;
    const failTwice = async <T>(value: T): Promise<T> => {
      if ((faults += 1) % 3 !== 0) throw new Error("a fault of ours");
      return await Promise.resolve(value);
    };
    const { handle } = await stage.move({
      moveCalendarEvent: async () => await failTwice({ state: "done" }),
      commitReschedule: async ({ appointmentId }) => await failTwice(committed([appointmentId])),
      syncCalendarEvents: async () => await failTwice({ state: "done" }),
    });
    return handle;
  },
  "sync-appointment": async (stage) => (await stage.sync()).handle,
};

/** The ways with waits that only a server that skips time gets through quickly. */
export const longAppointmentWays: typeof appointmentWays = {
  "reschedule-calendar-unavailable": async (stage) =>
    (await stage.move({ moveCalendarEvent: async () => away })).handle,
};
