import { z } from "zod";
import { googleLinksBody } from "../calendar-connection.ts";
import { calendarConnectionView, calendarsView, googleCalendarView } from "../views/calendar.ts";
import { idParameter } from "../wire.ts";
import { idView, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/calendars.ts`. */
export const calendarsShapes = {
  "GET /calendars": { answers: { 200: calendarsView } },
  "GET /calendars/google/connect": {
    query: z.object({
      connection_id: idParameter
        .optional()
        .describe("Connection to connect again, with the same Google account."),
    }),
    answers: { 200: z.strictObject({ url: z.string() }) },
  },
  "GET /calendars/google/:id/calendars": {
    answers: { 200: z.strictObject({ calendars: z.array(googleCalendarView) }) },
  },
  "PATCH /calendars/google/:id": {
    body: googleLinksBody,
    answers: { 200: calendarConnectionView },
  },
  "POST /calendars/:id/sync": { answers: { 202: idView } },
  "POST /calendars/:id/disconnect": { answers: { 200: idView } },
} satisfies RouteShapes;
