import { z } from "zod";
import {
  calendlyBookingView,
  calendlyConnectionView,
  unmappedBookingView,
} from "../views/calendly.ts";
import { idParameter, pageParameters, recordId } from "../wire.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

const uri = z.string().min(1).max(255);

/** Shapes of the routes in `api/dashboard/calendly.ts`. */
export const calendlyShapes = {
  "GET /calendars/calendly/connect": {
    query: z.object({
      connection_id: idParameter
        .optional()
        .describe("Connection to connect again, with the same user of Calendly."),
    }),
    answers: { 200: z.strictObject({ url: z.string() }) },
  },
  "POST /calendars/calendly": {
    body: z.strictObject({ token: z.string().trim().min(1).max(2_048) }),
    answers: { 201: idView.extend({ slug: z.string(), webhook_url: z.string() }) },
  },
  "PATCH /calendars/calendly/:id": {
    body: z.strictObject({
      users: z
        .array(z.strictObject({ uri, resource_id: recordId.nullable() }))
        .max(500)
        .optional(),
      event_types: z
        .array(z.strictObject({ uri, service_id: recordId.nullable() }))
        .max(500)
        .optional(),
    }),
    answers: { 200: calendlyConnectionView },
  },
  "GET /calendars/calendly/:id": { answers: { 200: calendlyConnectionView } },
  "GET /calendars/calendly/:id/unmapped": {
    query: z.object(pageParameters),
    ...pageOf(unmappedBookingView),
  },
  "GET /appointments/:id/calendly": { answers: { 200: calendlyBookingView.nullable() } },
} satisfies RouteShapes;
