import { z } from "zod";
import { emailInput } from "../contact.ts";
import { roles } from "../principal.ts";
import { personNameInput } from "../user.ts";
import { pageParameters } from "../wire.ts";
import { invitationView, invitationWithUrl } from "../views/user.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/invitations.ts`. */
export const invitationsShapes = {
  "GET /invitations": {
    query: z.object(pageParameters),
    ...pageOf(invitationView),
  },
  "POST /invitations": {
    body: z.strictObject({
      email: emailInput,
      role: z.enum(roles),
      name: personNameInput.nullable().optional(),
    }),
    answers: { 201: invitationWithUrl },
  },
  "POST /invitations/:id/send-again": { answers: { 201: invitationWithUrl } },
  "DELETE /invitations/:id": { answers: { 200: idView } },
} satisfies RouteShapes;
