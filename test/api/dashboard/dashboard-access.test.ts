import { beforeAll, expect, test } from "vitest";
import { dashboardRoutes } from "../../../api/dashboard/index.ts";
import type { Route } from "../../../api/http/route.ts";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { checksum, rawCall, startApiFixture } from "../api-fixture.ts";
import { createForeignRows } from "./foreign-rows.ts";
import { loginAs } from "./people-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ PUBLIC_URL: publicUrl }));
let agent: TestAccount;
/** Another agent, whose own things calls may change. */
let colleague: TestAccount;
let foreignIds: Record<string, number>;
const publicUrl = "https://parley.example";
const session = (cookie: string) => cookie.replace("parley_session", "__Host-parley_session");

beforeAll(async () => {
  agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  colleague = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  foreignIds = await createForeignRows(fixture, session);
});

const keyed = dashboardRoutes.filter(({ access }) => access.kind !== "public");
const named = (routes: Route[]) =>
  routes.map((route) => [`${route.method} ${route.path}`, route] as const);

/** Bodies of routes that an empty one does not do for: what is refused is to be the id. */
const bodies: Record<string, object> = {
  "PATCH /calendars/google/:id": { links: [] },
  "PATCH /imports/:id": { mapping: {} },
  "PATCH /conversations/:id": { status: "active" },
  "POST /agent-drafts/:id/send": { text: "x", proposal_ids: [] },
  "PUT /messages/:id/rating": { value: "up" },
  "POST /contacts/:id/merge": { into_contact_id: 1 },
  "POST /conversations/:id/assign": { user_id: null },
  "POST /conversations/:id/bot": { enabled: true },
  "POST /conversations/:id/macros/:macroId/run": { external_id: "x" },
  "POST /conversations/:id/messages": { content: "x" },
  "POST /conversations/:id/notes": { text: "x" },
  "POST /contacts/:id/stage": { stage_id: 1 },
  "POST /conversations/:id/snooze": { until: "2030-03-05T10:00:00Z" },
  "POST /conversations/:id/stage": { stage_id: 1 },
  "POST /channel-accounts/:id/register": { pin: "123456" },
  "POST /channel-accounts/:id/test-message": { to: "5215512345678" },
  "POST /channel-apps/:id/numbers": { parent_id: "1", token: "some-token" },
  "POST /deliveries/:id/cancel": { reason: "x" },
  "POST /appointments/:id/reschedule": { start_time: "2030-03-05T10:00:00Z" },
  "POST /resources/:id/closures": {
    start_time: "2030-03-05T10:00:00Z",
    end_time: "2030-03-05T11:00:00Z",
  },
  "PATCH /pipelines/:id/cards/:contactId": { outcome: "won" },
  "POST /pipelines/:id/stages": { name: "x" },
  "POST /stages/:id/empty": { stage_id: 1 },
  "PATCH /stages/:id": { name: "x" },
  "PUT /contacts/:id/tags": { tags: [] },
  "PUT /conversations/:id/presence": { state: "viewing" },
  "PUT /pipelines/:id/stages": { stage_ids: [1] },
};

/** Parameters without which a route refuses a call before it looks for the row. */
const queries: Record<string, string> = { "GET /conversations/:id/messages/search": "?q=x" };

async function call(
  { method, path, body }: Route,
  headers: Record<string, string> = {},
  id = "999999",
): Promise<TestAnswer> {
  return await fixture.api.call(
    method,
    `/dashboard/api${path.replace(":id", id).replace(/:(macro|contact)Id/, "999999")}${queries[`${method} ${path}`] ?? ""}`,
    {
      headers,
      ...(body === undefined ? {} : { body: bodies[`${method} ${path}`] ?? {} }),
    },
  );
}

test("every route but the login and one-time links needs an admin or at least an agent", () => {
  const open = dashboardRoutes.filter(({ access }) => access.kind !== "role");
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /session",
    "POST /links/read",
    "POST /links/accept",
    "GET /links/options",
    "POST /links/forgotten-password",
  ]);
});

test.each(named(keyed))("%s without a session is 401", async (_, route) => {
  const answer = await call(route);
  expect([answer.status, answer.json.error.code]).toEqual([401, "session_required"]);
  const key = await call(route, { authorization: `Bearer ${fixture.account.apiKey}` });
  expect(key.status).toBe(401);
});

const forAdmins = keyed.filter(({ access }) => access.kind === "role" && access.role === "admin");
const forAgents = keyed.filter((route) => !forAdmins.includes(route));

test.each(named(forAdmins))("%s is refused to an agent", async (_, route) => {
  const answer = await call(route, { cookie: session(agent.cookie) });
  expect(answer.status).toBe(403);
  expect(answer.json.error).toMatchObject({ code: "forbidden_role", details: null });
});

