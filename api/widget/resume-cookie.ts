import type { Context } from "koa";
import { resumeMs } from "../../core/services/widgets/visit-secrets.ts";

/**
 * Name of the cookie that resumes a visitor of one widget. Over https the prefix binds the cookie to
 * our own host.
 */
function cookieName(ownUrl: string, key: string): string {
  return ownUrl.startsWith("https:") ? `__Host-parley_visit_${key}` : `parley_visit_${key}`;
}

/** The resume secret in the cookie; null without one. */
export function readResumeCookie(ctx: Context, ownUrl: string, key: string): string | null {
  return ctx.cookies.get(cookieName(ownUrl, key)) ?? null;
}

/**
 * Sets the cookie, or deletes it if `secret` is null. The panel is a frame in other sites, so the
 * cookie is `SameSite=None`, and partitioned: no two sites share a visitor.
 */
export function setResumeCookie(
  ctx: Context,
  ownUrl: string,
  key: string,
  secret: string | null,
): void {
  const isSecure = ownUrl.startsWith("https:");
  const rules = isSecure ? "Secure; SameSite=None; Partitioned" : "SameSite=Lax";
  const age = secret === null ? 0 : resumeMs / 1_000;
  const value = `${cookieName(ownUrl, key)}=${secret ?? ""}`;
  ctx.append("Set-Cookie", `${value}; Path=/; HttpOnly; Max-Age=${age}; ${rules}`);
}
