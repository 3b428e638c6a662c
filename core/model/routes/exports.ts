import { z } from "zod";
import { exportBody } from "../export.ts";
import { exportRowView, exportView } from "../views/export.ts";
import { pageParameters } from "../wire.ts";
import { pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/exports.ts`. */
export const exportsShapes = {
  "GET /exports": { query: z.object(pageParameters), ...pageOf(exportRowView) },
  "POST /exports": { body: exportBody, answers: { 201: exportView } },
  "GET /exports/:id": { answers: { 200: exportView } },
  "POST /exports/:id/repeat": { answers: { 201: exportView } },
} satisfies RouteShapes;
