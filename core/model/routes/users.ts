import { z } from "zod";
import { roles } from "../principal.ts";
import { personNameInput } from "../user.ts";
import { pageParameters } from "../wire.ts";
import { memberView, passwordResetView } from "../views/user.ts";
import { pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/users.ts`. */
export const usersShapes = {
  "GET /users": {
    query: z.object(pageParameters),
    ...pageOf(memberView),
  },
  "PATCH /users/:id": {
    body: z.strictObject({
      role: z.enum(roles).optional(),
      disabled: z.boolean().optional(),
      name: personNameInput.optional(),
    }),
    answers: { 200: memberView },
  },
  "POST /users/:id/password-reset": { answers: { 201: passwordResetView } },
} satisfies RouteShapes;
