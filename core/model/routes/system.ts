import { systemView } from "../views/system.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/system.ts`. */
export const systemShapes = {
  "GET /system": { answers: { 200: systemView } },
} satisfies RouteShapes;
