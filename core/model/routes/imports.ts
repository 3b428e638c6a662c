import { z } from "zod";
import { importPatch, importReasons, rowPlans, rowStates } from "../import.ts";
import { importRowView, importView, rowOfImportView } from "../views/import.ts";
import { flagInQuery, numberInQuery, pageParameters } from "../wire.ts";
import { optionalReasonBody } from "./inputs.ts";
import { pageOf, type RouteShapes } from "./shape.ts";

const rowsQuery = z.object({
  plan: z.enum(rowPlans).optional(),
  state: z.enum(rowStates).optional(),
  reason: z.enum(importReasons).optional(),
  differs: flagInQuery.optional(),
  after: numberInQuery(z.int().min(0)).default(0).describe("Rows behind this number."),
  limit: pageParameters.limit,
});

const rowsMeta = z.strictObject({
  limit: z.int(),
  next: z.int().nullable().describe("`after` of the next page; null on the last page."),
});

const step = { body: optionalReasonBody, answers: { 200: importView } };

/**
 * Shapes of the routes in `api/dashboard/imports.ts`. The upload and the file of errors are no JSON,
 * so `api/imports/` mounts them.
 */
export const importsShapes = {
  "GET /imports": { query: z.object(pageParameters), ...pageOf(importRowView) },
  "GET /imports/:id": { answers: { 200: importView } },
  "PATCH /imports/:id": { body: importPatch, answers: { 200: importView } },
  "GET /imports/:id/rows": {
    query: rowsQuery,
    answers: { 200: z.array(rowOfImportView) },
    meta: rowsMeta,
  },
  "POST /imports/:id/plan": step,
  "POST /imports/:id/commit": step,
  "POST /imports/:id/pause": step,
  "POST /imports/:id/resume": step,
  "POST /imports/:id/cancel": step,
  "POST /imports/:id/undo": step,
} satisfies RouteShapes;
