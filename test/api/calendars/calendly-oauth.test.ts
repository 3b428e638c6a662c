import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { calendlyCredentials } from "../../../core/calendars/calendly-credentials.ts";
import { calendlyScopes } from "../../../core/model/calendly-scopes.ts";
import { openCalendlyCredentials } from "../../../core/services/calendars/calendly-accounts.ts";
import { storeCredentials } from "../../../core/services/calendars/connections.ts";
import { openDatabase } from "../../../db/data-source.ts";
import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { bookVisit } from "../../../dev/stand-in/calendly-customer.ts";
import { endGrants, expireTokens } from "../../../dev/stand-in/calendly-oauth.ts";
import { createTestAccount, testSecretBox } from "../../support/accounts.ts";
import { at } from "../../support/appointments.ts";
import { useFixture } from "../../support/use-fixture.ts";
import {
  begin,
  choose,
  comeBack,
  publicUrl,
  startCalendlyServers,
  type CalendlyFixture,
} from "./calendly-fixture.ts";

const servers = useFixture(startCalendlyServers);
const world = () => servers.standIn.world;
const page = (outcome: string) => `303 /settings/calendars?calendly=${outcome}`;
const callbackUrl = `${publicUrl}/integrations/calendly/callback`;

afterEach(() => {
  world().app.granted = null;
  world().fault = null;
});

/** An admin of a new company, who has connected nothing. */
async function newAdmin() {
  const account = await createTestAccount(servers.database.dataSource);
  const cookie = `__Host-${account.cookie}`;
  const call: CalendlyFixture["call"] = async (method, path, body) => {
    const headers = { origin: publicUrl };
    return await servers.api.call(method, `/dashboard/api${path}`, { cookie, headers, body });
  };
  return {
    account,
    cookie,
    call,
    begin: async (query?: string) => await begin(call, query),
    comeBack: async (callback: string, as = cookie) => await comeBack(servers.api, as, callback),
    connections: async () => (await call("GET", "/calendars")).json.data.connections as unknown[],
  };
}

async function readRow({ connectionId }: CalendlyFixture): Promise<CalendarConnection> {
  const { manager } = servers.database.dataSource;
  return await manager.findOneByOrFail(CalendarConnection, { id: connectionId });
}

async function readGrant(fixture: CalendlyFixture) {
  const credentials = openCalendlyCredentials(testSecretBox, await readRow(fixture));
  if (!("refresh_token" in credentials)) throw new Error("It is a personal token.");
  return credentials;
}

/** Changes moments of the stored grant, as if time had passed. */
async function age(
  fixture: CalendlyFixture,
  moments: { issued_at?: string; expires_at?: string },
): Promise<void> {
  const grant = Object.assign({}, await readGrant(fixture), moments);
  const row = await readRow(fixture);
  await fixture.run((tx) => storeCredentials(tx, testSecretBox, row, grant));
}

const longAgo = new Date(Date.now() - 7_200_000).toISOString();

/** Number of requests for tokens until now. */
function renewals(): number {
  return world().requests.filter(({ path }) => path === "/oauth/token").length;
}

test("the consent screen gets the scopes, PKCE and our address", async () => {
  const admin = await newAdmin();
  const screen = await admin.begin();
  expect(screen.href).toContain(`${servers.standIn.url}/oauth/authorize?`);
  expect(Object.fromEntries(screen.searchParams)).toMatchObject({
    client_id: world().app.clientId,
    redirect_uri: callbackUrl,
    response_type: "code",
    code_challenge_method: "S256",
    scope: calendlyScopes.join(" "),
  });
  expect(screen.searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/u);
  expect(screen.searchParams.get("state")).toMatch(/^v2\./u);
  const { json } = await admin.call("GET", "/calendars");
  expect(json.data.calendly).toEqual({ configured: true, redirect_uri: callbackUrl });
});

test("a consent connects the account, sealed, and its bookings come by webhook", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  const row = await readRow(fixture);
  expect(row).toMatchObject({ state: "connected", mode: "push", email: "lucia@clinic.example" });
  expect(row.scopes).toBe(calendlyScopes.join(" "));
  const grant = await readGrant(fixture);
  expect(row.sealed).not.toContain(grant.refresh_token);
  expect(calendlyCredentials.safeParse(grant).success).toBe(true);
  const [hook] = [...world().hooks.values()];
  expect(hook?.signingKey, "the key of the app signs").toBe(world().app.signingKey);
  await bookVisit(world(), { startTime: at("16:00") });
  expect(world().posts.at(-1)?.status).toBe(200);
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
});

