import { expect, test } from "vitest";
import { bookVisit } from "../../../dev/stand-in/calendly-customer.ts";
import { calendlyScopes } from "../../../dev/stand-in/calendly-world.ts";
import { at, createTestAgenda, createTestResource } from "../../support/appointments.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { publicUrl, startCalendlyServers, userUri } from "./calendly-fixture.ts";

const servers = useFixture(startCalendlyServers);
const world = () => servers.standIn.world;

interface ConnectionRow {
  mode: string;
  mode_reason: string | null;
  state: string;
  error_code: string | null;
}

async function readConnection(id: number): Promise<ConnectionRow | undefined> {
  const [row] = await servers.database.dataSource.query<ConnectionRow[]>(
    "SELECT mode, mode_reason, state, error_code FROM calendar_connections WHERE id = ?",
    [id],
  );
  return row;
}

test("an owner's token brings the organization, with a signing key of ours", async () => {
  const fixture = await servers.connect({ map: false });
  const [hook] = [...world().hooks.values()];
  const url = `${publicUrl}/api/webhooks/calendly/${fixture.slug}`;
  expect(hook).toMatchObject({ url, scope: "organization", state: "active" });
  expect(hook?.signingKey.length).toBeGreaterThan(40);
  expect(fixture.slug).toMatch(/^[0-9A-Za-z]{26}$/u);
  expect(await readConnection(fixture.connectionId)).toMatchObject({ mode: "push" });
  const rows = await servers.database.dataSource.query<{ text: string }[]>(
    "SELECT CONCAT_WS(' ', sealed, slug, email) AS text FROM calendar_connections",
  );
  expect(JSON.stringify(rows)).not.toContain("owner-token");
});

test("a member's token brings the member's bookings alone", async () => {
  await servers.connect({ token: "member-token", map: false });
  const [hook] = [...world().hooks.values()].slice(-1);
  expect(hook).toMatchObject({ scope: "user", userId: "MEMBER" });
});

test.each(calendlyScopes.map((scope) => [scope]))(
  "a token without %s is refused, and the scope is named",
  async (scope) => {
    const scopes = calendlyScopes.filter((one) => one !== scope);
    world().tokens.set("narrow", { userId: "OWNER", scopes });
    const agenda = await createTestAgenda(servers.database.dataSource);
    const answer = await servers.api.call("POST", "/dashboard/api/calendars/calendly", {
      cookie: `__Host-${agenda.account.cookie}`,
      headers: { origin: publicUrl },
      body: { token: "narrow" },
    });
    expect(answer.status).toBe(422);
    const { code, details, message } = answer.json.error;
    expect([code, details.reason]).toEqual(["calendly_refused", "missing_scopes"]);
    expect(details.missing_scopes).toContain(scope);
    expect(message).toContain(scope);
  },
);

test("a token's own list of scopes is believed, where it has one", async () => {
  const claims = Buffer.from(JSON.stringify({ scope: "users:read webhooks:write" }));
  const token = `e30.${claims.toString("base64url")}.x`;
  world().tokens.set(token, { userId: "OWNER", scopes: null });
  const agenda = await createTestAgenda(servers.database.dataSource);
  const answer = await servers.api.call("POST", "/dashboard/api/calendars/calendly", {
    cookie: `__Host-${agenda.account.cookie}`,
    headers: { origin: publicUrl },
    body: { token },
  });
  expect(answer.json.error.details.missing_scopes).toEqual([
    "organizations:read",
    "event_types:read",
    "scheduled_events:write",
  ]);
});

test("an unknown token, and a Calendly in trouble, are told apart", async () => {
  const fixture = await servers.connect({ map: false });
  const unknown = await fixture.call("POST", "/calendars/calendly", { token: "unknown" });
  expect(unknown.json.error.details.reason).toBe("token_invalid");
  world().fault = { kind: "status", status: 503, resetSeconds: 0, left: 1 };
  const away = await fixture.call("POST", "/calendars/calendly", { token: "owner-token" });
  expect([away.status, away.json.error.details.reason]).toEqual([422, "unreachable"]);
});

test("connecting again keeps the id, the slug and the mapping, and replaces the subscription", async () => {
  const fixture = await servers.connect();
  const [before] = [...world().hooks.values()].slice(-1);
  // An older subscription of ours that nobody knows: Calendly answers 409.
  await servers.database.dataSource.query("UPDATE calendly_accounts SET subscription_id = NULL");
  world().tokens.set("other-token", { userId: "OWNER", scopes: null });
  const again = await fixture.call("POST", "/calendars/calendly", { token: "other-token" });
  expect(again.json.data).toMatchObject({ id: fixture.connectionId, slug: fixture.slug });
  const own = [...world().hooks.values()].filter(({ url }) => url.endsWith(fixture.slug));
  expect(own).toHaveLength(1);
  expect(own[0]?.signingKey).not.toBe(before?.signingKey);
  await bookVisit(world(), { startTime: at("16:00") });
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
});

