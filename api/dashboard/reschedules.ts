import {
  getReschedule,
  listReschedules,
  outcomeOf,
} from "../../core/services/appointments/appointment-holds.ts";
import { getAppointmentRow } from "../../core/services/appointments/appointment-records.ts";
import { requestReschedule } from "../../core/services/appointments/appointment-reschedules.ts";
import { presentAppointment } from "../../core/services/appointments/appointment-views.ts";
import type { AppointmentReschedule } from "../../db/entities/appointment.ts";
import { snapshot, type Tx } from "../../db/transaction.ts";
import { awaitReschedule, rescheduleFailure } from "../reschedule-outcome.ts";
import type { Route } from "../http/route.ts";
import { agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Appointments";

/**
 * Moves of appointments. A workflow carries a move out; the answer holds the outcome after up to 3
 * seconds.
 */
export const rescheduleRoutes: Route[] = [
  dashboardRoute("POST /appointments/:id/reschedule", {
    access: agent,
    tag,
    noun: "appointment",
    summary: "Move a confirmed appointment to another time or agenda",
    errors: [
      "slot_taken",
      "reschedule_in_progress",
      "reschedule_failed",
      "appointment_replaced",
      "appointment_not_confirmed",
      "calendly_moves_itself",
      "calendar_refused",
      "calendar_unavailable",
      "outside_hours",
      "past_time",
      "resource_archived",
      "service_not_offered",
    ],
    run: async (tx, { id: appointmentId, body }) => {
      const { start_time, end_time, resource_id, mode, source, outside_hours } = body;
      const times = { startTime: start_time, endTime: end_time, outsideHours: outside_hours };
      const given = { appointmentId, ...times, resourceId: resource_id, mode, source };
      const reschedule = await requestReschedule(tx, given);
      // The appointment is at that time already.
      if (reschedule === null) return await answerAppointment(tx, appointmentId);
      const data = await presentReschedule(tx, reschedule);
      return { status: 202, data, headers: { Location: data.link } };
    },
    settle: async (answer, { actor }, deps) => {
      if (!("link" in answer.data)) return answer;
      const outcome = await awaitReschedule(deps, actor, answer.data.id);
      if (outcome.state === "released") throw rescheduleFailure(outcome.failureCode);
      if (outcome.state === "requested") return answer;
      return await snapshot(deps.dataSource, { actor }, (tx) =>
        answerAppointment(tx, outcome.appointmentId),
      );
    },
  }),
  dashboardRoute("GET /appointments/:id/reschedules", {
    access: agent,
    tag,
    noun: "appointment",
    summary: "List the moves of an appointment, newest first",
    run: async (tx, { id, query }) => {
      await getAppointmentRow(tx, id);
      const page = await listReschedules(tx, id, query);
      return { data: page.rows.map(presentMove), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("GET /reschedules/:id", {
    access: agent,
    tag,
    noun: "reschedule",
    summary: "Read what became of a move",
    run: async (tx, { id }) => ({
      data: await presentReschedule(tx, await getReschedule(tx, id)),
    }),
  }),
];

async function answerAppointment(tx: Tx, id: number) {
  const data = await presentAppointment(tx, await getAppointmentRow(tx, id));
  return { status: 200, data };
}

async function presentReschedule(tx: Tx, row: AppointmentReschedule) {
  const outcome = outcomeOf(row);
  return {
    ...presentMove(row),
    link: `/dashboard/api/reschedules/${row.id}`,
    appointment:
      outcome.state === "committed"
        ? await presentAppointment(tx, await getAppointmentRow(tx, outcome.appointmentId))
        : null,
  };
}

function presentMove(row: AppointmentReschedule) {
  const outcome = outcomeOf(row);
  return {
    id: row.id,
    appointment_id: row.appointmentId,
    state: outcome.state,
    failure_code: outcome.state === "released" ? outcome.failureCode : null,
    start_time: row.startTime.toISOString(),
    end_time: row.endTime.toISOString(),
    resource_id: row.resourceId,
    source: row.source,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}