test("a webhook of the app that is signed with another key is refused", async () => {
  await servers.connect({ user: "OWNER" });
  const [hook] = [...world().hooks.values()];
  if (hook === undefined) throw new Error("It is subscribed.");
  hook.signingKey = "another";
  await bookVisit(world(), { startTime: at("16:00") });
  expect(world().posts.at(-1)?.status).toBe(401);
});

test("the code is exchanged with the verifier of its challenge, and a wrong one stores nothing", async () => {
  const admin = await newAdmin();
  const screen = await admin.begin();
  const other = createHash("sha256").update("another verifier").digest("base64url");
  screen.searchParams.set("code_challenge", other);
  expect(await admin.comeBack(await choose(screen))).toBe(page("failed"));
  expect(await admin.connections()).toEqual([]);
});

test("a denial leads to a page that says so, and stores nothing", async () => {
  const admin = await newAdmin();
  const callback = await choose(await admin.begin(), { decision: "deny" });
  expect(await admin.comeBack(callback)).toBe(page("denied"));
  expect(await admin.connections()).toEqual([]);
});

test("an app without a scope is named, and its grant ends", async () => {
  world().app.granted = calendlyScopes.filter((scope) => scope !== "event_types:read");
  const admin = await newAdmin();
  const before = world().grants.size;
  expect(await admin.comeBack(await choose(await admin.begin()))).toBe(page("missing_scopes"));
  expect(await admin.connections()).toEqual([]);
  expect(world().grants.size).toBe(before);
});

test("a callback counts once, for 10 minutes, in the login that began it, and for Calendly alone", async () => {
  const admin = await newAdmin();
  const stranger = await newAdmin();
  const callback = await choose(await admin.begin());
  expect(await stranger.comeBack(callback)).toBe(page("expired"));
  const google = callback.replace("/calendly/", "/google/");
  expect(await admin.comeBack(google)).toBe("303 /settings/calendars?google=expired");
  expect(await admin.comeBack(callback)).toBe(page("connected"));
  expect(await admin.comeBack(callback)).toBe(page("expired"));
  const late = await choose(await admin.begin());
  await servers.database.dataSource.query(
    "UPDATE calendar_consents SET expires_at = TIMESTAMPADD(MINUTE, -10, expires_at)",
  );
  expect(await admin.comeBack(late)).toBe(page("expired"));
  expect(await admin.connections()).toHaveLength(1);
});

test("connecting again takes the same user only, and its other grant ends", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  const query = `?connection_id=${fixture.connectionId}`;
  const other = await choose(await begin(fixture.call, query), { user: "MEMBER" });
  expect(await comeBack(servers.api, fixture.cookie, other)).toBe(page("other_account"));
  expect([...world().grants.values()].filter(({ userId }) => userId === "MEMBER")).toEqual([]);
  const same = await choose(await begin(fixture.call, query));
  expect(await comeBack(servers.api, fixture.cookie, same)).toBe(page("connected"));
  const { json } = await fixture.call("GET", "/calendars");
  expect(json.data.connections).toMatchObject([{ id: fixture.connectionId }]);
  const unknown = await fixture.call("GET", "/calendars/calendly/connect?connection_id=999999");
  expect(unknown.status).toBe(404);
});

test("a token that is about to expire is renewed before the work, and both tokens are stored", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  const before = await readGrant(fixture);
  await age(fixture, { expires_at: new Date(Date.now() + 60_000).toISOString() });
  expect(await fixture.readAll()).toMatchObject({ state: "waiting" });
  const after = await readGrant(fixture);
  expect(after.refresh_token).not.toBe(before.refresh_token);
  expect(after.access_token).not.toBe(before.access_token);
  const asked = renewals();
  await fixture.readAll();
  expect(renewals(), "a fresh token is used again").toBe(asked);
});

test("work that meets at the end of a token renews it once", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  await age(fixture, { expires_at: longAgo });
  const asked = renewals();
  const reads = await Promise.all([fixture.readAll(), fixture.readAll(), fixture.readAll()]);
  expect(reads.map(({ state }) => state)).toEqual(["waiting", "waiting", "waiting"]);
  expect(renewals()).toBe(asked + 1);
  expect(await readRow(fixture)).toMatchObject({ state: "connected", errorCode: null });
});

