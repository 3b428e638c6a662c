import type { Context } from "koa";
import type { DataSource } from "typeorm";
import { AppError } from "../../core/errors.ts";
import { hashToken, type SecretBox } from "../../core/secrets.ts";
import {
  findSession,
  slideSession,
  type SessionPrincipal,
} from "../../core/services/accounts/users.ts";
import { dayMs } from "../../core/model/durations.ts";

const deviceDays = 365;

/** Name of a cookie. Over https the prefix binds the cookie to our own host. */
function cookieName(publicUrl: string, name: string): string {
  return publicUrl.startsWith("https:") ? `__Host-parley_${name}` : `parley_${name}`;
}

function cookie(publicUrl: string, name: string, value: string, expiresAt: Date): string {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(publicUrl, name)}=${value}; Path=/; HttpOnly; SameSite=Lax; Expires=${expiresAt.toUTCString()}${secure}`;
}

/** `Set-Cookie` that starts a login, or ends it if `token` is null. */
export function sessionCookie(publicUrl: string, token: string | null, expiresAt: Date): string {
  return cookie(publicUrl, "session", token ?? "", expiresAt);
}

/**
 * `Set-Cookie` that marks a browser with a login of this person. Guesses made elsewhere then never
 * lock the person out. The mark is valid until the password changes.
 */
export function deviceCookie(
  secretBox: SecretBox,
  publicUrl: string,
  { email, passwordHash }: { email: string; passwordHash: string },
  now: Date,
): string {
  const expiresAt = new Date(now.getTime() + deviceDays * dayMs);
  const plain = `${passwordMark(passwordHash)} ${email.trim().toLowerCase()}`;
  return cookie(publicUrl, "device", secretBox.seal(plain, "cookie:device"), expiresAt);
}

/** Reads a device cookie. @returns the mark of its password, or null for another email. */
export function readDeviceCookie(
  secretBox: SecretBox,
  token: string,
  email: string,
): string | null {
  try {
    const [mark = "", ...rest] = secretBox.open(token, "cookie:device").split(" ");
    return rest.join(" ") === email ? mark : null;
  } catch {
    // A forged cookie, or a deleted key, means an unknown device.
    return null;
  }
}

/**
 * Mark of a password hash. The mark changes with the password and reveals nothing about it, because
 * the hash is salted.
 */
export function passwordMark(passwordHash: string): string {
  return hashToken(passwordHash).toString("base64url");
}

/** SHA-256 of the session cookie's token, and the device cookie. Each is null if absent. */
export function readCookies(
  ctx: Context,
  publicUrl: string,
): { sessionHash: Buffer | null; deviceToken: string | null } {
  const token = readSessionToken(ctx, publicUrl);
  const deviceToken = ctx.cookies.get(cookieName(publicUrl, "device")) ?? null;
  return { sessionHash: token === "" ? null : hashToken(token), deviceToken };
}

function readSessionToken(ctx: Context, publicUrl: string): string {
  return ctx.cookies.get(cookieName(publicUrl, "session")) ?? "";
}

/**
 * The session's principal. A login in use is extended, and so is its cookie. @throws AppError
 * `session_required`
 */
export async function authenticateSession(
  dataSource: DataSource,
  ctx: Context,
  publicUrl: string,
): Promise<SessionPrincipal> {
  const now = new Date();
  const token = readSessionToken(ctx, publicUrl);
  const tokenHash = hashToken(token);
  const session = token === "" ? null : await findSession(dataSource.manager, tokenHash, now);
  if (session === null) throw new AppError("session_required");
  const expiresAt = await slideSession(dataSource.manager, tokenHash, session, now);
  if (expiresAt !== null) ctx.set("Set-Cookie", [sessionCookie(publicUrl, token, expiresAt)]);
  return session;
}

/**
 * Refuses requests that another site makes a browser send. Browsers name a request's origin in
 * Sec-Fetch-Site, older ones in Origin. A request with neither does not come from a browser.
 * @throws AppError `csrf_rejected`
 */
export function refuseCrossSite(ctx: Context, publicUrl: string): void {
  const site = ctx.get("sec-fetch-site");
  const origin = ctx.get("origin");
  const foreign =
    site === "" ? origin !== "" && origin !== publicUrl : site !== "same-origin" && site !== "none";
  if (!foreign) return;
  throw new AppError("csrf_rejected");
}
