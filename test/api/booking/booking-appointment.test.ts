import { afterEach, expect, onTestFinished, test } from "vitest";
import { createBookingLimits } from "../../../api/booking/limits.ts";
import { createTestAccount } from "../../support/accounts.ts";
import { startTestApi } from "../../support/api.ts";
import { anyIp, ana, createTestLink, headingOf, openPage } from "./booking-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));

afterEach(() => {
  fixture.api.deps.bookingLimits = createBookingLimits();
});

test("an appointment is cancelled by a form alone, and once", async () => {
  const link = await createTestLink(fixture);
  const place = await link.book();
  const question = await link.get(`${place}/cancel`);
  expect(headingOf(question.text)).toBe("Cancel the appointment?");
  expect((await link.appointments())[0]?.["status"]).toBe("confirmed");
  for (const _ of [1, 2]) {
    const sent = await link.post(`${place}/cancel`, {});
    expect([sent.status, sent.headers.get("location")]).toEqual([
      303,
      `/book/${link.slug}${place}`,
    ]);
  }
  expect((await link.appointments())[0]?.["status"]).toBe("cancelled");
  const events = await link.events();
  expect(events.filter((type) => type === "appointment.cancelled")).toHaveLength(1);
  const page = await link.get(place);
  expect([page.status, headingOf(page.text)]).toEqual([200, "This appointment is cancelled"]);
  expect(page.text).not.toContain("/cancel");
  expect(page.text).toContain("Book another appointment");
});

test("the page of an appointment that is over is gone, and one that has begun cannot be changed", async () => {
  const link = await createTestLink(fixture);
  const place = await link.book();
  const set = async (start: string, end: string) =>
    await fixture.query(
      `UPDATE appointments SET start_time = NOW() + INTERVAL ${start}, end_time = NOW() + INTERVAL ${end} WHERE account_id = ?`,
      [link.account.accountId],
    );
  await set("-5 MINUTE", "5 MINUTE");
  const begun = await link.get(place);
  expect(begun.status).toBe(200);
  expect(begun.text).not.toContain("/cancel");
  expect((await link.post(`${place}/cancel`, {})).status).toBe(303);
  expect((await link.appointments())[0]?.["status"]).toBe("confirmed");
  await set("-1 HOUR", "-1 SECOND");
  for (const page of [
    await link.get(place),
    await link.get(`${place}/move`),
    await link.get(`${place}/cancel`),
    await link.post(`${place}/cancel`, {}),
    await link.post(`${place}/move`, { slot: "1-1" }),
  ]) {
    expect([page.status, headingOf(page.text)]).toEqual([404, "This page is no longer here"]);
  }
});

test("the page names the confirmation by email, where a mail server is set up and an email was typed", async () => {
  const silent = await createTestLink(fixture);
  expect((await silent.get(await silent.book())).text).not.toContain("confirmation");
  const settings = { TRUST_PROXY: "true", SMTP_URL: "smtp://127.0.0.1:9" };
  const api = await startTestApi(fixture.database, settings);
  onTestFinished(async () => await api.stop());
  const link = await createTestLink({ database: fixture.database, query: fixture.query, api });
  const place = await link.book();
  expect((await link.get(place)).text).toContain("A confirmation is on its way to your email.");
  const finish = async (state: string) =>
    await fixture.query("UPDATE mails SET state = ? WHERE account_id = ?", [
      state,
      link.account.accountId,
    ]);
  await finish("sent");
  expect((await link.get(place)).text).toContain("We sent a confirmation to your email.");
  await finish("failed");
  expect((await link.get(place)).text).not.toContain("confirmation");
  const byPhone = await link.book({ ...ana, email: "" });
  expect((await link.get(byPhone)).text).not.toContain("confirmation");
});

test("a token opens its own appointment, through its own link, and no other", async () => {
  const link = await createTestLink(fixture);
  const other = await createTestLink(fixture);
  const place = await link.book();
  const pages = [
    await other.get(place),
    await other.post(`${place}/cancel`, {}),
    await link.get("/a/00000000000000000000000000"),
    await link.get("/a/x"),
    await link.get(`${place}0`),
  ];
  for (const page of pages) {
    expect([page.status, headingOf(page.text)]).toEqual([404, "This page is no longer here"]);
  }
  expect((await link.appointments())[0]?.["status"]).toBe("confirmed");
});

