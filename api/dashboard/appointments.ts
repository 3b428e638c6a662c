import { renderCalendarFile } from "../../core/calendars/calendar-file.ts";
import type { AppointmentCreateBody } from "../../core/model/booking.ts";
import type { ErrorCode } from "../../core/model/error-catalogue.ts";
import { listAppointments } from "../../core/services/appointments/appointment-list.ts";
import { getAppointmentRow } from "../../core/services/appointments/appointment-records.ts";
import {
  cancelAppointment,
  completeAppointment,
  markNoShow,
  reactivateAppointment,
} from "../../core/services/appointments/appointment-status.ts";
import {
  presentAppointment,
  presentAppointments,
} from "../../core/services/appointments/appointment-views.ts";
import {
  bookAppointment,
  type BookingInput,
} from "../../core/services/appointments/appointments.ts";
import { listSlots } from "../../core/services/appointments/free-slots.ts";
import { describeEntries } from "../../core/services/booking/calendar-entries.ts";
import type { Route } from "../http/route.ts";
import { agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Appointments";
const noun = "appointment";

/** Source in the events of all changes here. Rule C43. */
const source = "panel";

/** Appointments, as members manage them. */
export const appointmentRoutes: Route[] = [
  dashboardRoute("GET /appointments", {
    access: agent,
    tag,
    summary: "List appointments",
    run: async (tx, { query: { limit, offset, order, resource_id, ...filter } }) => {
      const bounds = { limit, offset, order };
      const page = await listAppointments(tx, { ...filter, resource_ids: resource_id }, bounds);
      return { data: await presentAppointments(tx, page.rows), meta: pageMetaOf(page, bounds) };
    },
  }),
  dashboardRoute("POST /appointments", {
    access: agent,
    tag,
    summary: "Book an appointment",
    errors: [
      "slot_taken",
      "contact_conflict",
      "outside_hours",
      "past_time",
      "resource_archived",
      "service_not_offered",
    ],
    run: async (tx, { body }) => ({
      data: await presentAppointment(tx, await bookAppointment(tx, readBooking(body))),
    }),
  }),
  dashboardRoute("GET /appointments/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read an appointment",
    run: async (tx, { id }) => ({
      data: await presentAppointment(tx, await getAppointmentRow(tx, id)),
    }),
  }),
  dashboardRoute("GET /appointments/:id/calendar-file", {
    access: agent,
    tag,
    noun,
    summary: "Read an appointment as a calendar file",
    run: async (tx, { id }, { config }) => {
      const appointment = await getAppointmentRow(tx, id);
      const { customerName, title } = appointment;
      const summary = title === customerName ? title : `${title}, ${customerName}`;
      const worded = [{ appointment, summary, location: null }];
      const entries = await describeEntries(tx, config.publicUrl, worded);
      const content = renderCalendarFile({ name: null, entries });
      return { data: { file_name: `appointment-${id}.ics`, content } };
    },
  }),
  dashboardRoute("POST /appointments/:id/cancel", {
    access: agent,
    tag,
    noun,
    summary: "Cancel a confirmed appointment; a move of it that is under way is given up",
    errors: ["appointment_replaced", "appointment_not_confirmed", "calendly_group_event"],
    run: async (tx, { id, body }) => {
      const row = await cancelAppointment(tx, { appointmentId: id, source, reason: body.reason });
      return { data: await presentAppointment(tx, row) };
    },
  }),
  stepRoute("reactivate", {
    summary: "Confirm an appointment again, if its time is free",
    take: reactivateAppointment,
    errors: ["slot_taken", "resource_archived"],
  }),
  stepRoute("complete", {
    summary: "Mark that the visit took place",
    take: completeAppointment,
    errors: ["slot_taken", "appointment_not_begun", "appointment_not_confirmed"],
  }),
  stepRoute("no-show", {
    summary: "Mark that the customer did not come, which frees the time",
    take: markNoShow,
    errors: ["appointment_not_begun", "appointment_not_confirmed"],
  }),
  dashboardRoute("GET /slots", {
    access: agent,
    tag,
    summary: "List the times that can be booked now",
    run: async (tx, { query: { from, to, ...query } }) => {
      const slots = await listSlots(tx, {
        serviceId: query.service_id,
        resourceId: query.resource_id,
        durationMinutes: query.duration_minutes,
        exceptAppointmentId: query.appointment_id,
        from,
        to,
      });
      return {
        data: slots.map(({ resourceId, startTime, endTime }) => ({
          resource_id: resourceId,
          start_time: startTime.toISOString(),
          end_time: endTime.toISOString(),
        })),
      };
    },
  }),
];

function stepRoute(
  step: "reactivate" | "complete" | "no-show",
  { summary, take, errors }: { summary: string; take: typeof markNoShow; errors: ErrorCode[] },
): Route {
  return dashboardRoute(`POST /appointments/:id/${step}`, {
    access: agent,
    tag,
    noun,
    summary,
    errors: ["appointment_replaced", ...errors],
    run: async (tx, { id }) => ({
      data: await presentAppointment(tx, await take(tx, { appointmentId: id, source })),
    }),
  });
}

function readBooking(body: AppointmentCreateBody): BookingInput {
  const { contact } = body;
  return {
    resourceId: body.resource_id,
    serviceId: body.service_id,
    startTime: body.start_time,
    endTime: body.end_time,
    durationMinutes: body.duration_minutes,
    customer: contact === undefined ? { contactId: body.contact_id ?? 0 } : { contact },
    conversationId: body.conversation_id,
    title: body.title,
    source,
    outsideHours: body.outside_hours,
  };
}
