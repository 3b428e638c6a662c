import { createHash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { createCalendarsFixture } from "./calendars-fixture.ts";

const fixture = useFixture(createCalendarsFixture);

beforeEach(async () => {
  fixture.google.heal();
  fixture.google.rules({ isTesting: false });
  const { dataSource } = fixture.database;
  for (const table of ["calendar_connections", "calendar_links", "calendar_consents"]) {
    await dataSource.query(`DELETE FROM ${table}`);
  }
});

const page = (outcome: string) => `303 /settings/calendars?google=${outcome}`;

async function countConnections(): Promise<number> {
  const [row] = await fixture.database.dataSource.query<{ n: number }[]>(
    "SELECT COUNT(*) AS n FROM calendar_connections",
  );
  return Number(row?.n);
}

test("the consent screen gets what Google needs: scopes, offline access, PKCE, and our address", async () => {
  const screen = await fixture.begin();
  const { searchParams } = screen;
  expect(screen.href).toContain(fixture.google.settings["GOOGLE_AUTH_URL"]);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    client_id: fixture.google.settings["GOOGLE_CLIENT_ID"],
    redirect_uri: `${fixture.api.deps.config.publicUrl}/integrations/google/callback`,
    response_type: "code",
    access_type: "offline",
    prompt: "consent",
    code_challenge_method: "S256",
    scope:
      "openid email https://www.googleapis.com/auth/calendar.events https://www.googleapis.com/auth/calendar.calendarlist.readonly",
  });
  expect(searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/u);
  expect(searchParams.get("state")).toMatch(/^v2\./u);
});

test("a consent stores the account, sealed, and says so in the audit log", async () => {
  const id = await fixture.connect();
  const { json } = await fixture.call("GET", "/calendars");
  expect(json.data.connections).toMatchObject([
    {
      id,
      provider: "google",
      email: "ada@google.example",
      state: "connected",
      error_code: null,
      google: { links: [] },
      calendly: null,
    },
  ]);
  expect(json.data.google).toEqual({
    configured: true,
    missing: [],
    redirect_uri: `${fixture.api.deps.config.publicUrl}/integrations/google/callback`,
  });
  const [row] = await fixture.database.dataSource.query<Record<string, string>[]>(
    "SELECT external_id, sealed, scopes FROM calendar_connections",
  );
  expect(row?.["external_id"]).toBe("110169484474386276334");
  expect(row?.["sealed"]).toMatch(/^v2\./u);
  expect(row?.["scopes"]).toContain("calendar.events");
  const audit = await fixture.database.dataSource.query(
    "SELECT action, actor_type FROM audit_log WHERE account_id = ? AND target_type = 'calendar_connection'",
    [fixture.account.accountId],
  );
  expect(audit).toEqual([{ action: "calendar_connection.created", actor_type: "user" }]);
});

test("the code is exchanged with the verifier of its challenge", async () => {
  const screen = await fixture.begin();
  await fixture.comeBack(await fixture.choose(screen));
  const exchange = fixture.google.requests().findLast(({ call }) => call === "token");
  const verifier = String(exchange?.body["code_verifier"]);
  expect(createHash("sha256").update(verifier).digest("base64url")).toBe(
    screen.searchParams.get("code_challenge"),
  );
  expect(screen.href).not.toContain(verifier);
});

test.each([
  { title: "a denial", choice: { decision: "deny" as const }, outcome: "denied" },
  {
    title: "events without a tick",
    choice: { unticked: "https://www.googleapis.com/auth/calendar.events" },
    outcome: "missing_scopes",
  },
  {
    title: "the list of calendars without a tick",
    choice: { unticked: "https://www.googleapis.com/auth/calendar.calendarlist.readonly" },
    outcome: "missing_scopes",
  },
])("$title leads to a page that says so, and stores nothing", async ({ choice, outcome }) => {
  const callback = await fixture.choose(await fixture.begin(), choice);
  expect(await fixture.comeBack(callback)).toBe(page(outcome));
  expect(await countConnections()).toBe(0);
});

