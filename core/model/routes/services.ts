import { z } from "zod";
import { serviceCreateBody, servicePatchBody } from "../resource.ts";
import { flagInQuery, pageParameters } from "../wire.ts";
import { deletionView, otherLength, serviceView } from "../views/appointment.ts";
import { pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/services.ts`. */
export const servicesShapes = {
  "GET /services": {
    query: z.object({ archived: flagInQuery.default(false), ...pageParameters }),
    ...pageOf(serviceView),
  },
  "POST /services": { body: serviceCreateBody, answers: { 201: serviceView } },
  "GET /services/:id": { answers: { 200: serviceView } },
  "PATCH /services/:id": {
    body: servicePatchBody,
    answers: { 200: serviceView.extend(otherLength) },
  },
  "DELETE /services/:id": { answers: { 200: deletionView } },
} satisfies RouteShapes;
