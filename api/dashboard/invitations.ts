import { z } from "zod";
import { emailInput } from "../../core/model/contact.ts";
import { roles } from "../../core/model/principal.ts";
import { personNameInput } from "../../core/model/user.ts";
import { listMeta, pageParameters, recordId } from "../../core/model/wire.ts";
import {
  createInvitation,
  listInvitations,
  revokeInvitation,
} from "../../core/services/user-links.ts";
import { route } from "../route.ts";
import { admin } from "./access.ts";
import { linkUrl } from "./links.ts";
import { invitationView, invitationWithUrl } from "./user-views.ts";

const noun = "invitation";
const tag = "Users";

/** Invitations to the account. */
export const invitationRoutes = [
  route({
    method: "GET",
    path: "/invitations",
    access: admin,
    tag,
    summary: "List the invitations that can still be accepted, newest first",
    query: z.object(pageParameters),
    successes: { 200: { description: "Rows.", data: z.array(invitationView), meta: listMeta } },
    run: async (tx, { query }) => {
      const { views, total } = await listInvitations(tx, query);
      return { data: views, meta: { total, ...query } };
    },
  }),
  route({
    method: "POST",
    path: "/invitations",
    access: admin,
    tag,
    summary: "Invite a person; the link is in this answer alone, and ends an earlier one",
    body: z.strictObject({
      email: emailInput,
      role: z.enum(roles),
      name: personNameInput.nullable().optional(),
    }),
    successes: { 201: { description: "Invited, for 7 days.", data: invitationWithUrl } },
    errors: ["already_member"],
    run: async (tx, { body }, deps) => {
      const wanted = { ...body, name: body.name ?? null };
      const { token, ...view } = await createInvitation(tx, wanted);
      return { data: { ...view, url: linkUrl(deps, token) } };
    },
  }),
  route({
    method: "DELETE",
    path: "/invitations/:id",
    access: admin,
    tag,
    noun,
    summary: "Withdraw an invitation; its link opens nothing from then on",
    successes: { 200: { description: "Withdrawn.", data: z.strictObject({ id: recordId }) } },
    run: async (tx, { id }) => {
      await revokeInvitation(tx, id);
      return { data: { id } };
    },
  }),
];
