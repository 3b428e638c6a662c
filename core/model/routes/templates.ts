import { z } from "zod";
import {
  templateListMeta,
  templateListQuery,
  templateSyncView,
  templateView,
} from "../template-list.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/templates.ts`. */
export const templatesShapes = {
  "GET /templates": {
    query: templateListQuery,
    answers: { 200: z.array(templateView) },
    meta: templateListMeta,
  },
  "POST /channel-accounts/:id/templates/sync": { answers: { 200: templateSyncView } },
} satisfies RouteShapes;
