import { accountPatchBody, accountView } from "../account.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/account.ts`. */
export const accountShapes = {
  "GET /account": { answers: { 200: accountView } },
  "PATCH /account": { body: accountPatchBody, answers: { 200: accountView } },
} satisfies RouteShapes;
