import { createLocalJWKSet, jwtVerify } from "jose";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  adaCalendar,
  askConsent,
  decide,
  startGoogleFixture,
  type GoogleFixture,
} from "./google-fixture.ts";

let fixture: GoogleFixture;
beforeEach(async () => void (fixture = await startGoogleFixture()));
afterEach(async () => await fixture.stop());

const allow = { decision: "allow", account: adaCalendar };
const eventsScope = "https://www.googleapis.com/auth/calendar.events";

async function exchange(change: Record<string, string> = {}, query: Record<string, string> = {}) {
  const { url, verifier, callback } = askConsent(fixture.standIn, query);
  const target = await decide(url, allow);
  const form = {
    grant_type: "authorization_code",
    code: target.searchParams.get("code") ?? "",
    redirect_uri: callback,
    code_verifier: verifier,
  };
  return { form, answer: await fixture.token({ ...form, ...change }) };
}

test("the consent screen names the accounts and the scopes, and leads back with a code", async () => {
  const { url } = askConsent(fixture.standIn);
  const page = await (await fetch(url)).text();
  expect(page).toContain("ada@google.example");
  expect(page).toContain("bruno@google.example");
  expect(page).toContain(eventsScope);
  const { searchParams } = await decide(url, allow);
  expect(searchParams.get("state")).toBe("state-1");
  expect(searchParams.get("iss")).toBe("https://accounts.google.com");
  expect(searchParams.get("code")).toMatch(/^4\//);
  expect(searchParams.get("scope")?.split(" ")).toEqual([
    "openid",
    "https://www.googleapis.com/auth/userinfo.email",
    eventsScope,
    "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
  ]);
});

test("a denial has no code, and an unticked scope is missing from the grant", async () => {
  const { url } = askConsent(fixture.standIn);
  const denied = await decide(url, { decision: "deny" });
  expect(Object.fromEntries(denied.searchParams)).toMatchObject({
    error: "access_denied",
    state: "state-1",
  });
  expect(denied.searchParams.has("code")).toBe(false);
  const partly = await decide(url, { ...allow, unticked: eventsScope });
  expect(partly.searchParams.get("scope")).not.toContain(eventsScope);
  expect(partly.searchParams.get("scope")).toContain("openid");
});

test.each([
  ["another client", { client_id: "other" }, "invalid_client"],
  ["an address that is none", { redirect_uri: "nowhere" }, "redirect_uri_mismatch"],
  ["a plain challenge", { code_challenge_method: "plain" }, "S256"],
  ["no scope", { scope: "" }, "Missing required parameter: scope"],
])("the consent screen refuses %s", async (_, change, words) => {
  const answer = await fetch(askConsent(fixture.standIn, change).url);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(words);
});

test("a code becomes tokens, and the id token names the person", async () => {
  const { answer } = await exchange();
  expect(answer).toMatchObject({
    status: 200,
    json: { token_type: "Bearer", expires_in: 3_599, refresh_token: expect.stringMatching(/^1/) },
  });
  const answered = await fetch(`${fixture.standIn.url}/oauth2/v3/certs`);
  const certs = (await answered.json()) as Parameters<typeof createLocalJWKSet>[0];
  const { payload } = await jwtVerify(answer.json.id_token, createLocalJWKSet(certs), {
    issuer: "https://accounts.google.com",
    audience: fixture.standIn.settings["GOOGLE_CLIENT_ID"] ?? "",
  });
  expect(payload).toMatchObject({
    sub: "110169484474386276334",
    email: "ada@google.example",
    email_verified: true,
    nonce: "nonce-1",
  });
  const info = await fetch(`${fixture.standIn.url}/v1/userinfo`, {
    headers: { authorization: `Bearer ${answer.json.access_token}` },
  });
  expect(await info.json()).toMatchObject({ sub: payload.sub, email: payload["email"] });
});

test("a code is good for one try", async () => {
  const { form, answer } = await exchange();
  expect(answer.status).toBe(200);
  expect(await fixture.token(form)).toMatchObject({
    status: 400,
    json: { error: "invalid_grant" },
  });
});

test.each([
  ["another verifier", { code_verifier: "x".repeat(43) }, 400, "invalid_grant"],
  ["another address", { redirect_uri: "http://127.0.0.1/other" }, 400, "redirect_uri_mismatch"],
  ["another secret", { client_secret: "wrong" }, 401, "invalid_client"],
  ["another grant", { grant_type: "password" }, 400, "unsupported_grant_type"],
])("the token endpoint refuses %s", async (_, change, status, error) => {
  const { answer } = await exchange(change);
  expect(answer).toMatchObject({ status, json: { error } });
});

test("a code ends after ten minutes", async () => {
  const { url, verifier, callback } = askConsent(fixture.standIn);
  const target = await decide(url, allow);
  fixture.standIn.advance(10 * 60_000 + 1_000);
  const answer = await fixture.token({
    grant_type: "authorization_code",
    code: target.searchParams.get("code") ?? "",
    redirect_uri: callback,
    code_verifier: verifier,
  });
  expect(answer.json.error).toBe("invalid_grant");
});

test("without prompt=consent a second consent has no refresh token", async () => {
  expect((await exchange()).answer.json.refresh_token).toBeTypeOf("string");
  const { answer } = await exchange({}, { prompt: "select_account" });
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.json.refresh_token).toBeUndefined();
});

