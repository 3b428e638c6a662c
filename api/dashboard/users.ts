import { z } from "zod";
import { roles } from "../../core/model/principal.ts";
import { personNameInput } from "../../core/model/user.ts";
import { listMeta, pageParameters } from "../../core/model/wire.ts";
import { listMembers, updateMember } from "../../core/services/accounts/members.ts";
import { createPasswordReset } from "../../core/services/accounts/user-links.ts";
import { route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import { linkUrl, mailBoxOf, requireMails } from "./links.ts";
import { memberView, passwordResetView } from "../../core/model/views/user.ts";

const noun = "user";
const tag = "Users";

/** The people of the account. */
export const userRoutes = [
  route({
    method: "GET",
    path: "/users",
    access: agent,
    tag,
    summary: "List the people of the account by name, disabled ones too",
    query: z.object(pageParameters),
    successes: { 200: { description: "Rows.", data: z.array(memberView), meta: listMeta } },
    run: async (tx, { query }) => {
      const { views, total } = await listMembers(tx, query);
      return { data: views, meta: { total, ...query } };
    },
  }),
  route({
    method: "PATCH",
    path: "/users/:id",
    access: admin,
    tag,
    noun,
    summary:
      "Change role or name, or disable a person in this account; their logins in it end at once",
    body: z.strictObject({
      role: z.enum(roles).optional(),
      disabled: z.boolean().optional(),
      name: personNameInput.optional(),
    }),
    successes: { 200: { description: "As it is now.", data: memberView } },
    errors: ["own_membership", "last_admin", "member_elsewhere"],
    run: async (tx, { id, body }) => ({ data: await updateMember(tx, id, body) }),
  }),
  route({
    method: "POST",
    path: "/users/:id/password-reset",
    access: admin,
    tag,
    noun,
    summary:
      "Make a link with which the person sets a new password; it goes by mail, or else is in this answer alone",
    successes: { 201: { description: "Made; open for 24 hours.", data: passwordResetView } },
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
