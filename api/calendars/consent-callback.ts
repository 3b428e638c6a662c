import type Router from "@koa/router";
import type { Context } from "koa";
import { AppError } from "../../core/errors.ts";
import type { ConnectionProvider } from "../../core/model/calendar-connection.ts";
import type { ConsentOutcome } from "../../core/model/google-consent.ts";
import type { Principal } from "../../core/model/principal.ts";
import { takeConsent } from "../../core/services/calendars/calendar-consents.ts";
import type { CalendarConnection } from "../../db/entities/calendar-connection.ts";
import { transaction, type TxOptions } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { authorizePerson, readIp } from "../http/serve.ts";
import { readCookies } from "../http/session-auth.ts";

/** Page of the Dashboard that names the result. */
const page = "/settings/calendars";

/** A person who comes back from a provider, with a consent that this login has begun. */
export interface ReturnedConsent {
  /** Query of the callback, with the provider's code or its error. */
  query: URLSearchParams;
  state: string;
  verifier: string;
  /** The connection to connect again; null for any account. */
  connection: CalendarConnection | null;
  actor: Principal;
  options: TxOptions;
}

/** Takes the grant of a provider and stores it. */
type FinishConsent = (deps: Deps, consent: ReturnedConsent) => Promise<ConsentOutcome>;

/**
 * Serves the address to which a provider sends an admin back. The answer leads to a page of the
 * Dashboard, which names the result. Nothing is stored unless all is well.
 */
export function mountConsentCallback(
  deps: Deps,
  router: Router,
  provider: ConnectionProvider,
  finish: FinishConsent,
): void {
  const path = `/integrations/${provider}/callback`;
  router.register(path, ["GET"], async (ctx) => {
    // The query holds a code of the provider, so only the path is logged.
    ctx.state["route"] = path;
    ctx.set("Referrer-Policy", "no-referrer");
    const consent = await findConsent(deps, ctx, provider);
    const outcome = consent === null ? "expired" : await finish(deps, consent);
    deps.log.info({ provider, outcome }, "calendar.consent_ended");
    ctx.redirect(`${page}?${provider}=${outcome}`);
    ctx.status = 303;
  });
}

/** The consent that the admin who is logged in here has begun; null for anybody else. */
async function findConsent(
  deps: Deps,
  ctx: Context,
  provider: ConnectionProvider,
): Promise<ReturnedConsent | null> {
  const query = new URLSearchParams(ctx.querystring);
  const visitor = await findVisitor(deps, ctx);
  if (visitor === null) return null;
  const { actor, sessionHash } = visitor;
  const origin = { ip: readIp(ctx), requestId: String(ctx.state["requestId"]) };
  const options: TxOptions = { actor, origin };
  const state = query.get("state") ?? "";
  const taken = await transaction(deps.dataSource, options, (tx) =>
    takeConsent(tx, deps.secretBox, { provider, state, sessionHash }),
  );
  return taken === null ? null : { ...taken, query, state, actor, options };
}

/** The person whose browser comes back, with the login that it came with. */
interface Visitor {
  actor: Principal;
  sessionHash: Buffer;
}

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
