import type Router from "@koa/router";
import { AppError, invalidField, notFound } from "../../core/errors.ts";
import { hashToken } from "../../core/secrets.ts";
import { isOriginAllowed } from "../../core/model/site-origin.ts";
import {
  sessionBody,
  sessionView,
  type SessionBody,
  type VerifiedIdentity,
} from "../../core/model/widget-visit.ts";
import { findWidgetByKey, type LiveWidget } from "../../core/services/widgets/find-widget.ts";
import { identifyVisit } from "../../core/services/contact-lifecycle/identify-visit.ts";
import { verifyIdentity } from "../../core/visitor-identity.ts";
import { listValidSecrets } from "../../core/services/widgets/widget-secrets.ts";
import { presentSession } from "../../core/services/widgets/present-session.ts";
import {
  beginSession,
  lockResumable,
  resumeSession,
  type OpenedSession,
} from "../../core/services/widgets/sessions.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { countSession } from "./limits.ts";
import { readResumeCookie, setResumeCookie } from "./resume-cookie.ts";
import { change, mountOpenRoute, type VisitAnswer, type VisitCall } from "./visit-route.ts";

/** Mounts the call that begins a visit, or resumes an earlier one. */
export function mountSessions(deps: Deps, router: Router): void {
  const route = {
    method: "POST",
    path: "/sessions",
    body: sessionBody,
    answer: sessionView,
  } as const;
  mountOpenRoute(deps, router, route, openSession);
}

async function openSession(call: VisitCall<SessionBody>): Promise<VisitAnswer> {
  const { deps, ip, body } = call;
  await countSession(deps, ip, body.proof);
  const widget = await findWidgetByKey(deps.dataSource.manager, body.key);
  if (widget === null) throw notFound("widget");
  requireSite(widget, body);
  const identity =
    body.identity === undefined ? null : await readIdentity(deps, widget, body.identity);
  const secrets = readSecrets(call);
  const data = await change(call, widget.accountId, async (tx) => {
    const opened = await open(tx, call, widget, secrets);
    const known =
      identity === null
        ? opened
        : await identifyVisit(tx, deps.secretBox, widget, opened, identity);
    return await answerSession(tx, call, widget, known, body.resume ?? null);
  });
  return { status: 201, data };
}

/**
 * The answer with the secrets of a session, which the browser gets as a cookie too.
 * @param kept the secret that the frame has sent; the answer repeats one that still counts
 */
export async function answerSession(
  tx: Tx,
  { deps, ctx }: VisitCall,
  widget: LiveWidget,
  { session, token, resume }: OpenedSession,
  kept: string | null = null,
) {
  const ownUrl = deps.config.widgetUrl;
  const hasCookie = readResumeCookie(ctx, ownUrl, widget.key) !== null;
  ctx.remove("Set-Cookie");
  if (resume !== null) setResumeCookie(ctx, ownUrl, widget.key, resume);
  const view = await presentSession(tx.manager, widget, session, tx.now);
  const isCurrent = kept !== null && session.resumeHash?.equals(hashToken(kept)) === true;
  const secret = resume ?? (isCurrent ? kept : null);
  // A browser that has sent our cookie needs no second place for the secret.
  return { token, resume: hasCookie ? null : secret, ...view };
}

/**
 * A program can name any page. The check keeps other sites from showing the chat where a browser
 * does not know `frame-ancestors`.
 */
export function requireSite(
  { allowedOrigins }: LiveWidget,
  { page }: Pick<SessionBody, "page">,
): void {
  if (page === undefined || isOriginAllowed(new URL(page.url).origin, allowedOrigins)) return;
  throw new AppError("origin_not_allowed");
}

/**
 * Verifies a signed identity with the keys of a widget.
 * @throws AppError `identity_invalid`, also where the widget takes no identities
 */
export async function readIdentity(
  { dataSource, secretBox }: Deps,
  { id, key, identityMode, identityPublicKey: publicKey }: LiveWidget,
  token: string,
): Promise<VerifiedIdentity> {
  if (identityMode === "off") {
    throw new AppError("identity_invalid", { message: "This chat takes no signed identities." });
  }
  const now = new Date();
  const secrets = await listValidSecrets(dataSource.manager, secretBox, id, now);
  return await verifyIdentity(token, { widgetKey: key, publicKey, secrets }, now);
}

function readSecrets({ deps, ctx, body }: VisitCall<SessionBody>): string[] {
  const cookie = readResumeCookie(ctx, deps.config.widgetUrl, body.key);
  return [cookie, body.resume].flatMap((secret) => secret ?? []);
}

async function open(
  tx: Tx,
  { deps, body }: VisitCall<SessionBody>,
  widget: LiveWidget,
  secrets: readonly string[],
): Promise<OpenedSession> {
  const { default_locale: fallback, consent } = widget.settings;
  const request = { locale: body.locale ?? fallback, page: body.page ?? null };
  for (const secret of secrets) {
    const known = await lockResumable(tx, widget, secret);
    if (known !== null) return await resumeSession(tx, deps.secretBox, widget, known, request);
  }
  if (consent === "required" && body.consent !== true) {
    throw invalidField("body.consent", "required", "The visitor has to agree first.");
  }
  return await beginSession(tx, deps.secretBox, widget, request);
}
