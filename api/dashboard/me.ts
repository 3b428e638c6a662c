import { AppError, invalidField } from "../../core/errors.ts";
import { hashPassword } from "../../core/passwords.ts";
import { requireUserId } from "../../core/services/accounts/actor.ts";
import {
  listNotificationPreferences,
  updateNotificationPreferences,
} from "../../core/services/accounts/notification-preferences.ts";
import {
  changeOwnPassword,
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
} from "../../core/services/accounts/own-sessions.ts";
import {
  findOwnLogin,
  getPerson,
  updatePerson,
  type LoginCandidate,
} from "../../core/services/accounts/users.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { deviceCookie, sessionCookie } from "../http/session-auth.ts";
import type { RequestFacts } from "../http/route.ts";
import { agent } from "./access.ts";
import { findPasswordMatch } from "./login.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Me";

/** Settings of a person, which apply in all their accounts. */
export const meRoutes = [
  dashboardRoute("GET /me", {
    access: agent,
    tag,
    summary: "Read your name, email and language",
    run: async (tx) => ({ data: await getPerson(tx.manager, requireUserId(tx.actor)) }),
  }),
  dashboardRoute("PATCH /me", {
    access: agent,
    tag,
    summary: "Change your name or language; a language of null follows the account's",
    run: async (tx, { body }) => {
      const userId = requireUserId(tx.actor);
      await updatePerson(tx, userId, body);
      return { data: await getPerson(tx.manager, userId) };
    },
  }),
  dashboardRoute("GET /me/notification-preferences", {
    access: agent,
    tag,
    summary: "Read where you get each kind of notification: in the app, on the desktop, by mail",
    run: async (tx) => ({
      data: await listNotificationPreferences(tx.manager, requireUserId(tx.actor)),
    }),
  }),
  dashboardRoute("PATCH /me/notification-preferences", {
    access: agent,
    tag,
    summary: "Choose where you get some kinds of notification, in all your accounts",
    errors: ["mail_off", "email_unconfirmed"],
    run: async (tx, { body }, { config }) => {
      const wantsMail = body.preferences.some(({ email }) => email === true);
      if (wantsMail && config.mail === null) throw new AppError("mail_off");
      const userId = requireUserId(tx.actor);
      await updateNotificationPreferences(tx, userId, body);
      return { data: await listNotificationPreferences(tx.manager, userId) };
    },
  }),
  dashboardRoute("POST /me/password", {
    access: agent,
    tag,
    summary: "Change your password; every other login of yours ends",
    errors: ["wrong_password", "rate_limited"],
    prepare: async ({ body, actor, facts }, deps) => {
      const candidate = await checkCurrent(deps, requireUserId(actor), body, facts);
      return { candidate, passwordHash: await hashPassword(body.new_password) };
    },
    run: async (tx, { prepared: { candidate, passwordHash }, facts: { userAgent } }, deps) => {
      const { config, secretBox } = deps;
      const session = await changeOwnPassword(tx, candidate, { passwordHash, userAgent });
      const { email } = await getPerson(tx.manager, candidate.userId);
      const cookies = [
        sessionCookie(config.publicUrl, session.token, session.expiresAt),
        deviceCookie(secretBox, config.publicUrl, { email, passwordHash }, tx.now),
      ];
      return { data: null, headers: { "Set-Cookie": cookies } };
    },
  }),
  dashboardRoute("GET /me/sessions", {
    access: agent,
    tag,
    summary: "List your logins, the last used first",
    run: async (tx, { query, facts }) => {
      const page = await listOwnSessions(tx, ownSession(tx, facts), query);
      return { data: page.rows, meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("DELETE /me/sessions/:id", {
    access: agent,
    tag,
    noun: "session",
    summary: "End one of your logins",
    run: async (tx, { id }) => {
      await endOwnSession(tx, requireUserId(tx.actor), id);
      return { data: { id } };
    },
  }),
  dashboardRoute("DELETE /me/sessions", {
    access: agent,
    tag,
    summary: "End every login of yours but this one",
    run: async (tx, { facts }) => ({
      data: { ended: await endOtherSessions(tx, ownSession(tx, facts)) },
    }),
  }),
];

function ownSession(tx: Tx, { sessionHash }: RequestFacts): { userId: number; tokenHash: Buffer } {
  if (sessionHash === null) throw new AppError("session_required");
  return { userId: requireUserId(tx.actor), tokenHash: sessionHash };
}

/**
 * @throws AppError `wrong_password`, `rate_limited`, or `validation_error` if nothing would change.
 */
async function checkCurrent(
  deps: Deps,
  userId: number,
  body: { current_password: string; new_password: string },
  facts: RequestFacts,
): Promise<LoginCandidate> {
  const { manager } = deps.dataSource;
  const { email } = await getPerson(manager, userId);
  const guess = { email, password: body.current_password };
  const candidate = await findPasswordMatch(deps, guess, facts, async () => {
    const own = await findOwnLogin(manager, userId);
    return own === null ? [] : [own];
  });
  if (candidate === null) throw new AppError("wrong_password");
  if (body.new_password === body.current_password) {
    throw invalidField("body.new_password", "same_password", "Choose another password.");
  }
  return candidate;
}
