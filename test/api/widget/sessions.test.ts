import { expect, test } from "vitest";
import { createWidgetLimits } from "../../../api/widget/limits.ts";
import { weekOf } from "../booking/booking-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { createTestWidget, openVisit, postSession, solveProof } from "./widget-fixture.ts";
import { findWidgetByKey, readWidgetConfig } from "../../../core/services/widgets/find-widget.ts";
import { presenceOf } from "../../../core/services/widgets/present-session.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));
const httpsFixture = useFixture(
  async () =>
    await startApiFixture({
      TRUST_PROXY: "true",
      PUBLIC_URL: "https://app.example.com",
      WIDGET_URL: "https://chat.example.com",
    }),
);

const hour = 3_600_000;
const move = async (widgetId: number, column: string, ms: number) =>
  await fixture.query(
    `UPDATE widget_sessions SET ${column} = ${column} + INTERVAL ? SECOND WHERE widget_id = ?`,
    [ms / 1_000, widgetId],
  );

test("a first visit makes a session and nothing else", async () => {
  const widget = await createTestWidget(fixture);
  const tables = ["contacts", "contact_identities", "conversations", "events", "changes"];
  const before = await fixture.count(...tables);
  const page = { url: "https://shop.example/pricing", title: "Pricing", referrer: "" };
  const { begun, visitorId } = await openVisit(fixture, widget, { locale: "es", page });
  expect(begun.status).toBe(201);
  expect(begun.json.data).toMatchObject({
    conversation: null,
    unread: 0,
    online: true,
    back_at: null,
    visitor: { name: null, verified: false, has_email: false, has_phone: false },
  });
  expect(visitorId).toMatch(/^v_[0-9A-Za-z]{22}$/u);
  expect(new Date(begun.json.data.expires_at).getTime()).toBeGreaterThan(Date.now() + 23 * hour);
  expect(await fixture.count(...tables)).toEqual(before);
  const [row] = await fixture.query("SELECT * FROM widget_sessions WHERE widget_id = ?", [
    widget.widgetId,
  ]);
  expect(row).toMatchObject({ contact_id: null, locale: "es", page });
  const { token, resume } = begun.json.data;
  expect(JSON.stringify(row)).not.toContain(token);
  expect(JSON.stringify(row)).not.toContain(resume);
});

test("a resume secret continues the same session, and keeps its token while it is young", async () => {
  const widget = await createTestWidget(fixture);
  const first = await openVisit(fixture, widget);
  const both = await Promise.all([
    openVisit(fixture, widget, { resume: first.resume }),
    openVisit(fixture, widget, { resume: first.resume }),
  ]);
  for (const one of both) {
    expect(one.visitorId).toBe(first.visitorId);
    expect(one.token).toBe(first.token);
    expect(one.resume).toBe(first.resume);
  }
  await move(widget.widgetId, "expires_at", -13 * hour);
  const renewed = await openVisit(fixture, widget, { resume: first.resume });
  expect(renewed.visitorId).toBe(first.visitorId);
  expect(renewed.token).not.toBe(first.token);
  expect((await first.call("GET", "/messages")).json.error.code).toBe("session_expired");
  expect((await renewed.call("GET", "/messages")).status).toBe(200);
});

test("a resume secret is renewed after 30 days; the one before counts for a minute", async () => {
  const widget = await createTestWidget(fixture);
  const first = await openVisit(fixture, widget);
  await move(widget.widgetId, "resume_expires_at", -31 * 24 * hour);
  const second = await openVisit(fixture, widget, { resume: first.resume });
  expect(second.visitorId).toBe(first.visitorId);
  expect(second.resume).not.toBe(first.resume);
  const other = await openVisit(fixture, widget, { resume: first.resume });
  expect(other.visitorId).toBe(first.visitorId);
  await move(widget.widgetId, "previous_until", -60_000);
  const replayed = await openVisit(fixture, widget, { resume: first.resume });
  expect(replayed.visitorId).not.toBe(first.visitorId);
  expect(replayed.begun.json.data.conversation).toBeNull();
  expect((await openVisit(fixture, widget, { resume: second.resume })).visitorId).toBe(
    first.visitorId,
  );
});

test("a resume secret ends after 90 days, and names nobody at another widget", async () => {
  const widget = await createTestWidget(fixture);
  const other = await createTestWidget(fixture);
  const first = await openVisit(fixture, widget);
  const elsewhere = await openVisit(fixture, other, { resume: first.resume });
  expect(elsewhere.visitorId).not.toBe(first.visitorId);
  await move(widget.widgetId, "resume_expires_at", -91 * 24 * hour);
  const late = await openVisit(fixture, widget, { resume: first.resume });
  expect(late.visitorId).not.toBe(first.visitorId);
});

test("a widget that remembers nobody gives no resume secret", async () => {
  const widget = await createTestWidget(fixture, { settings: { remembers: false } });
  const { begun } = await openVisit(fixture, widget);
  expect(begun.json.data.resume).toBeNull();
  expect(begun.headers.get("set-cookie")).toBeNull();
});

