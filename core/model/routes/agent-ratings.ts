import { z } from "zod";
import { ratingBody, ratingView } from "../agent-rating.ts";
import { idView, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/agent-ratings.ts`. */
export const agentRatingsShapes = {
  "GET /conversations/:id/ratings": { answers: { 200: z.array(ratingView) } },
  "PUT /messages/:id/rating": { body: ratingBody, answers: { 200: ratingView } },
  "DELETE /messages/:id/rating": { answers: { 200: idView } },
} satisfies RouteShapes;
