import type Router from "@koa/router";
import type { Context } from "koa";
import { GoogleConsentError } from "../../activities/calendars/google-account.ts";
import { AppError } from "../../core/errors.ts";
import type { ConsentOutcome } from "../../core/model/google-consent.ts";
import type { Principal } from "../../core/model/principal.ts";
import { takeConsent } from "../../core/services/calendars/calendar-consents.ts";
import { saveConnection, takeAccount } from "../../core/services/calendars/connections.ts";
import { resumeLinks } from "../../core/services/calendars/google-links.ts";
import { transaction, type TxOptions } from "../../db/transaction.ts";
import { redirectUriOf } from "../dashboard/google-calls.ts";
import type { Deps } from "../deps.ts";
import { authorizePerson, readIp } from "../http/serve.ts";
import { readCookies } from "../http/session-auth.ts";

const path = "/integrations/google/callback";
/** Page of the Dashboard that names the result. */
const page = "/settings/calendars";

/** The person whose browser comes back from Google, with the login that it came with. */
interface Visitor {
  actor: Principal;
  sessionHash: Buffer;
}

/**
 * Serves the address to which Google sends an admin back. The answer leads to a page of the
 * Dashboard, which names the result. Nothing is stored unless all is well.
 */
export function mountGoogleCallback(deps: Deps, router: Router): void {
  router.register(path, ["GET"], async (ctx) => {
    // The query holds a code of Google, so only the path is logged.
    ctx.state["route"] = path;
    ctx.set("Referrer-Policy", "no-referrer");
    const outcome = await finishConsent(deps, ctx);
    deps.log.info({ outcome }, "calendar.consent_ended");
    ctx.redirect(`${page}?google=${outcome}`);
    ctx.status = 303;
  });
}

async function finishConsent(deps: Deps, ctx: Context): Promise<ConsentOutcome> {
  const query = new URLSearchParams(ctx.querystring);
  const visitor = await findVisitor(deps, ctx);
  if (visitor === null) return "expired";
  const { dataSource, secretBox, config, googleAccounts, calendarCalls } = deps;
  const { actor, sessionHash } = visitor;
  const origin = { ip: readIp(ctx), requestId: String(ctx.state["requestId"]) };
  const options: TxOptions = { actor, origin };
  const state = query.get("state") ?? "";
  const consent = await transaction(dataSource, options, (tx) =>
    takeConsent(tx, secretBox, { state, sessionHash }),
  );
  if (consent === null) return "expired";
  const redirectUri = redirectUriOf(config.publicUrl);
  try {
    const { verifier, connection } = consent;
    const grant = await calendarCalls.run(String(actor.accountId), () =>
      googleAccounts.takeGrant(query, { state, verifier, redirectUri }),
    );
    return await transaction(dataSource, options, async (tx) => {
      const { subject: externalId, email, refreshToken, scopes } = grant;
      const isSame = connection === null || (await takeAccount(tx, connection.id, externalId));
      if (!isSame) return "other_account";
      const credentials = { refresh_token: refreshToken };
      const given = { provider: "google", externalId, email, name: "", credentials } as const;
      await resumeLinks(tx, await saveConnection(tx, secretBox, { ...given, scopes }));
      return "connected";
    });
  } catch (error) {
    if (error instanceof GoogleConsentError) return error.outcome;
    if (error instanceof AppError && error.code === "rate_limited") return "failed";
    throw error;
  }
}

/** The admin who is logged in here; null for anybody else. */
async function findVisitor(deps: Deps, ctx: Context): Promise<Visitor | null> {
  try {
    const actor = await authorizePerson(deps, "admin", ctx);
    const { sessionHash } = readCookies(ctx, deps.config.publicUrl);
    return sessionHash === null ? null : { actor, sessionHash };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
