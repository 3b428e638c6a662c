import { z } from "zod";
import { savedView, savedViewBody, savedViewPatch } from "../saved-view.ts";
import { pageParameters } from "../wire.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/inbox-views.ts`. */
export const inboxViewsShapes = {
  "GET /inbox-views": { query: z.object(pageParameters), ...pageOf(savedView) },
  "POST /inbox-views": { body: savedViewBody, answers: { 201: savedView } },
  "PATCH /inbox-views/:id": { body: savedViewPatch, answers: { 200: savedView } },
  "DELETE /inbox-views/:id": { answers: { 200: idView } },
} satisfies RouteShapes;
