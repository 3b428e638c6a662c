import { z } from "zod";
import { recordId } from "../../core/model/wire.ts";
import { verifyPassword } from "../../core/passwords.ts";
import { requireUserId } from "../../core/services/actor.ts";
import {
  createSession,
  endSession,
  findLogin,
  getSessionProfile,
  loginFailed,
  switchSessionAccount,
  type LoginCandidate,
} from "../../core/services/users.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { deviceCookie, knownDevice, sessionCookie } from "../middleware/session-auth.ts";
import { route, type RequestFacts } from "../route.ts";
import { agent } from "./access.ts";
import { sessionView } from "./views.ts";

const tag = "Session";
const current = { 200: { description: "Who is logged in.", data: sessionView } };

/** Login, logout, and moving between accounts. */
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
    prepare: async ({ body, facts }, deps) => await checkPassword(deps, body, facts),
    run: async (tx, { body, prepared: candidate, facts }, deps) => {
      const wanted = { accountId: body.account_id ?? null, userAgent: facts.userAgent };
      const session = await createSession(tx, candidate, wanted);
      const { publicUrl } = deps.config;
      return {
        data: await getSessionProfile(tx, candidate.userId, session.accountId),
        headers: {
          "Set-Cookie": [
            sessionCookie(publicUrl, session.token, session.expiresAt),
            deviceCookie(deps.secretBox, publicUrl, body.email, tx.now),
          ],
        },
      };
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

/** The person with the hash that matched. Hashing takes its time outside any transaction, for unknown emails too. */
async function checkPassword(
  deps: Deps,
  body: { email: string; password: string },
  facts: RequestFacts,
): Promise<LoginCandidate> {
  const email = body.email.trim().toLowerCase();
  const device = knownDevice(deps.secretBox, facts.deviceToken, email);
  const attempt = { email, ip: facts.ip, device };
  deps.loginThrottle.count(attempt);
  let guessed = false;
  try {
    const login = await findLogin(deps.dataSource.manager, email);
    const matches = await verifyPassword(login?.passwordHash ?? null, body.password);
    if (login !== null && matches) return login;
    guessed = true;
  } finally {
    // Neither a login nor a fault of our own is a guess.
    if (!guessed) deps.loginThrottle.forgive(attempt);
  }
  throw loginFailed();
}
