import { firstRunView } from "../views/dashboard.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/first-run.ts`. */
export const firstRunShapes = {
  "GET /first-run": { answers: { 200: firstRunView } },
} satisfies RouteShapes;