test("a grant without a refresh token is refused", async () => {
  const screen = await fixture.begin();
  screen.searchParams.set("access_type", "online");
  expect(await fixture.comeBack(await fixture.choose(screen))).toBe(page("no_refresh_token"));
  expect(await countConnections()).toBe(0);
});

test("a callback counts once", async () => {
  const callback = await fixture.choose(await fixture.begin());
  expect(await fixture.comeBack(callback)).toBe(page("connected"));
  expect(await fixture.comeBack(callback)).toBe(page("expired"));
  expect(await countConnections()).toBe(1);
});

test("a denied consent cannot be repeated with a code", async () => {
  const screen = await fixture.begin();
  expect(await fixture.comeBack(await fixture.choose(screen, { decision: "deny" }))).toBe(
    page("denied"),
  );
  expect(await fixture.comeBack(await fixture.choose(screen))).toBe(page("expired"));
  expect(await countConnections()).toBe(0);
});

test("a callback after 10 minutes is too late", async () => {
  const callback = await fixture.choose(await fixture.begin());
  await fixture.database.dataSource.query(
    "UPDATE calendar_consents SET expires_at = TIMESTAMPADD(MINUTE, -10, expires_at)",
  );
  expect(await fixture.comeBack(callback)).toBe(page("expired"));
  expect(await countConnections()).toBe(0);
});

test("another login cannot end a consent, nor anybody without one, nor an agent", async () => {
  const { dataSource } = fixture.database;
  const stranger = await createTestAccount(dataSource);
  const agent = await createTestAccount(dataSource, { role: "agent" });
  const callback = await fixture.choose(await fixture.begin());
  for (const cookie of [stranger.cookie, agent.cookie, "parley_session=none"]) {
    expect(await fixture.comeBack(callback, cookie)).toBe(page("expired"));
  }
  expect(await countConnections()).toBe(0);
  expect(await fixture.comeBack(callback), "the state was not used up").toBe(page("connected"));
});

test("a state that nobody has given is refused before Google is called", async () => {
  const before = fixture.google.requests().length;
  expect(await fixture.comeBack("/integrations/google/callback?code=x&state=y")).toBe(
    page("expired"),
  );
  expect(await fixture.comeBack("/integrations/google/callback")).toBe(page("expired"));
  expect(fixture.google.requests()).toHaveLength(before);
});

test("a code that Google refuses, and a Google that is away, store nothing", async () => {
  const state = async () => (await fixture.begin()).searchParams.get("state");
  const path = `/integrations/google/callback?code=wrong&state=${await state()}`;
  expect(await fixture.comeBack(path)).toBe(page("failed"));
  const callback = await fixture.choose(await fixture.begin());
  await fixture.google.down();
  expect(await fixture.comeBack(callback)).toBe(page("failed"));
  await fixture.google.up();
  expect(await countConnections()).toBe(0);
});

test("connecting again takes the same account only, and brings its links back", async () => {
  const id = await fixture.connect();
  const again = `?connection_id=${id}`;
  const screen = await fixture.begin(again);
  expect(screen.searchParams.get("login_hint")).toBe("ada@google.example");
  const other = await fixture.choose(screen, { email: "bruno@google.example" });
  expect(await fixture.comeBack(other)).toBe(page("other_account"));
  expect(await countConnections()).toBe(1);
  expect(await fixture.comeBack(await fixture.choose(await fixture.begin(again)))).toBe(
    page("connected"),
  );
  expect(await countConnections()).toBe(1);
});

test("two accounts of Google are two connections", async () => {
  const [ada, bruno] = [await fixture.connect(), await fixture.connect("bruno@google.example")];
  expect(bruno).not.toBe(ada);
  expect(await countConnections()).toBe(2);
});

test("an agent may not connect, and an installation without a client says what to set", async () => {
  const agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const path = "/dashboard/api/calendars/google/connect";
  const refused = await fixture.api.call("GET", path, { cookie: agent.cookie });
  expect([refused.status, refused.json.error.code]).toEqual([403, "forbidden_role"]);
});
