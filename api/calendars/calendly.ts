import type Router from "@koa/router";
import type { Context } from "koa";
import { ownSigningKey } from "../../core/calendars/calendly-credentials.ts";
import { checkCalendlySignature } from "../../core/calendars/calendly-signature.ts";
import { AppError } from "../../core/errors.ts";
import { networkOf } from "../../core/network.ts";
import { openCalendlyCredentials } from "../../core/services/calendars/calendly-accounts.ts";
import { requestCalendlyRead } from "../../core/services/calendars/calendly-commands.ts";
import {
  findCalledCalendly,
  storeCalendlyRequest,
} from "../../core/services/calendars/calendly-requests.ts";
import type { CalendarConnection } from "../../db/entities/calendar-connection.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { readBytes } from "../http/body.ts";
import { newDeadline } from "../http/deadline.ts";
import { requireTokens } from "../http/rate-limit.ts";
import { readIp } from "../http/serve.ts";

const path = "/api/webhooks/calendly/:slug";
const maxBytes = 1_048_576;
const bodyTimeoutMs = 9_000;

/**
 * Serves the webhooks of Calendly. A webhook is answered once its bytes are stored, and a worker
 * applies it. Does not use `route()`, because the signature covers the raw bytes.
 */
export function mountCalendly(deps: Deps, router: Router): void {
  router.post(path, async (ctx) => {
    // The slug is as secret as a password, so only the pattern is logged.
    ctx.state["route"] = path;
    const connection = await requireConnection(deps, String(ctx.params["slug"] ?? ""));
    const body = await readBytes(ctx.req, maxBytes, bodyTimeoutMs);
    await requireSignature(deps, connection, body, ctx);
    const options = { ...systemOf(connection.accountId), deadline: newDeadline() };
    await transaction(deps.dataSource, options, (tx) =>
      storeCalendlyRequest(tx, { connectionId: connection.id, body }),
    );
    ctx.type = "text/plain";
    ctx.body = "stored";
  });
}

/** @throws AppError `endpoint_not_found` for an unknown and for a disconnected one */
async function requireConnection({ dataSource }: Deps, slug: string): Promise<CalendarConnection> {
  const row = /^[0-9A-Za-z]{26}$/u.test(slug)
    ? await oneStatement(dataSource, systemOf(), (tx) => findCalledCalendly(tx, slug))
    : null;
  if (row === null) throw new AppError("endpoint_not_found");
  return row;
}

/**
 * A webhook that is rightly signed and late was held up, so others may be lost: the bookings are
 * read. Only refused calls are counted, so a signed call is never refused for its number.
 * @throws AppError `missing_signature`, `invalid_signature`, `rate_limited`
 */
async function requireSignature(
  deps: Deps,
  connection: CalendarConnection,
  body: Buffer,
  ctx: Context,
): Promise<void> {
  const header = ctx.get("calendly-webhook-signature");
  const own = ownSigningKey(openCalendlyCredentials(deps.secretBox, connection));
  const key = own ?? deps.config.calendly.app?.signingKey ?? null;
  const nowSeconds = Math.floor(Date.now() / 1_000);
  // Without its app the installation can check nothing.
  const verdict =
    key === null ? "invalid" : checkCalendlySignature({ header, key, body, nowSeconds });
  if (verdict === "valid") return;
  requireTokens(deps.limitUnsignedCaller, `calendly ${networkOf(readIp(ctx))}`);
  if (verdict === "missing") {
    const message = "Sign the body and send the header Calendly-Webhook-Signature.";
    throw new AppError("missing_signature", { message });
  }
  if (verdict === "invalid") throw new AppError("invalid_signature");
  await transaction(deps.dataSource, systemOf(connection.accountId), (tx) =>
    requestCalendlyRead(tx, connection.id),
  );
  const message = "The signature is more than 5 minutes off. The bookings are read instead.";
  throw new AppError("invalid_signature", { message });
}