test("a plan without webhooks is polled every 5 minutes, and says so", async () => {
  world().allowsHooks = false;
  const fixture = await servers.connect();
  expect(await readConnection(fixture.connectionId)).toMatchObject({
    mode: "polling",
    mode_reason: "forbidden",
  });
  await bookVisit(world(), { startTime: at("16:00") });
  expect(await fixture.readAll()).toMatchObject({ state: "waiting", waitMs: 300_000 });
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
  world().allowsHooks = true;
  expect(await fixture.readAll()).toMatchObject({ waitMs: 3_600_000 });
  expect(await readConnection(fixture.connectionId)).toMatchObject({ mode: "push" });
  await servers.database.dataSource.query("DELETE FROM calendly_accounts");
});

test("a disabled subscription is replaced, and nothing of that time is lost", async () => {
  const fixture = await servers.connect();
  for (const hook of world().hooks.values()) hook.state = "disabled";
  await bookVisit(world(), { startTime: at("17:00") });
  expect(await fixture.work()).toEqual([]);
  await fixture.readAll();
  expect(await fixture.appointments()).toContain("confirmed 17:00");
  const own = [...world().hooks.values()].filter(({ url }) => url.endsWith(fixture.slug));
  expect(own.map(({ state }) => state)).toEqual(["active"]);
});

test("a read asks for the invitees of changed events alone, and obeys the quota", async () => {
  // A token whose quota is used up pauses for this whole file.
  const fixture = await servers.connect({ token: "legacy-token" });
  await bookVisit(world(), { startTime: at("16:00") });
  await fixture.readAll();
  const asked = () => world().requests.filter(({ path }) => path.endsWith("/invitees")).length;
  const before = asked();
  await fixture.readAll();
  expect(asked()).toBe(before);
  world().fault = { kind: "quota", status: 429, resetSeconds: 30, left: 1 };
  expect(await fixture.readAll()).toMatchObject({ state: "waiting", waitMs: 30_000 });
  expect(await readConnection(fixture.connectionId)).toMatchObject({ error_code: "quota" });
});

test("a token that is no longer valid ends the connection, and tells the admins", async () => {
  const fixture = await servers.connect({ token: "member-token", map: false });
  world().tokens.delete("member-token");
  expect(await fixture.readAll()).toEqual({ state: "over" });
  expect(await readConnection(fixture.connectionId)).toMatchObject({
    state: "disconnected",
    error_code: "token_invalid",
  });
  const [account] = await servers.database.dataSource.query<{ next_read_at: Date | null }[]>(
    "SELECT next_read_at FROM calendly_accounts WHERE connection_id = ?",
    [fixture.connectionId],
  );
  expect(account?.next_read_at).toBe(null);
});

test("bookings without an agenda wait, are listed, and come with the mapping", async () => {
  const fixture = await servers.connect({ map: false });
  await bookVisit(world(), { startTime: at("16:00") });
  await fixture.work();
  expect(await fixture.appointments()).toEqual([]);
  const path = `/calendars/calendly/${fixture.connectionId}`;
  const listed = await fixture.call("GET", `${path}/unmapped`);
  expect(listed.json.data).toMatchObject([
    {
      start_time: at("16:00").toISOString(),
      end_time: at("16:30").toISOString(),
      invitee_name: "Ana Torres",
      invitee_email: "ana@example.com",
      event_type_name: "Consulta",
      hosts: [{ uri: userUri("OWNER"), name: "Lucía Peña" }],
    },
  ]);
  const users = [{ uri: userUri("OWNER"), resource_id: fixture.resourceId }];
  expect((await fixture.call("GET", path)).json.data).toMatchObject({ unmapped_bookings: 1 });
  const mapped = await fixture.call("PATCH", path, { users });
  expect(mapped.status).toBe(200);
  expect(mapped.json.data).toMatchObject({
    scope: "organization",
    state: "connected",
    mode: "push",
    users: [
      { uri: userUri("OWNER"), name: "Lucía Peña", resource_id: fixture.resourceId },
      { uri: userUri("MEMBER"), resource_id: null },
    ],
    event_types: [{ name: "Clase" }, { name: "Consulta", service_id: null }, { name: "Revisión" }],
    unmapped_bookings: 0,
  });
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
  expect((await fixture.call("GET", `${path}/unmapped`)).json.data).toEqual([]);
});

test("bookings of the past, and those of hosts without an agenda, hold no others up", async () => {
  const fixture = await servers.connect({ map: false });
  const { connectionId } = fixture;
  const { dataSource } = servers.database;
  await bookVisit(world(), { startTime: at("17:00"), hostIds: ["MEMBER"] });
  await fixture.work();
  // 1,000 further bookings of the host without an agenda.
  await dataSource.query(
    `INSERT INTO calendly_invitees (account_id, connection_id, external_id, event_id, state,
            booking, start_time, changed_at)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
     SELECT account_id, connection_id, CONCAT(external_id, i), event_id, state,
            JSON_SET(booking, '$.inviteeId', CONCAT(external_id, i)), start_time, changed_at
       FROM calendly_invitees JOIN n WHERE connection_id = ?`,
    [connectionId],
  );
  const past = await bookVisit(world(), { startTime: at("16:00") });
  await bookVisit(world(), { startTime: at("18:00") });
  await fixture.work();
  await dataSource.query(
    `UPDATE calendly_invitees SET start_time = TIMESTAMPADD(DAY, -1, UTC_TIMESTAMP(3))
      WHERE external_id = ?`,
    [past.id],
  );
  const path = `/calendars/calendly/${connectionId}`;
  const users = [{ uri: userUri("OWNER"), resource_id: fixture.resourceId }];
  const mapped = await fixture.call("PATCH", path, { users });
  expect(mapped.json.data).toMatchObject({ unmapped_bookings: 1_001 });
  expect(await fixture.appointments()).toEqual(["confirmed 18:00"]);
});

