import { expect, test } from "vitest";
import {
  ana,
  createResource,
  createService,
  createTestLink,
  headingOf,
  openPage,
  pathIn,
  slotsIn,
  weekOf,
  withoutOwnScript,
} from "./booking-fixture.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));

test("a page of free times is plain HTML: no script but our own file, no cookie, nothing of another host", async () => {
  const link = await createTestLink(fixture);
  const page = await link.get();
  expect([page.status, page.headers.get("content-type")]).toEqual([
    200,
    "text/html; charset=utf-8",
  ]);
  expect(page.headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(page.headers.get("set-cookie")).toBeNull();
  expect(page.headers.get("cache-control")).toBe("no-store");
  expect(page.headers.get("referrer-policy")).toBe("same-origin");
  expect(withoutOwnScript(page.text)).not.toMatch(/<script|<style|\sstyle=|\son\w+=|https?:\/\//);
  expect(page.text).toContain("Clínica Peña");
  expect(page.text).toContain("First visit");
  const slots = slotsIn(page.text);
  expect(slots.length).toBeGreaterThan(200);
  expect(new Set(slots).size).toBe(slots.length);
  const style = await fixture.api.call("GET", "/book/page.css");
  expect([style.status, style.headers.get("content-type")]).toEqual([
    200,
    "text/css; charset=utf-8",
  ]);
});

test("no time sooner than an hour from now is offered, and none after 60 days", async () => {
  const link = await createTestLink(fixture);
  const startsOn = async (query: string) =>
    slotsIn((await link.get(query)).text).map((slot) => Number(slot.split("-")[1]) * 1000);
  const [first = 0] = await startsOn("");
  expect(first).toBeGreaterThanOrEqual(Date.now() + 59 * 60_000);
  expect(first).toBeLessThan(Date.now() + 100 * 60_000);
  const end = Date.now() + 60 * 86_400_000;
  const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);
  const last = await startsOn(`?from=${dayOf(end - 86_400_000)}`);
  expect(last.length).toBeGreaterThanOrEqual(48);
  expect(Math.max(...last)).toBeLessThan(end + 60_000);
  const beyond = dayOf(end + 86_400_000);
  for (const from of [beyond, "1999-01-01", "9999-99-99", "x", "<b>", "%00"]) {
    expect((await startsOn(`?from=${encodeURIComponent(from)}`))[0]).toBe(first);
  }
});

test("pages lead from week to week and back", async () => {
  const link = await createTestLink(fixture);
  const first = (await link.get()).text;
  expect(first).not.toContain('rel="prev"');
  const [, next = ""] = /<a href="([^"]*)" rel="next"/.exec(first) ?? [];
  const second = (await link.get(pathIn(next))).text;
  expect(second).toContain('rel="prev"');
  const overlap = slotsIn(second).filter((slot) => slotsIn(first).includes(slot));
  expect(overlap).toEqual([]);
});

test("a page without free times leads to the next day that has some, or says there are none", async () => {
  const closed = { ...weekOf([]), monday: [{ from: "09:00", to: "09:30" }] };
  const link = await createTestLink(fixture, { weeklyHours: closed });
  await fixture.query(
    "INSERT INTO resource_closures (account_id, resource_id, start_time, end_time) VALUES (?, ?, NOW(), NOW() + INTERVAL 15 DAY)",
    [link.account.accountId, link.resourceId],
  );
  const page = (await link.get()).text;
  expect(page).toContain("There are no free times in these days.");
  const [, next = ""] = /class="button" href="([^"]*)"/.exec(page) ?? [];
  expect(slotsIn((await link.get(pathIn(next))).text).length).toBe(1);
  const never = await createTestLink(fixture, { weeklyHours: weekOf([]) });
  expect((await never.get()).text).toContain("There are no free times at the moment.");
});

test("times are those of the resource's zone, which is named", async () => {
  const link = await createTestLink(fixture, {
    timeZone: "America/Tijuana",
    weeklyHours: weekOf([{ from: "09:00", to: "10:00" }]),
  });
  const page = (await link.get()).text;
  expect(page).toContain("Time zone: Pacific Time (Tijuana)");
  expect(page).toMatch(/>9:00 AM<\/a>/);
  const hours = slotsIn(page).map((slot) => {
    const start = new Date(Number(slot.split("-")[1]) * 1000);
    return start.toLocaleTimeString("en-GB", { timeZone: "America/Tijuana" }).slice(0, 5);
  });
  expect(new Set(hours)).toEqual(new Set(["09:00", "09:30"]));
});

