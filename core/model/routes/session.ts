import { z } from "zod";
import { recordId } from "../wire.ts";
import { sessionView } from "../views/dashboard.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/session.ts`. */
export const sessionShapes = {
  "POST /session": {
    body: z.strictObject({
      email: z.string().min(1).max(254),
      password: z.string().min(1).max(1_000),
      account_id: recordId.optional(),
    }),
    answers: { 200: sessionView },
  },
  "GET /session": { answers: { 200: sessionView } },
  "PATCH /session": {
    body: z.strictObject({ account_id: recordId }),
    answers: { 200: sessionView },
  },
  "DELETE /session": { answers: { 200: z.null() } },
} satisfies RouteShapes;
