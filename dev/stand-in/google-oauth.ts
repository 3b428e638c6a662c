import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT, type JWK } from "jose";
import { googleConsentPage, googleErrorPage } from "./google-consent-page.ts";
import { refuseToken, type GoogleReply } from "./google-wire.ts";
import {
  accountOf,
  type GoogleAccount,
  type GoogleCode,
  type GoogleGrant,
  type GoogleRequest,
  type GoogleWorld,
} from "./google-world.ts";

const issuer = "https://accounts.google.com";
const codeMs = 10 * 60_000;
const weekMs = 7 * 86_400_000;
const calendarScope = "https://www.googleapis.com/auth/calendar";

/** Google's own names of scopes that have a short one. */
const longScopes: Record<string, string> = {
  email: "https://www.googleapis.com/auth/userinfo.email",
  profile: "https://www.googleapis.com/auth/userinfo.profile",
};

/** An answer that is a page or leads elsewhere. */
export type GooglePageReply = { status: number; html: string } | { status: 302; location: string };

/** The consent screen by GET; by POST the choice of the person. */
export function authorize(world: GoogleWorld, request: GoogleRequest): GooglePageReply {
  const { query } = request;
  const problem = findProblem(world, query);
  if (problem !== null) return { status: 400, html: googleErrorPage(problem) };
  const scopes = (query.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
  if (request.method === "GET")
    return { status: 200, html: googleConsentPage(world.accounts, scopes, query) };
  const form = new URLSearchParams(request.body as Record<string, string>);
  const target = new URL(query.get("redirect_uri") ?? "");
  const state = query.get("state");
  if (state !== null) target.searchParams.set("state", state);
  target.searchParams.set("iss", issuer);
  if (form.get("decision") !== "allow") {
    target.searchParams.set("error", "access_denied");
    return { status: 302, location: target.href };
  }
  const granted = grantedScopes(scopes, form);
  const account = accountOf(world, form.get("account") ?? "");
  const code = `4/${randomBytes(24).toString("base64url")}`;
  world.codes.set(code, describeCode(world, query, { account, scopes: granted }));
  target.searchParams.set("code", code);
  target.searchParams.set("scope", granted.join(" "));
  target.searchParams.set("authuser", "0");
  target.searchParams.set("prompt", "consent");
  return { status: 302, location: target.href };
}

function findProblem({ rules }: GoogleWorld, query: URLSearchParams): string | null {
  if (query.get("client_id") !== rules.clientId)
    return "Error 401: invalid_client. The OAuth client was not found.";
  if (!URL.canParse(query.get("redirect_uri") ?? ""))
    return "Error 400: redirect_uri_mismatch. This address is not registered.";
  if (query.get("response_type") !== "code")
    return "Error 400: invalid_request. response_type is missing or not supported.";
  if (query.has("code_challenge") && query.get("code_challenge_method") !== "S256")
    return "Error 400: invalid_request. Use the code challenge method S256.";
  if ((query.get("scope") ?? "") === "")
    return "Error 400: invalid_request. Missing required parameter: scope.";
  return null;
}

/** Signing in always grants the email address. Each other scope has its own tick. */
function grantedScopes(scopes: readonly string[], form: URLSearchParams): string[] {
  const unticked = (form.get("unticked") ?? "").split(" ");
  const ticked = scopes.filter((scope) => !isTickable(scope) || !unticked.includes(scope));
  return ticked.map((scope) => longScopes[scope] ?? scope);
}

/** False for the scopes of a sign-in, which the consent screen does not ask for. */
export function isTickable(scope: string): boolean {
  return scope !== "openid" && longScopes[scope] === undefined;
}

function describeCode(
  world: GoogleWorld,
  query: URLSearchParams,
  { account, scopes }: Pick<GoogleCode, "account" | "scopes">,
): GoogleCode {
  const isFirst = !world.grants.some((one) => one.account === account && !one.isRevoked);
  const asksAgain = (query.get("prompt") ?? "").split(" ").includes("consent");
  return {
    account,
    scopes,
    redirectUri: query.get("redirect_uri") ?? "",
    challenge: query.get("code_challenge"),
    nonce: query.get("nonce"),
    wantsRefresh: query.get("access_type") === "offline" && (isFirst || asksAgain),
    untilMs: world.now() + codeMs,
  };
}

/** Codes and refresh tokens into access tokens. */
export async function giveToken(world: GoogleWorld, request: GoogleRequest): Promise<GoogleReply> {
  const body = request.body as Record<string, string | undefined>;
  const client = readClient(request);
  const { rules } = world;
  if (client.id !== rules.clientId || !isEqual(client.secret, rules.clientSecret))
    return refuseToken(401, "invalid_client", "Unauthorized");
  if (body["grant_type"] === "refresh_token") return refresh(world, body["refresh_token"] ?? "");
  if (body["grant_type"] !== "authorization_code")
    return refuseToken(400, "unsupported_grant_type", "Invalid grant_type");
  const code = world.codes.get(body["code"] ?? "");
  // A code is good for one try.
  world.codes.delete(body["code"] ?? "");
  if (code === undefined || code.untilMs < world.now())
    return refuseToken(400, "invalid_grant", "Malformed auth code.");
  if (code.redirectUri !== body["redirect_uri"])
    return refuseToken(400, "redirect_uri_mismatch", "Bad Request");
  const verifier = body["code_verifier"];
  if (code.challenge !== null && verifier === undefined)
    return refuseToken(400, "invalid_grant", "Missing code verifier.");
  const hash = createHash("sha256")
    .update(verifier ?? "")
    .digest("base64url");
  if (code.challenge !== null && code.challenge !== hash)
    return refuseToken(400, "invalid_grant", "Invalid code verifier.");
  const grant = makeGrant(world, code.account, code.scopes);
  const accessToken = giveAccess(world, grant);
  return {
    status: 200,
    body: {
      ...presentToken(world, accessToken, grant),
      ...(code.wantsRefresh && { refresh_token: grant.refreshToken }),
      ...(code.wantsRefresh && rules.isTesting && { refresh_token_expires_in: weekMs / 1_000 - 1 }),
      ...(code.scopes.includes("openid") && {
        id_token: await signIdToken(world, { code, accessToken }),
      }),
    },
  };
}

function readClient({ body, headers }: GoogleRequest): { id: string; secret: string } {
  const [scheme, encoded = ""] = String(headers["authorization"] ?? "").split(" ");
  if (scheme !== "Basic")
    return { id: String(body["client_id"]), secret: String(body["client_secret"]) };
  const [id = "", secret = ""] = Buffer.from(encoded, "base64").toString().split(":");
  return { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
}

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** A consent that is there without the screens. */
export function makeGrant(
  world: GoogleWorld,
  account: GoogleAccount,
  scopes: readonly string[],
  refreshToken = `1//${randomBytes(30).toString("base64url")}`,
): GoogleGrant {
  const givenAt = world.now();
  const grant = { account, scopes: [...scopes], refreshToken, givenAt, isRevoked: false };
  world.grants.push(grant);
  return grant;
}

function giveAccess(world: GoogleWorld, grant: GoogleGrant): string {
  const token = `ya29.${randomBytes(30).toString("base64url")}`;
  const untilMs = world.now() + world.rules.accessSeconds * 1_000;
  world.accessTokens.set(token, { grant, scopes: grant.scopes, untilMs });
  return token;
}

function presentToken({ rules }: GoogleWorld, accessToken: string, { scopes }: GoogleGrant) {
  return {
    access_token: accessToken,
    expires_in: rules.accessSeconds - 1,
    scope: scopes.join(" "),
    token_type: "Bearer",
  };
}

function refresh(world: GoogleWorld, token: string): GoogleReply {
  const grant = world.grants.find((one) => one.refreshToken === token);
  const hasEnded =
    world.rules.isTesting && grant !== undefined && grant.givenAt + weekMs < world.now();
  if (grant === undefined || grant.isRevoked || hasEnded)
    return refuseToken(400, "invalid_grant", "Token has been expired or revoked.");
  if (world.rules.rotates) grant.refreshToken = `1//${randomBytes(30).toString("base64url")}`;
  const answer = presentToken(world, giveAccess(world, grant), grant);
  return {
    status: 200,
    body: { ...answer, ...(world.rules.rotates && { refresh_token: grant.refreshToken }) },
  };
}

/** Ends all of the account's consent, by a refresh token or an access token. */
export function revoke(world: GoogleWorld, request: GoogleRequest): GoogleReply {
  const given = request.body["token"] ?? request.query.get("token");
  const token = typeof given === "string" ? given : "";
  const grant =
    world.grants.find((one) => one.refreshToken === token) ?? world.accessTokens.get(token)?.grant;
  if (grant === undefined || grant.isRevoked)
    return refuseToken(400, "invalid_token", "Token expired or revoked");
  endConsent(world, grant.account);
  return { status: 200, body: {} };
}

/** The person has taken the consent back: no token of the account works any more. */
export function endConsent(world: GoogleWorld, account: GoogleAccount): void {
  for (const grant of world.grants) if (grant.account === account) grant.isRevoked = true;
  for (const [token, { grant }] of world.accessTokens)
    if (grant.account === account) world.accessTokens.delete(token);
}

/** The caller of an API, by its access token. Null: 401. */
export function findCaller(world: GoogleWorld, { headers }: GoogleRequest) {
  const bearer = /^Bearer (.+)$/u.exec(String(headers["authorization"] ?? ""))?.[1] ?? "";
  const access = world.accessTokens.get(bearer);
  return access === undefined || access.untilMs <= world.now() ? null : access;
}

/** True where the scopes allow the calls: of the list of calendars, or of events. */
export function hasScope(scopes: readonly string[], part: "list" | "events"): boolean {
  const names =
    part === "list"
      ? ["", ".readonly", ".calendarlist", ".calendarlist.readonly"]
      : ["", ".events", ".events.owned"];
  return names.some((name) => scopes.includes(`${calendarScope}${name}`));
}

/** Facts of the person, as OpenID Connect names them. */
export function describePerson({ sub, email, name }: GoogleAccount, scopes: readonly string[]) {
  return {
    sub,
    ...(scopes.includes(longScopes["profile"] ?? "") && { name }),
    ...(scopes.includes(longScopes["email"] ?? "") && { email, email_verified: true }),
  };
}

const keyId = "stand-in";
type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
let keys: Promise<{ privateKey: PrivateKey; jwk: JWK }> | undefined;

async function readKeys() {
  keys ??= generateKeyPair("RS256").then(async ({ privateKey, publicKey }) => ({
    privateKey,
    jwk: await exportJWK(publicKey),
  }));
  return await keys;
}

/** Keys that verify the id tokens. */
export async function listCerts(): Promise<GoogleReply> {
  const { jwk } = await readKeys();
  return { status: 200, body: { keys: [{ ...jwk, kid: keyId, alg: "RS256", use: "sig" }] } };
}

async function signIdToken(
  world: GoogleWorld,
  { code, accessToken }: { code: GoogleCode; accessToken: string },
): Promise<string> {
  const { privateKey } = await readKeys();
  const half = createHash("sha256").update(accessToken).digest().subarray(0, 16);
  const seconds = Math.floor(world.now() / 1_000);
  return await new SignJWT({
    ...describePerson(code.account, code.scopes),
    azp: world.rules.clientId,
    at_hash: half.toString("base64url"),
    ...(code.nonce !== null && { nonce: code.nonce }),
  })
    .setProtectedHeader({ alg: "RS256", kid: keyId, typ: "JWT" })
    .setIssuer(issuer)
    .setAudience(world.rules.clientId)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 3_600)
    .sign(privateKey);
}
