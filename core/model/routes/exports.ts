import { exportBody } from "../export.ts";
import { exportView } from "../views/export.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/exports.ts`. */
export const exportsShapes = {
  "POST /exports": { body: exportBody, answers: { 201: exportView } },
  "GET /exports/:id": { answers: { 200: exportView } },
} satisfies RouteShapes;