test("pages speak the language asked for, else the browser's, else the account's", async () => {
  const link = await createTestLink(fixture);
  const heading = async (query: string, accept?: string) => {
    const headers = { "accept-language": accept ?? "" };
    const page = await link.get(query, headers);
    return [page.headers.get("content-language"), headingOf(page.text)];
  };
  const english = ["en", "Choose a time"];
  const spanish = ["es", "Elige una hora"];
  expect(await heading("", "es-MX,es;q=0.9,en;q=0.8")).toEqual(spanish);
  expect(await heading("", "en-US,en;q=0.9,es;q=0.5")).toEqual(english);
  expect(await heading("?lang=es", "en")).toEqual(spanish);
  expect(await heading("?lang=en", "es")).toEqual(english);
  expect(await heading("?lang=xx", "es")).toEqual(spanish);
  expect(await heading("", "fr")).toEqual(english);
  await fixture.query("UPDATE accounts SET locale = 'es' WHERE id = ?", [link.account.accountId]);
  expect(await heading("", "fr")).toEqual(spanish);
  expect(await heading("")).toEqual(spanish);
  expect((await link.get("?lang=es")).text).toContain(`/book/${link.slug}/new?`);
  expect((await link.get("?lang=es")).text).toMatch(/\/new\?[^"]*lang=es"/);
});

test("a link for a service offers what each of its resources has free, and each start once", async () => {
  const link = await createTestLink(fixture);
  const { accountId, cookie } = link.account;
  const second = await createResource(fixture, accountId, { resourceName: "Dr. Iván Ruiz" });
  const made = await fixture.api.call("POST", "/dashboard/api/booking-links", {
    cookie,
    body: { title: "Any doctor", service_id: link.serviceId },
  });
  const { slug } = made.json.data;
  const get = async (path: string) => (await openPage(fixture, `/book/${slug}${path}`)).text;
  const [slot = ""] = slotsIn(await get(""));
  expect(slot.split("-")[0]).toBe(String(link.resourceId));
  await link.post("/new", { ...(await link.form(slot)), ...ana });
  const slots = slotsIn(await get(""));
  expect(slots[0]).toBe(`${second}-${slot.split("-")[1]}`);
  expect(slots[1]?.split("-")[0]).toBe(String(link.resourceId));
  expect(await get(`/new?service=${link.serviceId}&slot=${slots[0]}`)).toContain("Dr. Iván Ruiz");
});

test("of several services the customer chooses one first", async () => {
  const link = await createTestLink(fixture);
  const { accountId } = link.account;
  const cleaning = await createService(fixture, accountId, "Cleaning");
  const elsewhere = await createService(fixture, accountId, "Elsewhere");
  await insertRow(fixture, "service_resources", {
    account_id: accountId,
    service_id: elsewhere,
    resource_id: await createResource(fixture, accountId),
  });
  const page = (await link.get()).text;
  expect(headingOf(page)).toBe("What would you like to book?");
  const services = [...page.matchAll(/service=(\d+)">(\w[\w ]*)</g)].map(([, id, name]) => [
    id,
    name,
  ]);
  expect(services).toEqual([
    [String(cleaning), "Cleaning"],
    [String(link.serviceId), "First visit"],
  ]);
  const times = await link.get(`?service=${cleaning}`);
  expect(times.text).toContain("Another service");
  expect(slotsIn(times.text).length).toBeGreaterThan(0);
  for (const service of [elsewhere, 999_999, "x", "-1", "1e3"]) {
    expect(headingOf((await link.get(`?service=${service}`)).text)).toBe(headingOf(page));
    expect((await link.get(`/new?service=${service}&slot=1-1`)).status).toBe(404);
  }
});

test("what was archived is no longer offered", async () => {
  const link = await createTestLink(fixture);
  await fixture.query("UPDATE services SET archived_at = NOW() WHERE id = ?", [link.serviceId]);
  expect((await link.get()).status).toBe(404);
  const second = await createTestLink(fixture);
  await fixture.query("UPDATE resources SET archived_at = NOW() WHERE id = ?", [second.resourceId]);
  expect((await second.get()).status).toBe(404);
});