test.each(named(forAgents))("%s is open to an agent", async (_, route) => {
  // A login of its own: the logout ends it.
  const cookie = await loginAs(fixture, colleague, colleague.accountId);
  const answer = await call(route, { cookie: session(cookie) });
  expect([200, 400, 404]).toContain(answer.status);
});

test("what changes the configuration is for admins", () => {
  const agents = forAgents.map(({ method, path }) => `${method} ${path}`);
  expect(agents.toSorted()).toEqual([
    "DELETE /canned-answers/:id",
    "DELETE /conversations/:id/snooze",
    "DELETE /conversations/:id/suggestion",
    "DELETE /inbox-views/:id",
    "DELETE /knowledge-items/:id",
    "DELETE /macros/:id",
    "DELETE /me/contact-filters",
    "DELETE /me/sessions",
    "DELETE /me/sessions/:id",
    "DELETE /messages/:id/rating",
    "DELETE /session",
    "GET /account",
    "GET /agent",
    "GET /agent-cases",
    "GET /agent-quality",
    "GET /agent-turns",
    "GET /agent-turns/:id",
    "GET /agent-usage",
    "GET /agent/versions",
    "GET /appointments",
    "GET /appointments/:id",
    "GET /appointments/:id/calendar-file",
    "GET /appointments/:id/calendly",
    "GET /appointments/:id/reschedules",
    "GET /booking-links",
    "GET /booking-links/:id",
    "GET /canned-answers",
    "GET /canned-answers/:id",
    "GET /contacts",
    "GET /contacts/:id",
    "GET /contacts/:id/files",
    "GET /contacts/:id/timeline",
    "GET /contacts/:id/visits",
    "GET /contacts/duplicates",
    "GET /conversations",
    "GET /conversations/:id",
    "GET /conversations/:id/messages",
    "GET /conversations/:id/messages/search",
    "GET /conversations/:id/next",
    "GET /conversations/:id/notes",
    "GET /conversations/:id/ratings",
    "GET /conversations/counts",
    "GET /deliveries",
    "GET /deliveries/:id",
    "GET /deliveries/:id/attempts",
    "GET /first-run",
    "GET /inbound-endpoints",
    "GET /inbound-endpoints/:id",
    "GET /inbound-endpoints/:id/requests",
    "GET /inbox-views",
    "GET /knowledge-gaps",
    "GET /knowledge-items",
    "GET /knowledge-items/:id",
    "GET /knowledge-sources",
    "GET /macros",
    "GET /macros/:id",
    "GET /me",
    "GET /me/contact-filters",
    "GET /me/notification-preferences",
    "GET /me/sessions",
    "GET /notification-groups",
    "GET /notifications",
    "GET /opening-times",
    "GET /pipelines",
    "GET /pipelines/:id",
    "GET /pipelines/:id/totals",
    "GET /replays/:id",
    "GET /reschedules/:id",
    "GET /resources",
    "GET /resources/:id",
    "GET /resources/:id/closures",
    "GET /services",
    "GET /services/:id",
    "GET /session",
    "GET /slots",
    "GET /stages/:id/cards",
    "GET /subscriptions",
    "GET /subscriptions/:id",
    "GET /subscriptions/:id/replays",
    "GET /subscriptions/:id/stats",
    "GET /subscriptions/stats",
    "GET /templates",
    "GET /users",
    "GET /voice-integrations",
    "GET /voice-integrations/:id",
    "GET /voice-integrations/:id/requests",
    "GET /widgets",
    "GET /widgets/:id",
    "PATCH /canned-answers/:id",
    "PATCH /contacts/:id",
    "PATCH /conversations/:id",
    "PATCH /inbox-views/:id",
    "PATCH /knowledge-items/:id",
    "PATCH /macros/:id",
    "PATCH /me",
    "PATCH /me/notification-preferences",
    "PATCH /pipelines/:id/cards/:contactId",
    "PATCH /session",
    "POST /agent-drafts/:id/dismiss",
    "POST /agent-drafts/:id/send",
    "POST /appointments",
    "POST /appointments/:id/cancel",
    "POST /appointments/:id/complete",
    "POST /appointments/:id/no-show",
    "POST /appointments/:id/reactivate",
    "POST /appointments/:id/reschedule",
    "POST /canned-answers",
    "POST /contacts",
    "POST /contacts/:id/merge",
    "POST /contacts/:id/stage",
    "POST /contacts/bulk",
    "POST /conversations",
    "POST /conversations/:id/assign",
    "POST /conversations/:id/bot",
    "POST /conversations/:id/macros/:macroId/run",
    "POST /conversations/:id/messages",
    "POST /conversations/:id/notes",
    "POST /conversations/:id/read",
    "POST /conversations/:id/snooze",
    "POST /conversations/:id/stage",
    "POST /conversations/:id/suggestion",
    "POST /conversations/:id/unread",
    "POST /conversations/bulk",
    "POST /deliveries/:id/cancel",
    "POST /deliveries/:id/redeliver",
    "POST /deliveries/:id/retry",
    "POST /inbox-views",
    "POST /knowledge-gaps/:id/dismiss",
    "POST /knowledge-items",
    "POST /knowledge/search",
    "POST /macros",
    "POST /me/contact-filters",
    "POST /me/password",
    "POST /messages/:id/retry",
    "POST /notification-groups/read",
    "POST /notifications/:id/read",
    "POST /notifications/read",
    "POST /sandbox/messages",
    "PUT /contacts/:id/tags",
    "PUT /conversations/:id/presence",
    "PUT /messages/:id/rating",
  ]);
});

