import { presenceBody, presenceView } from "../presence.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/presence.ts`. */
export const presenceShapes = {
  "PUT /conversations/:id/presence": { body: presenceBody, answers: { 200: presenceView } },
} satisfies RouteShapes;
