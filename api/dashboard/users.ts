import { listMembers, updateMember } from "../../core/services/accounts/members.ts";
import { createPasswordReset } from "../../core/services/accounts/user-links.ts";
import { admin, agent } from "./access.ts";
import { linkUrl, mailBoxOf, requireMails } from "./links.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const noun = "user";
const tag = "Users";

/** The people of the account. */
export const userRoutes = [
  dashboardRoute("GET /users", {
    access: agent,
    tag,
    summary: "List the people of the account by name, disabled ones too",
    run: async (tx, { query }) => {
      const page = await listMembers(tx, query);
      return { data: page.rows, meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("PATCH /users/:id", {
    access: admin,
    tag,
    noun,
    summary:
      "Change role or name, or disable a person in this account; their logins in it end at once",
    errors: ["own_membership", "last_admin", "member_elsewhere"],
    run: async (tx, { id, body }) => ({ data: await updateMember(tx, id, body) }),
  }),
  dashboardRoute("POST /users/:id/password-reset", {
    access: admin,
    tag,
    noun,
    summary:
      "Make a link with which the person sets a new password; it goes by mail, or else is in this answer alone",
    errors: ["own_membership", "member_elsewhere", "user_disabled", "rate_limited"],
    prepare: ({ actor, id }, deps) => {
      // A mail costs 5 tokens, so a person gets four at once: no mailbox is flooded.
      requireMails(deps, `person:${id}`, 5);
      requireMails(deps, `account:${actor.accountId}`);
    },
    run: async (tx, { id }, deps) => {
      const { token, expiresAt } = await createPasswordReset(tx, id, mailBoxOf(deps));
      return { data: { url: linkUrl(deps, token), expires_at: expiresAt.toISOString() } };
    },
  }),
];
