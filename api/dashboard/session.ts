import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { recordId } from "../../core/model/wire.ts";
import { requireUserId } from "../../core/services/accounts/actor.ts";
import {
  endSession,
  getSessionProfile,
  switchSessionAccount,
} from "../../core/services/accounts/users.ts";
import type { Tx } from "../../db/transaction.ts";
import { sessionCookie } from "../http/session-auth.ts";
import { route } from "../http/route.ts";
import { agent } from "./access.ts";
import { findPasswordMatch, startLogin } from "./login.ts";
import { sessionView } from "../../core/model/views/dashboard.ts";

const tag = "Session";
const current = { 200: { description: "Who is logged in.", data: sessionView } };

/** Login, logout, and the change to another account. */
export const sessionRoutes = [
  route({
    method: "POST",
    path: "/session",
    access: { kind: "public" },
    tag,
    summary: "Log in, to the named account or else the oldest membership",
    body: z.strictObject({
      email: z.string().min(1).max(254),
      password: z.string().min(1).max(1_000),
      account_id: recordId.optional(),
    }),
    successes: current,
    errors: ["login_failed", "rate_limited"],
    prepare: async ({ body, facts }, deps) => {
      const candidate = await findPasswordMatch(deps, body, facts);
      if (candidate === null) throw new AppError("login_failed");
      return candidate;
    },
    run: async (tx, { body, prepared: candidate, facts }, deps) => {
      const accountId = body.account_id ?? null;
      return await startLogin(tx, deps, candidate, { accountId, userAgent: facts.userAgent });
    },
  }),
  route({
    method: "GET",
    path: "/session",
    access: agent,
    tag,
    summary: "Who is logged in",
    successes: current,
    run: async (tx) => ({ data: await profileOf(tx, tx.actor.accountId) }),
  }),
  route({
    method: "PATCH",
    path: "/session",
    access: agent,
    tag,
    summary: "Go on in another of your accounts",
    body: z.strictObject({ account_id: recordId }),
    successes: current,
    errors: ["account_not_found"],
    run: async (tx, { body, facts }) => {
      if (facts.sessionHash !== null) {
        await switchSessionAccount(tx, facts.sessionHash, body.account_id);
      }
      return { data: await profileOf(tx, body.account_id) };
    },
  }),
  route({
    method: "DELETE",
    path: "/session",
    access: agent,
    tag,
    summary: "Log out",
    successes: { 200: { description: "Logged out.", data: z.null() } },
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
