import { z } from "zod";
import { deliveryFilters } from "../delivery-list.ts";
import { optionalReasonBody, reasonBody } from "./inputs.ts";
import { logParameters, pageParameters } from "../wire.ts";
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
      ...deliveryFilters,
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
