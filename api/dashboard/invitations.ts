import {
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from "../../core/services/accounts/user-links.ts";
import { admin } from "./access.ts";
import { linkUrl, mailBoxOf, requireMails } from "./links.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const noun = "invitation";
const tag = "Users";

/** Invitations to the account. */
export const invitationRoutes = [
  dashboardRoute("GET /invitations", {
    access: admin,
    tag,
    summary: "List the invitations that can still be accepted, newest first",
    run: async (tx, { query }) => {
      const page = await listInvitations(tx, query);
      return { data: page.rows, meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /invitations", {
    access: admin,
    tag,
    summary:
      "Invite a person; the link goes by mail, or else is in this answer alone, and ends an earlier one",
    errors: ["already_member", "rate_limited"],
    prepare: ({ actor }, deps) => requireMails(deps, `account:${actor.accountId}`),
    run: async (tx, { body }, deps) => {
      const wanted = { ...body, name: body.name ?? null };
      const { token, ...view } = await createInvitation(tx, wanted, mailBoxOf(deps));
      return { data: { ...view, url: linkUrl(deps, token) } };
    },
  }),
  dashboardRoute("POST /invitations/:id/send-again", {
    access: admin,
    tag,
    noun,
    summary: "Invite the same person again; a new link takes the place of the old one",
    errors: ["already_member", "rate_limited"],
    prepare: ({ actor }, deps) => requireMails(deps, `account:${actor.accountId}`),
    run: async (tx, { id }, deps) => {
      const { token, ...view } = await resendInvitation(tx, id, mailBoxOf(deps));
      return { data: { ...view, url: linkUrl(deps, token) } };
    },
  }),
  dashboardRoute("DELETE /invitations/:id", {
    access: admin,
    tag,
    noun,
    summary: "Withdraw an invitation; its link opens nothing from then on",
    run: async (tx, { id }) => {
      await revokeInvitation(tx, id);
      return { data: { id } };
    },
  }),
];