test("a link that is off, deleted, unknown or of a disabled account says that there is nothing", async () => {
  const link = await createTestLink(fixture);
  const place = await link.book();
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), ...ana };
  const manage = async (method: string, body?: object) =>
    await fixture.api.call(method, `/dashboard/api/booking-links/${link.linkId}`, {
      cookie: link.account.cookie,
      body,
    });
  const closed = async () => {
    for (const page of [
      await link.get(),
      await link.get(`/new?service=${link.serviceId}&slot=${slot}`),
      await link.post("/new", form),
    ]) {
      expect([page.status, headingOf(page.text)]).toEqual([404, "There is nothing to book here"]);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    expect(await link.appointments()).toHaveLength(1);
  };
  await manage("PATCH", { enabled: false });
  await closed();
  // What was booked can still be changed.
  expect(headingOf((await link.get(place)).text)).toBe("You are booked");
  await manage("PATCH", { enabled: true });
  expect((await link.get()).status).toBe(200);
  await manage("DELETE");
  await closed();
  expect((await link.get(place)).status).toBe(200);
  await fixture.query("UPDATE accounts SET disabled_at = NOW() WHERE id = ?", [
    link.account.accountId,
  ]);
  await closed();
  expect((await link.get(place)).status).toBe(404);
  for (const slug of ["0".repeat(26), "x", "page.csss"]) {
    const page = await openPage(fixture, `/book/${slug}`);
    expect([slug, page.status, headingOf(page.text)]).toEqual([
      slug,
      404,
      "There is nothing to book here",
    ]);
  }
});

test("links of two accounts know nothing of each other", async () => {
  const [one, other] = [await createTestLink(fixture), await createTestLink(fixture)];
  await one.book();
  expect(await other.appointments()).toEqual([]);
  expect(await other.contacts()).toEqual([]);
  expect((await other.slots()).length).toBeGreaterThan((await one.slots()).length);
});

/** Limits whose clock goes on when a test says so: how fast the machine is does not count. */
function limitsAt(clock: { nowMs: number }): void {
  fixture.api.deps.bookingLimits = createBookingLimits(() => clock.nowMs);
}

test("an address that sends too many forms, or asks for too many pages, reads 429", async () => {
  const link = await createTestLink(fixture);
  const clock = { nowMs: 0 };
  limitsAt(clock);
  const headers = { "x-forwarded-for": anyIp() };
  const form = { service: String(link.serviceId) };
  for (let index = 0; index < 20; index += 1) {
    expect((await link.post("/new", form, headers)).status).toBe(400);
  }
  const refused = await link.post("/new", form, headers);
  expect([refused.status, headingOf(refused.text)]).toEqual([429, "Too many requests"]);
  expect(refused.headers.get("retry-after")).toBe("6");
  expect((await link.get("", headers)).status).toBe(200);
  expect((await link.post("/new", form)).status).toBe(400);
  clock.nowMs += 6_000;
  expect((await link.post("/new", form, headers)).status).toBe(400);

  const scanner = { "x-forwarded-for": anyIp() };
  for (let index = 0; index < 120; index += 1) {
    expect((await openPage(fixture, "/book/x", scanner)).status).toBe(404);
  }
  expect((await openPage(fixture, "/book/x", scanner)).status).toBe(429);
  expect((await link.get("", scanner)).status).toBe(429);
});

test("a link takes at most 60 forms at once, wherever they come from", async () => {
  const link = await createTestLink(fixture);
  limitsAt({ nowMs: 0 });
  // Counted before it is read.
  const send = async () => (await link.post("/new", {}, { "content-type": "text/plain" })).status;
  for (let index = 0; index < 60; index += 1) expect(await send()).toBe(415);
  expect(await send()).toBe(429);
  expect((await link.get()).status).toBe(200);
});

test("an account sees its own links alone", async () => {
  const link = await createTestLink(fixture);
  const stranger = await createTestAccount(fixture.database.dataSource);
  const list = await fixture.api.call("GET", "/dashboard/api/booking-links", {
    cookie: stranger.cookie,
  });
  expect(list.json).toMatchObject({ data: [], meta: { total: 0 } });
  expect(link.slug).toMatch(/^[0-9A-Za-z]{26}$/);
});
