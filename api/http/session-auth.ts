import type { Context } from "koa";
import type { DataSource } from "typeorm";
import { AppError } from "../../core/errors.ts";
import { hashToken, type SecretBox } from "../../core/secrets.ts";
import {
  findSession,
  sessionRequired,
  slideSession,
  type SessionPrincipal,
} from "../../core/services/accounts/users.ts";

const deviceDays = 365;

/** Over https a cookie is bound to our own host by its name. */
function cookieName(publicUrl: string, name: string): string {
  return publicUrl.startsWith("https:") ? `__Host-parley_${name}` : `parley_${name}`;
}

function cookie(publicUrl: string, name: string, value: string, expiresAt: Date): string {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(publicUrl, name)}=${value}; Path=/; HttpOnly; SameSite=Lax; Expires=${expiresAt.toUTCString()}${secure}`;
}

/** `Set-Cookie` that starts a login, or ends it when `token` is null. */
export function sessionCookie(publicUrl: string, token: string | null, expiresAt: Date): string {
  return cookie(publicUrl, "session", token ?? "", expiresAt);
}

/**
 * `Set-Cookie` that tells a browser in which this person has logged in from others, so that guesses
 * made elsewhere never lock the person out. It holds until the password changes.
 */
export function deviceCookie(
  secretBox: SecretBox,
  publicUrl: string,
  { email, passwordHash }: { email: string; passwordHash: string },
  now: Date,
): string {
  const expiresAt = new Date(now.getTime() + deviceDays * 86_400_000);
  const plain = `${passwordMark(passwordHash)} ${email.trim().toLowerCase()}`;
  return cookie(publicUrl, "device", secretBox.seal(plain, "cookie:device"), expiresAt);
}

/** Reads a device cookie. @returns the mark of the password that it was made for, null if for another email. */
export function readDeviceCookie(
  secretBox: SecretBox,
  token: string,
  email: string,
): string | null {
  try {
    const [mark = "", ...rest] = secretBox.open(token, "cookie:device").split(" ");
    return rest.join(" ") === email ? mark : null;
  } catch {
    // Forged, or sealed with a key that is gone: an unknown device.
    return null;
  }
}

/** Changes with the password and tells nothing about it: the hash is salted. */
export function passwordMark(passwordHash: string): string {
  return hashToken(passwordHash).toString("base64url");
}

/** SHA-256 of the session cookie's token, and the device cookie; null where absent. */
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

/** Who is logged in. A login in use lasts longer, and so does its cookie. @throws AppError `session_required` */
export async function authenticateSession(
  dataSource: DataSource,
  ctx: Context,
  publicUrl: string,
): Promise<SessionPrincipal> {
  const now = new Date();
  const token = readSessionToken(ctx, publicUrl);
  const tokenHash = hashToken(token);
  const session = token === "" ? null : await findSession(dataSource.manager, tokenHash, now);
  if (session === null) throw sessionRequired();
  const expiresAt = await slideSession(dataSource.manager, tokenHash, session, now);
  if (expiresAt !== null) ctx.set("Set-Cookie", [sessionCookie(publicUrl, token, expiresAt)]);
  return session;
}

/**
 * Refuses what another site makes a browser send. Browsers say where a request comes from in
 * Sec-Fetch-Site, older ones in Origin; a request with neither does not come from a browser.
 * @throws AppError `csrf_rejected`
 */
export function refuseCrossSite(ctx: Context, publicUrl: string): void {
  const site = ctx.get("sec-fetch-site");
  const origin = ctx.get("origin");
  const foreign =
    site === "" ? origin !== "" && origin !== publicUrl : site !== "same-origin" && site !== "none";
  if (!foreign) return;
  throw new AppError(
    "csrf_rejected",
    "This request comes from another site. Open the Dashboard itself.",
  );
}
