import { z } from "zod";
import { appointmentCreateBody, appointmentListQuery, cancelBody, slotQuery } from "../booking.ts";
import { appointmentView, slotView } from "../views/appointment.ts";
import { pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/appointments.ts`. */
export const appointmentsShapes = {
  "GET /appointments": {
    query: appointmentListQuery,
    ...pageOf(appointmentView),
  },
  "POST /appointments": { body: appointmentCreateBody, answers: { 201: appointmentView } },
  "GET /appointments/:id": { answers: { 200: appointmentView } },
  "GET /appointments/:id/calendar-file": {
    answers: { 200: z.strictObject({ file_name: z.string(), content: z.string() }) },
  },
  "POST /appointments/:id/cancel": { body: cancelBody, answers: { 200: appointmentView } },
  "GET /slots": { query: slotQuery, answers: { 200: z.array(slotView) } },
  "POST /appointments/:id/reactivate": { answers: { 200: appointmentView } },
  "POST /appointments/:id/complete": { answers: { 200: appointmentView } },
  "POST /appointments/:id/no-show": { answers: { 200: appointmentView } },
} satisfies RouteShapes;
