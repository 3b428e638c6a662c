import { z } from "zod";
import { openingQuery } from "../booking.ts";
import { closureBody, resourceCreateBody, resourcePatchBody } from "../resource.ts";
import { flagInQuery, pageParameters } from "../wire.ts";
import {
  closureView,
  deletionView,
  openingView,
  outsideHours,
  resourceView,
} from "../views/appointment.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/resources.ts`. */
export const resourcesShapes = {
  "GET /resources": {
    query: z.object({ archived: flagInQuery.default(false), ...pageParameters }),
    ...pageOf(resourceView),
  },
  "POST /resources": { body: resourceCreateBody, answers: { 201: resourceView } },
  "GET /resources/:id": { answers: { 200: resourceView } },
  "PATCH /resources/:id": {
    body: resourcePatchBody,
    answers: { 200: resourceView.extend(outsideHours) },
  },
  "DELETE /resources/:id": { answers: { 200: deletionView } },
  "GET /resources/:id/closures": {
    query: z.object(pageParameters),
    ...pageOf(closureView),
  },
  "GET /opening-times": { query: openingQuery, answers: { 200: z.array(openingView) } },
  "POST /resources/:id/closures": {
    body: closureBody,
    answers: { 201: closureView.extend(outsideHours) },
  },
  "DELETE /closures/:id": { answers: { 200: idView } },
} satisfies RouteShapes;
