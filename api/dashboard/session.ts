import { AppError } from "../../core/errors.ts";
import { requireUserId } from "../../core/services/accounts/actor.ts";
import {
  endSession,
  findLogins,
  getSessionProfile,
  switchSessionAccount,
} from "../../core/services/accounts/users.ts";
import type { Tx } from "../../db/transaction.ts";
import { sessionCookie } from "../http/session-auth.ts";
import { agent } from "./access.ts";
import { findPasswordMatch, startLogin } from "./login.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Session";

/** Login, logout, and the change to another account. */
export const sessionRoutes = [
  dashboardRoute("POST /session", {
    access: { kind: "public" },
    tag,
    summary: "Log in, to the named account or else the oldest membership",
    errors: ["login_failed", "rate_limited"],
    prepare: async ({ body, facts }, deps) => {
      const { manager } = deps.dataSource;
      const { email, account_id: accountId } = body;
      const candidate = await findPasswordMatch(deps, body, facts, async () => {
        return await findLogins(manager, email, { accountId });
      });
      if (candidate === null) throw new AppError("login_failed");
      return candidate;
    },
    run: async (tx, { body, prepared: candidate, facts }, deps) => {
      const accountId = body.account_id ?? null;
      return await startLogin(tx, deps, candidate, { accountId, userAgent: facts.userAgent });
    },
  }),
  dashboardRoute("GET /session", {
    access: agent,
    tag,
    summary: "Who is logged in",
    run: async (tx) => ({ data: await profileOf(tx, tx.actor.accountId) }),
  }),
  dashboardRoute("PATCH /session", {
    access: agent,
    tag,
    summary: "Go on in another of your accounts",
    errors: ["account_not_found"],
    run: async (tx, { body, facts }) => {
      if (facts.sessionHash !== null) {
        await switchSessionAccount(tx, facts.sessionHash, body.account_id);
      }
      return { data: await profileOf(tx, body.account_id) };
    },
  }),
  dashboardRoute("DELETE /session", {
    access: agent,
    tag,
    summary: "Log out",
    run: async (tx, { facts }, { config }) => {
      if (facts.sessionHash !== null) await endSession(tx, facts.sessionHash);
      return {
        data: null,
        headers: { "Set-Cookie": [sessionCookie(config.publicUrl, null, new Date(0))] },
      };
    },
  }),
];

async function profileOf(tx: Tx, accountId: number) {
  return await getSessionProfile(tx, requireUserId(tx.actor), accountId);
}
