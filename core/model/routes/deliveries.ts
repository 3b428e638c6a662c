import { z } from "zod";
import { deliveryStates } from "../workflow/delivery.ts";
import { eventTypes } from "../event-types.ts";
import { optionalReasonBody, reasonBody } from "./inputs.ts";
import { idParameter, logParameters, momentInput, pageParameters, searchInQuery } from "../wire.ts";
import {
  attemptView,
  deliveryView,
  deliveryWithAttempts,
  signedRequestView,
} from "../views/dashboard.ts";
import { pageOf, logOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/deliveries.ts`. */
export const deliveriesShapes = {
  "GET /deliveries": {
    query: z.object({
      subscription_id: idParameter.optional(),
      state: z.enum(deliveryStates).optional(),
      event_type: z.enum(eventTypes).optional(),
      event_id: z.uuid().optional(),
      search: searchInQuery.optional(),
      since: momentInput.optional(),
      until: momentInput.optional(),
      ...logParameters,
    }),
    ...logOf(deliveryView),
  },
  "GET /deliveries/:id": { answers: { 200: deliveryWithAttempts } },
  "GET /deliveries/:id/signed-request": { answers: { 200: signedRequestView } },
  "GET /deliveries/:id/attempts": {
    query: z.object(pageParameters),
    ...pageOf(attemptView),
  },
  "POST /deliveries/:id/retry": {
    body: optionalReasonBody,
    answers: { 202: deliveryWithAttempts },
  },
  "POST /deliveries/:id/cancel": { body: reasonBody, answers: { 200: deliveryWithAttempts } },
  "POST /deliveries/:id/redeliver": {
    body: optionalReasonBody,
    answers: { 202: deliveryWithAttempts },
  },
} satisfies RouteShapes;
