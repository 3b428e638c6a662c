import { timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type Router from "@koa/router";
import type { Context } from "koa";
import { AppError } from "../../core/errors.ts";
import { maxWebhookBytes } from "../../core/model/channel-intake.ts";
import { networkOf } from "../../core/network.ts";
import { hashToken, type SecretBox } from "../../core/secrets.ts";
import { channelAppContext, type CalledApp } from "../../core/services/channels/channel-apps.ts";
import { verifySignature } from "../../core/signature.ts";
import type { Deadline } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { readBytes } from "../http/body.ts";
import { newDeadline } from "../http/deadline.ts";
import { requireTokens } from "../http/rate-limit.ts";
import { readIp } from "../http/serve.ts";

const path = "/api/channels/meta/:slug";
const bodyTimeoutMs = 9_000;

/**
 * Serves the URL of a Meta app: the handshake, and signed webhooks. A webhook is answered once its
 * bytes are stored. A worker reads them later. Does not use `route()`, because the signature covers
 * the raw bytes.
 */
export function mountMeta(deps: Deps, router: Router): void {
  router.register(path, ["GET"], async (ctx) => {
    await answerHandshake(deps, begin(ctx), ctx);
  });
  router.post(path, async (ctx) => {
    await takeWebhook(deps, begin(ctx), ctx);
  });
}

/** @returns the slug. It is as secret as a password, so only the pattern is logged. */
function begin(ctx: Context): string {
  ctx.state["route"] = path;
  return String(ctx["params"]?.["slug"] ?? "");
}

/** @throws AppError `invalid_verify_token` */
async function answerHandshake(deps: Deps, slug: string, ctx: Context): Promise<void> {
  const app = await within(newDeadline(), requireApp(deps, slug));
  const { query } = ctx;
  const [token, challenge] = [query["hub.verify_token"], query["hub.challenge"]];
  const isKnown = typeof token === "string" && isVerifyToken(deps.secretBox, app, token);
  if (query["hub.mode"] !== "subscribe" || typeof challenge !== "string" || !isKnown) {
    throw new AppError("invalid_verify_token");
  }
  ctx.type = "text/plain";
  ctx.body = challenge;
}

/** Compares hashes, so that the time says nothing about the token or its length. */
function isVerifyToken(secretBox: SecretBox, app: CalledApp, token: string): boolean {
  return verifyTokensOf(secretBox, app).some((one) =>
    timingSafeEqual(hashToken(one), hashToken(token)),
  );
}

async function takeWebhook(deps: Deps, slug: string, ctx: Context): Promise<void> {
  const deadline = newDeadline();
  const app = await within(deadline, requireApp(deps, slug));
  const body = await readBytes(ctx.req, maxWebhookBytes, bodyTimeoutMs);
  await requireSignature(deps, { slug, app, body, ctx, deadline });
  const { accountId, channelAppId } = app;
  const receivedAt = new Date();
  const webhook = { accountId, channelAppId, body, receivedAt };
  await within(deadline, deps.webhookBatches.add(webhook));
  ctx.type = "text/plain";
  ctx.body = "stored";
}

/** A call whose bytes have arrived. The deadline is the time that the database has left. */
interface SignedCall {
  slug: string;
  app: CalledApp;
  body: Buffer;
  ctx: Context;
  deadline: Deadline;
}

async function requireApp({ calledApps }: Deps, slug: string): Promise<CalledApp> {
  const app = /^[0-9A-Za-z]{26}$/u.test(slug) ? await calledApps.find(slug) : null;
  if (app === null) throw new AppError("endpoint_not_found");
  return app;
}

/**
 * Any secret of the app that is valid may have signed. Only refused calls are counted, so a signed
 * call is never refused for its number.
 * @throws AppError `missing_signature`, `invalid_signature`, `rate_limited`
 */
async function requireSignature(
  deps: Deps,
  { slug, app, body, ctx, deadline }: SignedCall,
): Promise<void> {
  const header = ctx.get("x-hub-signature-256");
  const fits = (one: CalledApp) =>
    signingSecretsOf(deps.secretBox, one).some((secret) => verifySignature(header, secret, body));
  if (fits(app)) return;
  requireTokens(deps.limitUnsignedCaller, `meta ${networkOf(readIp(ctx))}`);
  if (header === "") {
    deps.badSignatures.add(app);
    const message = "Sign the body and send the header X-Hub-Signature-256.";
    throw new AppError("missing_signature", { message });
  }
  // The secret may have been replaced a moment ago, in another process.
  const anew = await within(deadline, deps.calledApps.findAnew(slug));
  if (anew !== null && fits(anew)) return;
  deps.badSignatures.add(app);
  throw new AppError("invalid_signature");
}

function verifyTokensOf(secretBox: SecretBox, app: CalledApp): string[] {
  return openValid(secretBox, app, ({ kind }) => kind === "verify");
}

function signingSecretsOf(secretBox: SecretBox, app: CalledApp): string[] {
  return openValid(secretBox, app, ({ kind }) => kind !== "verify");
}

function openValid(
  secretBox: SecretBox,
  app: CalledApp,
  isWanted: (secret: CalledApp["secrets"][number]) => boolean,
): string[] {
  const context = channelAppContext(app.accountId, app.channelAppId);
  const now = new Date();
  return app.secrets
    .filter(isWanted)
    .filter(({ validUntil }) => validUntil === null || validUntil > now)
    .map(({ sealed }) => secretBox.open(sealed, context));
}

/** @throws AppError `service_unavailable` once the database has used up the time of the call. */
async function within<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const stopped = new AbortController();
  const { signal } = stopped;
  const late = sleep(Math.max(0, deadline.remainingMs), undefined, { signal, ref: false }).then(
    () => {
      throw new AppError("service_unavailable", { retryAfterSeconds: 5 });
    },
  );
  late.catch(() => undefined);
  // The work may still fail after its caller has gone.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    stopped.abort();
    deadline.remainingMs -= performance.now() - startedAt;
  }
}
