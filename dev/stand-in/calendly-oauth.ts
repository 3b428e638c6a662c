import { createHash } from "node:crypto";
import { calendlyConsentPage, calendlyErrorPage } from "./calendly-consent-page.ts";
import { uriOf } from "./calendly-wire.ts";
import { newCalendlyId, type CalendlyWorld } from "./calendly-world.ts";

/** Answer of the token endpoint. */
export interface TokenAnswer {
  http: number;
  body: object;
}

/** An answer that is a page or leads elsewhere. */
export type ConsentAnswer = { http: number; html: string } | { http: 302; location: string };

/** The consent screen by GET; by POST the choice of the person. */
export function answerConsent(
  world: CalendlyWorld,
  method: string,
  query: URLSearchParams,
  form: URLSearchParams,
): ConsentAnswer {
  const problem = findProblem(world, query);
  if (problem !== null) return { http: 400, html: calendlyErrorPage(problem) };
  if (method !== "POST") return { http: 200, html: calendlyConsentPage(world.users, query) };
  const target = new URL(query.get("redirect_uri") ?? "");
  const state = query.get("state");
  if (state !== null) target.searchParams.set("state", state);
  const user = world.users.find(({ id }) => id === form.get("user"));
  if (form.get("decision") !== "allow" || user === undefined) {
    target.searchParams.set("error", "access_denied");
    return { http: 302, location: target.href };
  }
  const asked = (query.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
  const code = `code-${newCalendlyId()}`;
  world.codes.set(code, {
    userId: user.id,
    scopes: world.app.granted ?? asked,
    redirectUri: query.get("redirect_uri") ?? "",
    challenge: query.get("code_challenge"),
  });
  target.searchParams.set("code", code);
  return { http: 302, location: target.href };
}

function findProblem({ app }: CalendlyWorld, query: URLSearchParams): string | null {
  if (query.get("client_id") !== app.clientId) return "The client is unknown.";
  if (!URL.canParse(query.get("redirect_uri") ?? "")) return "The redirect URI is not registered.";
  if (query.get("response_type") !== "code") return "The response type is not supported.";
  const isPlain = query.has("code_challenge") && query.get("code_challenge_method") !== "S256";
  return isPlain ? "The code challenge method must be S256." : null;
}

/** Gives tokens of the OAuth app. A code and a refresh token work once, then `invalid_grant`. */
export function giveTokens(world: CalendlyWorld, form: URLSearchParams): TokenAnswer {
  if (!isApp(world, form)) return refuse(401, "invalid_client", "Client authentication failed.");
  if (form.get("grant_type") === "authorization_code") return exchange(world, form);
  const used = form.get("refresh_token") ?? "";
  const isRefresh = form.get("grant_type") === "refresh_token";
  const known = isRefresh ? world.grants.get(used) : undefined;
  if (known === undefined) return invalidGrant();
  world.grants.delete(used);
  world.tokens.delete(known.accessToken);
  return grant(world, known);
}

/** Ends a grant by its refresh token. An unknown token is answered alike. */
export function revokeToken(world: CalendlyWorld, form: URLSearchParams): TokenAnswer {
  if (!isApp(world, form)) return refuse(403, "unauthorized_client", "Not authorized.");
  endGrant(world, form.get("token") ?? "");
  return { http: 200, body: {} };
}

/** Ends every grant of the app, as a person does on Calendly's page of connected apps. */
export function endGrants(world: CalendlyWorld): void {
  for (const refreshToken of world.grants.keys()) endGrant(world, refreshToken);
}

/** Lets every access token of the app expire. Refresh tokens stay good. */
export function expireTokens(world: CalendlyWorld): void {
  for (const { accessToken } of world.grants.values()) world.tokens.delete(accessToken);
}

function isApp({ app }: CalendlyWorld, form: URLSearchParams): boolean {
  return form.get("client_id") === app.clientId && form.get("client_secret") === app.clientSecret;
}

function exchange(world: CalendlyWorld, form: URLSearchParams): TokenAnswer {
  const name = form.get("code") ?? "";
  const code = world.codes.get(name);
  world.codes.delete(name);
  if (code === undefined || code.redirectUri !== form.get("redirect_uri")) return invalidGrant();
  const verifier = form.get("code_verifier") ?? "";
  const hash = createHash("sha256").update(verifier).digest("base64url");
  if (code.challenge !== null && code.challenge !== hash) return invalidGrant();
  return grant(world, code);
}

function grant(
  world: CalendlyWorld,
  { userId, scopes }: { userId: string; scopes: readonly string[] },
): TokenAnswer {
  const accessToken = `access-${newCalendlyId()}`;
  const refreshToken = `refresh-${newCalendlyId()}`;
  world.tokens.set(accessToken, { userId, scopes, isOfApp: true });
  world.grants.set(refreshToken, { userId, scopes, refreshToken, accessToken });
  const lifetime = { token_type: "Bearer", expires_in: 7_200, scope: scopes.join(" ") };
  const tokens = { access_token: accessToken, refresh_token: refreshToken };
  const owner = uriOf("users", userId);
  return { http: 200, body: { ...tokens, ...lifetime, owner } };
}

function endGrant(world: CalendlyWorld, refreshToken: string): void {
  const known = world.grants.get(refreshToken);
  if (known === undefined) return;
  world.grants.delete(refreshToken);
  world.tokens.delete(known.accessToken);
}

function invalidGrant(): TokenAnswer {
  return refuse(400, "invalid_grant", "The provided authorization grant is invalid.");
}

function refuse(http: number, error: string, description: string): TokenAnswer {
  return { http, body: { error, error_description: description } };
}