test("an access token ends after an hour", async () => {
  expect((await fixture.api("/users/me/calendarList")).status).toBe(200);
  fixture.standIn.advance(3_600_000);
  expect(await fixture.api("/users/me/calendarList")).toMatchObject({
    status: 401,
    json: { error: { code: 401, errors: [{ reason: "authError" }] } },
  });
});

test("the refresh tokens of an app in testing end after 7 days", async () => {
  fixture.standIn.rules({ isTesting: true });
  const { answer } = await exchange();
  expect(answer.json.refresh_token_expires_in).toBe(604_799);
  const form = { grant_type: "refresh_token", refresh_token: answer.json.refresh_token };
  fixture.standIn.advance(7 * 86_400_000 - 60_000);
  expect((await fixture.token(form)).status).toBe(200);
  fixture.standIn.advance(2 * 60_000);
  expect(await fixture.token(form)).toMatchObject({
    status: 400,
    json: { error: "invalid_grant" },
  });
});

test("a rotated refresh token works once", async () => {
  fixture.standIn.rules({ rotates: true });
  const first = fixture.standIn.grant(adaCalendar);
  const form = (token: string) => ({ grant_type: "refresh_token", refresh_token: token });
  const { json } = await fixture.token(form(first));
  expect(json.refresh_token).not.toBe(first);
  expect((await fixture.token(form(first))).json.error).toBe("invalid_grant");
  expect((await fixture.token(form(json.refresh_token))).status).toBe(200);
});

test("revoking one token ends every token of the account", async () => {
  const [one, other] = [fixture.standIn.grant(adaCalendar), fixture.standIn.grant(adaCalendar)];
  const revoke = async (): Promise<number> => {
    const body = new URLSearchParams({ token: one });
    return (await fetch(`${fixture.standIn.url}/revoke`, { method: "POST", body })).status;
  };
  expect(await revoke()).toBe(200);
  expect(await revoke()).toBe(400);
  const { json } = await fixture.token({ grant_type: "refresh_token", refresh_token: other });
  expect(json.error).toBe("invalid_grant");
  expect((await fixture.api("/users/me/calendarList")).status).toBe(401);
});

test("a token without the scope of a call gets 403", async () => {
  const scopes = [eventsScope];
  const refreshToken = fixture.standIn.grant(adaCalendar, { scopes });
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  const token = (await fixture.token(form)).json.access_token;
  expect(await fixture.api("/users/me/calendarList", { token })).toMatchObject({
    status: 403,
    json: { error: { errors: [{ reason: "insufficientPermissions" }] } },
  });
});