test("ids of another account, and unknown entries, are refused", async () => {
  const fixture = await servers.connect();
  const stranger = await servers.connect();
  const path = `/calendars/calendly/${fixture.connectionId}`;
  const users = [{ uri: userUri("OWNER"), resource_id: stranger.resourceId }];
  expect((await stranger.call("PATCH", path, { users })).status).toBe(404);
  expect((await stranger.call("GET", `${path}/unmapped`)).status).toBe(404);
  expect((await stranger.call("GET", path)).status).toBe(404);
  const foreign = await fixture.call("PATCH", path, { users });
  expect(foreign.json.error.details[0].code).toBe("unknown_resource");
  const nobody = [{ uri: userUri("NOBODY"), resource_id: fixture.resourceId }];
  const unknown = await fixture.call("PATCH", path, { users: nobody });
  expect(unknown.json.error.details[0].code).toBe("unknown_user");
  const other = await createTestResource(servers.database.dataSource, fixture.account.accountId);
  const types = [{ uri: "https://api.calendly.com/event_types/VISIT", service_id: other + 10_000 }];
  const service = await fixture.call("PATCH", path, { event_types: types });
  expect(service.json.error.details[0].code).toBe("unknown_service");
});

test("the list of calendar accounts has the mapping of Calendly", async () => {
  const fixture = await servers.connect();
  const own = await fixture.call("GET", `/calendars/calendly/${fixture.connectionId}`);
  const { slug, webhook_url, scope, users, event_types, unmapped_bookings } = own.json.data;
  const { json } = await fixture.call("GET", "/calendars");
  expect(json.data.connections).toMatchObject([
    {
      id: fixture.connectionId,
      provider: "calendly",
      state: "connected",
      google: null,
      calendly: { slug, webhook_url, scope, users, event_types, unmapped_bookings },
    },
  ]);
});

test("a disconnect ends the webhooks at Calendly, and a later token brings the account back", async () => {
  const fixture = await servers.connect();
  const hooks = () => [...world().hooks.values()].filter(({ url }) => url.endsWith(fixture.slug));
  expect(hooks()).toHaveLength(1);
  const path = `/calendars/${fixture.connectionId}/disconnect`;
  expect((await fixture.call("POST", path)).status).toBe(200);
  expect(hooks()).toEqual([]);
  const { json } = await fixture.call("GET", "/calendars");
  expect(json.data.connections).toMatchObject([{ state: "disconnected", error_code: null }]);
  const again = await fixture.call("POST", "/calendars/calendly", { token: "owner-token" });
  expect(again.json.data).toMatchObject({ id: fixture.connectionId, slug: fixture.slug });
  expect(hooks()).toHaveLength(1);
});

test("a read that meets a newer connect leaves the subscription to it", async () => {
  const fixture = await servers.connect();
  const { account, connectionId } = fixture;
  const hooks = () => [...world().hooks.values()].filter(({ url }) => url.endsWith(fixture.slug));
  const connectAgain = async () =>
    await fixture.call("POST", "/calendars/calendly", { token: "owner-token" });
  const steps = servers.stepsAfter(/webhook_subscriptions/u, connectAgain);
  const read = await steps.readCalendly({ accountId: account.accountId, connectionId });
  expect(read).toMatchObject({ state: "waiting", changed: 0 });
  expect(hooks(), "the one of the older signing key is gone").toEqual([]);
  await fixture.readAll();
  expect(hooks()).toHaveLength(1);
  await bookVisit(world(), { startTime: at("16:00") });
  expect(world().posts.at(-1)?.status).toBe(200);
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
});

test("a read that meets a disconnect stores no subscription", async () => {
  const fixture = await servers.connect();
  const { account, connectionId } = fixture;
  const path = `/calendars/${connectionId}/disconnect`;
  const steps = servers.stepsAfter(/webhook_subscriptions/u, async () => {
    await fixture.call("POST", path);
  });
  await steps.readCalendly({ accountId: account.accountId, connectionId });
  expect([...world().hooks.values()].filter(({ url }) => url.endsWith(fixture.slug))).toEqual([]);
  const rows = await servers.database.dataSource.query<unknown[]>(
    "SELECT subscription_id FROM calendly_accounts WHERE connection_id = ?",
    [connectionId],
  );
  expect(rows).toEqual([{ subscription_id: null }]);
});
