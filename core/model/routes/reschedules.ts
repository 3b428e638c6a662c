import { z } from "zod";
import { rescheduleBody } from "../booking.ts";
import { pageParameters } from "../wire.ts";
import { appointmentView, moveView } from "../views/appointment.ts";
import { pageOf, type RouteShapes } from "./shape.ts";

/** A move of an appointment, with its link and its outcome. */
const rescheduleView = moveView.extend({
  link: z.string().describe("Where to ask what became of it."),
  appointment: appointmentView
    .nullable()
    .describe(
      "Once it is committed: the appointment at its new time, a new one where it was replaced.",
    ),
});

/** Shapes of the routes in `api/dashboard/reschedules.ts`. */
export const reschedulesShapes = {
  "POST /appointments/:id/reschedule": {
    body: rescheduleBody,
    answers: { 200: appointmentView, 202: rescheduleView },
  },
  "GET /appointments/:id/reschedules": {
    query: z.object(pageParameters),
    ...pageOf(moveView),
  },
  "GET /reschedules/:id": { answers: { 200: rescheduleView } },
} satisfies RouteShapes;