test.each(named(keyed.filter(({ noun }) => noun !== undefined)))(
  "%s of another account is byte-equal to an unknown id, and so is no number",
  async (_, route) => {
    const headers = { cookie: session(fixture.account.cookie), "x-request-id": "same" };
    const before = await checksum(fixture);
    const unknown = await call(route, headers);
    expect([unknown.status, unknown.json.error.code]).toEqual([404, `${route.noun}_not_found`]);
    const ids = [foreignIds[String(route.noun)] ?? 1, "abc", "-1", "1e3", "%00", "9".repeat(20)];
    for (const other of ids)
      expect((await call(route, headers, String(other))).text).toBe(unknown.text);
    expect(await checksum(fixture)).toBe(before);
  },
);

const refused = { "sec-fetch-site": ["cross-site", "same-site", "CROSS-SITE", "other"] };
const origins = [
  "https://evil.example",
  "null",
  `${publicUrl}.evil.example`,
  "http://parley.example",
  `${publicUrl}:8443`,
];

test.each(named(dashboardRoutes))("%s refuses what another site sends", async (_, route) => {
  const cookie = session(fixture.account.cookie);
  const before = await checksum(fixture);
  const headers = [
    ...refused["sec-fetch-site"].map((site) => ({ "sec-fetch-site": site })),
    { "sec-fetch-site": "cross-site", origin: publicUrl },
    ...origins.map((origin) => ({ origin })),
  ];
  for (const sent of headers) {
    const answer = await call(route, { cookie, ...sent } as Record<string, string>);
    expect([sent, answer.status, answer.json.error.code]).toEqual([sent, 403, "csrf_rejected"]);
  }
  expect(await checksum(fixture)).toBe(before);
});

test.each<Record<string, string>>([
  {},
  { "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "none" },
  { "sec-fetch-site": "same-origin", origin: publicUrl },
  { origin: publicUrl },
])("a request with %j is taken", async (headers) => {
  const answer = await fixture.api.call("POST", "/dashboard/api/notifications/read", {
    cookie: session(fixture.account.cookie),
    headers,
    body: { ids: "all" },
  });
  expect(answer.status).toBe(200);
});

test.each(named(dashboardRoutes.filter(({ method }) => method !== "GET")))(
  "%s takes no form of another site: any body but JSON is 415",
  async (_, route) => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ]) {
      const path = `/dashboard/api${route.path.replace(":id", "1").replace(/:(macro|contact)Id/, "1")}`;
      const answer = await rawCall(fixture.api.url, route.method, path, {
        headers: {
          cookie: session(fixture.account.cookie),
          "content-type": type,
          "content-length": "2",
        },
        chunks: ["{}"],
      });
      expect([answer.status, answer.json.error.code]).toEqual([415, "unsupported_media_type"]);
    }
  },
);

test("an agent reads subscriptions and deliveries, never keys", async () => {
  const cookie = session(agent.cookie);
  const read = async (path: string) =>
    (await fixture.api.call("GET", `/dashboard/api/${path}`, { cookie })).status;
  expect(
    await Promise.all(["subscriptions", "deliveries", "notifications", "api-keys"].map(read)),
  ).toEqual([200, 200, 200, 403]);
});

test("every answer forbids framing, inline script and caching", async () => {
  for (const path of ["/dashboard/api/session", "/nowhere", "/docs", "/api/v1/contacts"]) {
    const { headers } = await fixture.api.call("GET", path);
    expect(headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/);
    expect(headers.get("content-security-policy")).toMatch(/script-src 'self'(;|$)/);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  }
});
