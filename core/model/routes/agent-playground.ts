import { playgroundBody } from "../agent-playground.ts";
import { playgroundView } from "../views/agent-playground.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/agent-playground.ts`. */
export const agentPlaygroundShapes = {
  "POST /agent/playground": { body: playgroundBody, answers: { 200: playgroundView } },
} satisfies RouteShapes;