test("over https the secret is a partitioned cookie of the host, which POST /sessions alone reads", async () => {
  const widget = await createTestWidget(httpsFixture);
  const first = await openVisit(httpsFixture, widget);
  const cookie = first.begun.headers.get("set-cookie") ?? "";
  expect(cookie).toBe(
    `__Host-parley_visit_${widget.key}=${first.resume}; Path=/; HttpOnly; Max-Age=7776000; Secure; SameSite=None; Partitioned`,
  );
  const [pair = ""] = cookie.split(";");
  const again = await postSession(httpsFixture, { key: widget.key }, { cookie: pair });
  expect(again.json.data).toMatchObject({ resume: null, visitor: { id: first.visitorId } });
  const bare = await httpsFixture.api.call("GET", "/widget/api/messages", { cookie: pair });
  expect(bare.json.error.code).toBe("session_expired");
});

test("the origin of the panel alone calls, also not that of the Dashboard", async () => {
  const { key } = await createTestWidget(httpsFixture);
  const begin = async (origin: string) =>
    (await postSession(httpsFixture, { key }, { origin })).status;
  expect(await begin("https://chat.example.com")).toBe(201);
  expect(await begin("https://app.example.com")).toBe(403);
});

test("another origin, an unlisted site, and an unknown or deleted widget begin nothing", async () => {
  const widget = await createTestWidget(fixture, { allowedOrigins: ["https://*.shop.example"] });
  const { key } = widget;
  const foreign = await postSession(fixture, { key }, { origin: "https://evil.example" });
  expect([foreign.status, foreign.json.error.code]).toEqual([403, "origin_not_allowed"]);
  const unlisted = await postSession(fixture, { key, page: { url: "https://evil.example/" } });
  expect([unlisted.status, unlisted.json.error.code]).toEqual([403, "origin_not_allowed"]);
  expect(
    (await postSession(fixture, { key, page: { url: "https://a.shop.example/" } })).status,
  ).toBe(201);
  const unknown = await postSession(fixture, { key: "0".repeat(26) });
  expect([unknown.status, unknown.json.error.code]).toEqual([404, "widget_not_found"]);
  await fixture.query("UPDATE widgets SET deleted_at = NOW(3) WHERE id = ?", [widget.widgetId]);
  expect((await postSession(fixture, { key })).status).toBe(404);
});

test("where consent is required, nothing is stored before the visitor agrees", async () => {
  const widget = await createTestWidget(fixture, { settings: { consent: "required" } });
  const refused = await postSession(fixture, { key: widget.key });
  expect([refused.status, refused.json.error.details[0].path]).toEqual([400, "body.consent"]);
  const sql = "SELECT id FROM widget_sessions WHERE widget_id = ?";
  expect(await fixture.query(sql, [widget.widgetId])).toEqual([]);
  const agreed = await openVisit(fixture, widget, { consent: true });
  expect(agreed.begun.status).toBe(201);
  expect((await openVisit(fixture, widget, { resume: agreed.resume })).visitorId).toBe(
    agreed.visitorId,
  );
});

test("above 8 sessions an address brings a proof of work, once each, and above 10 it waits", async () => {
  const widget = await createTestWidget(fixture);
  const sender = { "x-forwarded-for": "192.0.2.77" };
  fixture.api.deps.widgetLimits = createWidgetLimits(() => 0);
  const begin = async (more: Record<string, unknown> = {}) =>
    await postSession(fixture, Object.assign({ key: widget.key }, more), sender);
  for (let count = 0; count < 8; count += 1) expect((await begin()).status).toBe(201);
  const asked = await begin();
  expect([asked.status, asked.json.error.code]).toEqual([428, "proof_required"]);
  const forged = solveProof(Object.assign({}, asked.json.error.details, { maxnumber: 1 }));
  expect((await begin({ proof: forged })).status).toBe(428);
  expect((await begin({ proof: "nonsense" })).status).toBe(428);
  const proof = solveProof(asked.json.error.details);
  expect((await begin({ proof })).status).toBe(201);
  const repeated = await begin({ proof });
  expect(repeated.status).toBe(428);
  const next = solveProof(repeated.json.error.details);
  expect((await begin({ proof: next })).status).toBe(201);
  const last = await begin({ proof: solveProof((await begin()).json.error.details) });
  expect(last.status).toBe(429);
  expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("people are online by the opening hours, in the time zone of the account", () => {
  const nineToFive = weekOf([{ from: "09:00", to: "17:00" }]);
  const of = (hours: typeof nineToFive | null, now: string) =>
    presenceOf({ settings: { hours } as never, timeZone: "America/Mexico_City" }, new Date(now));
  expect(of(null, "2026-03-02T05:00:00Z")).toEqual({ online: true, back_at: null });
  expect(of(nineToFive, "2026-03-02T15:00:00Z")).toEqual({ online: true, back_at: null });
  expect(of(nineToFive, "2026-03-02T23:00:00Z")).toEqual({
    online: false,
    back_at: "2026-03-03T15:00:00.000Z",
  });
  expect(of(weekOf([]), "2026-03-02T23:00:00Z")).toEqual({ online: false, back_at: null });
});

test("the configuration of a widget names no id of the account", async () => {
  const { key } = await createTestWidget(fixture);
  const widget = await findWidgetByKey(fixture.database.dataSource.manager, key);
  const config = widget && readWidgetConfig(widget, "https://chat.example.com");
  expect(config).toMatchObject({ key, origin: "https://chat.example.com", identity_mode: "off" });
  expect(Object.keys(config ?? {}).toSorted()).toEqual([
    "company",
    "identity_mode",
    "key",
    "origin",
    "settings",
  ]);
});
