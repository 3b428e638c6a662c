import { z } from "zod";
import { emailInput } from "../contact.ts";
import { passwordInput, personNameInput } from "../user.ts";
import { linkView } from "../views/user.ts";
import { sessionView } from "../views/dashboard.ts";
import type { RouteShapes } from "./shape.ts";

const token = z.string().min(1).max(200);

/** Shapes of the routes in `api/dashboard/links.ts`. */
export const linksShapes = {
  "POST /links/read": { body: z.strictObject({ token }), answers: { 200: linkView } },
  "POST /links/accept": {
    body: z.strictObject({
      token,
      name: personNameInput.optional().describe("Of a person who is new here."),
      password: passwordInput,
      existing: z
        .boolean()
        .optional()
        .describe("The password is of your login with this address; any other is refused."),
    }),
    answers: { 200: sessionView },
  },
  "GET /links/options": { answers: { 200: z.strictObject({ mail: z.boolean() }) } },
  "POST /links/forgotten-password": {
    body: z.strictObject({ email: emailInput }),
    answers: { 202: z.null() },
  },
} satisfies RouteShapes;
