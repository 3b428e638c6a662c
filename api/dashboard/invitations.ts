import { z } from "zod";
import { emailInput } from "../../core/model/contact.ts";
import { roles } from "../../core/model/principal.ts";
import { personNameInput } from "../../core/model/user.ts";
import { listMeta, pageParameters, recordId } from "../../core/model/wire.ts";
import {
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from "../../core/services/accounts/user-links.ts";
import { route } from "../http/route.ts";
import { admin } from "./access.ts";
import { linkUrl, mailBoxOf, requireMails } from "./links.ts";
import { invitationView, invitationWithUrl } from "../../core/model/views/user.ts";

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
    summary:
      "Invite a person; the link goes by mail, or else is in this answer alone, and ends an earlier one",
    body: z.strictObject({
      email: emailInput,
      role: z.enum(roles),
      name: personNameInput.nullable().optional(),
    }),
    successes: { 201: { description: "Invited, for 7 days.", data: invitationWithUrl } },
    errors: ["already_member", "rate_limited"],
    prepare: ({ actor }, deps) => requireMails(deps, `account:${actor.accountId}`),
    run: async (tx, { body }, deps) => {
      const wanted = { ...body, name: body.name ?? null };
      const { token, ...view } = await createInvitation(tx, wanted, mailBoxOf(deps));
      return { data: { ...view, url: linkUrl(deps, token) } };
    },
  }),
  route({
    method: "POST",
    path: "/invitations/:id/send-again",
    access: admin,
    tag,
    noun,
    summary: "Invite the same person again; a new link takes the place of the old one",
    successes: { 201: { description: "Invited, for 7 days.", data: invitationWithUrl } },
    errors: ["already_member", "rate_limited"],
    prepare: ({ actor }, deps) => requireMails(deps, `account:${actor.accountId}`),
    run: async (tx, { id }, deps) => {
      const { token, ...view } = await resendInvitation(tx, id, mailBoxOf(deps));
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
