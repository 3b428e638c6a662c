import { z } from "zod";
import { contactFilter, filterNameInput } from "../contact-filter.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/contact-filters.ts`. */
export const contactFiltersShapes = {
  "GET /me/contact-filters": { answers: { 200: z.array(contactFilter) } },
  "POST /me/contact-filters": { body: contactFilter, answers: { 200: z.array(contactFilter) } },
  "DELETE /me/contact-filters": {
    query: z.object({ name: filterNameInput }),
    answers: { 200: z.array(contactFilter) },
  },
} satisfies RouteShapes;
