import type { Context } from "koa";
import { AppError } from "../../core/errors.ts";
import { hashToken } from "../../core/secrets.ts";
import { findVisitByToken, type Visit } from "../../core/services/widgets/visit.ts";
import type { Deps } from "../deps.ts";

/** Tokens of visitors: base64url, so that a malformed one costs no query. */
const bearerToken = /^Bearer ([0-9A-Za-z_-]{43})$/u;

/**
 * The session of a request to `/widget/api`. The token comes in a header alone, so no other site
 * can make a browser send it.
 * @throws AppError `origin_not_allowed`, `session_expired`
 */
export async function authenticateVisit(deps: Deps, ctx: Context): Promise<Visit> {
  refuseOtherOrigin(deps, ctx);
  // Two headers count as one malformed header, because a proxy may have trusted either of them.
  const authorization = ctx.req.headersDistinct["authorization"]?.join(", ") ?? "";
  const token = bearerToken.exec(authorization)?.[1];
  if (token === undefined) throw new AppError("session_expired");
  const { manager } = deps.dataSource;
  const visit = await findVisitByToken(manager, hashToken(token), new Date());
  if (visit === null) throw new AppError("session_expired");
  return visit;
}

/**
 * Refuses pages of other origins. The panel is a frame of our own origin, so its calls are never
 * cross-origin. A request without both headers does not come from a browser.
 * @throws AppError `origin_not_allowed`
 */
export function refuseOtherOrigin({ config }: Pick<Deps, "config">, ctx: Context): void {
  const site = ctx.get("sec-fetch-site");
  const origin = ctx.get("origin");
  const isOwnSite = site === "" || site === "same-origin";
  const isOwnOrigin = origin === "" || origin === config.widgetUrl;
  if (!isOwnSite || !isOwnOrigin) throw new AppError("origin_not_allowed");
}