test("a token that Calendly ends before its time is renewed, and the work goes on", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  await age(fixture, { issued_at: longAgo });
  expireTokens(world());
  expect(await fixture.readAll()).toMatchObject({ state: "waiting", waitMs: 1_000 });
  await bookVisit(world(), { startTime: at("16:00") });
  await fixture.readAll();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
  expect(await readRow(fixture)).toMatchObject({ state: "connected", errorCode: null });
});

test("a consent that was revoked at Calendly ends the connection, and tells the admins", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  await age(fixture, { issued_at: longAgo });
  endGrants(world());
  expect(await fixture.readAll()).toEqual({ state: "over" });
  expect(await readRow(fixture)).toMatchObject({
    state: "disconnected",
    errorCode: "grant_revoked",
  });
  const rows = await servers.database.dataSource.query<unknown[]>(
    "SELECT kind FROM notifications WHERE account_id = ?",
    [fixture.account.accountId],
  );
  expect(rows).toEqual([{ kind: "calendar_disconnected" }]);
  const again = await choose(await begin(fixture.call));
  expect(await comeBack(servers.api, fixture.cookie, again)).toBe(page("connected"));
  expect(await readRow(fixture)).toMatchObject({ state: "connected", errorCode: null });
});

test("a consent that ended while its token expired ends the connection too", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  await age(fixture, { expires_at: longAgo });
  endGrants(world());
  expect(await fixture.readAll()).toEqual({ state: "over" });
  expect(await readRow(fixture)).toMatchObject({ errorCode: "grant_revoked" });
});

test("a Calendly that does not renew a token now is asked again, and nothing is lost", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  const before = await readGrant(fixture);
  await age(fixture, { expires_at: longAgo });
  world().fault = { kind: "status", status: 503, resetSeconds: 0, left: 1 };
  expect(await fixture.readAll()).toMatchObject({ state: "waiting", waitMs: 5_000 });
  expect(await readRow(fixture)).toMatchObject({
    state: "connected",
    errorCode: "token_unreachable",
  });
  expect((await readGrant(fixture)).refresh_token).toBe(before.refresh_token);
  await fixture.readAll();
  expect(await readRow(fixture)).toMatchObject({ state: "connected", errorCode: null });
});

test("a token that Calendly renews while MySQL cuts the connection is stored all the same", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  const { connectionId, account } = fixture;
  await age(fixture, { expires_at: longAgo });
  const asked = renewals();
  // It has one connection, so that the renewal holds the one that is cut.
  const own = await openDatabase({ url: servers.database.url, poolSize: 1 });
  const [held] = await own.query<{ id: number }[]>("SELECT CONNECTION_ID() AS id");
  const steps = servers.stepsAfterGrant(own, async () => {
    await servers.database.dataSource.query(`KILL ${held?.id}`);
  });
  const read = steps.readCalendly({ accountId: account.accountId, connectionId });
  await expect(read).resolves.toMatchObject({ state: "waiting" });
  await own.destroy();
  expect(renewals()).toBe(asked + 1);
  expect([...world().grants.keys()]).toContain((await readGrant(fixture)).refresh_token);
  expect(await readRow(fixture)).toMatchObject({ state: "connected", errorCode: null });
});

test("a disconnection ends the subscription and the grant at Calendly", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  const { refresh_token: refreshToken } = await readGrant(fixture);
  const path = `/calendars/${fixture.connectionId}/disconnect`;
  expect((await fixture.call("POST", path)).status).toBe(200);
  expect(world().grants.has(refreshToken)).toBe(false);
  expect([...world().hooks.values()].filter(({ url }) => url.endsWith(fixture.slug))).toEqual([]);
  expect(await readRow(fixture)).toMatchObject({ state: "disconnected", sealed: null });
});

test("a personal token may replace a consent, and a consent a token", async () => {
  const fixture = await servers.connect({ user: "OWNER" });
  const given = await fixture.call("POST", "/calendars/calendly", { token: "owner-token" });
  expect(given.json.data).toMatchObject({ id: fixture.connectionId, slug: fixture.slug });
  expect((await readRow(fixture)).scopes).toBe("");
  const callback = await choose(await begin(fixture.call));
  expect(await comeBack(servers.api, fixture.cookie, callback)).toBe(page("connected"));
  await bookVisit(world(), { startTime: at("16:00") });
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
});
