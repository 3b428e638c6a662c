import type { RescheduleEnd, RescheduleRun } from "../core/model/workflow/rescheduling.ts";
import type { RescheduleOutcome } from "../core/services/appointments/appointment-holds.ts";
import {
  commitReschedule,
  releaseReschedule,
} from "../core/services/appointments/appointment-reschedules.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

/** The activities that end a move in MySQL. Each step may run twice; the first end stands. */
export function createReschedule({ dataSource, log }: Pick<ActivityDeps, "dataSource" | "log">) {
  async function end(
    { accountId, appointmentId, rescheduleId }: RescheduleRun,
    work: (tx: Tx) => Promise<RescheduleOutcome>,
  ): Promise<RescheduleEnd> {
    const outcome = await transaction(dataSource, systemOf(accountId), work);
    const result = presentEnd(appointmentId, outcome);
    const { state, code } = result;
    const ids = { appointment_id: appointmentId, reschedule_id: rescheduleId };
    log.info({ ...ids, state, code }, "appointment.move_ended");
    return result;
  }

  return {
    commitReschedule: (input: RescheduleRun) =>
      end(input, (tx) => commitReschedule(tx, input.rescheduleId)),
    releaseReschedule: (input: RescheduleRun & { code: string }) =>
      end(input, (tx) => releaseReschedule(tx, input.rescheduleId, input.code)),
  };
}

function presentEnd(appointmentId: number, outcome: RescheduleOutcome): RescheduleEnd {
  switch (outcome.state) {
    case "requested":
      throw new Error("A move that was ended is still under way.");
    case "released":
      return { state: "released", code: outcome.failureCode, appointmentIds: [appointmentId] };
    case "committed": {
      const ids = new Set([appointmentId, outcome.appointmentId]);
      return { state: "committed", code: null, appointmentIds: [...ids] };
    }
  }
}
