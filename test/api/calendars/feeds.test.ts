import { expect, test } from "vitest";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTestLink, type TestLink } from "../booking/booking-fixture.ts";

const fixture = useFixture(startApiFixture);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function make(link: TestLink, body: object = {}) {
  const { cookie } = link.account;
  const path = `/dashboard/api/resources/${link.resourceId}/feeds`;
  return await fixture.api.call("POST", path, { cookie, body });
}

/** Reads a feed as a program would, which has no login. */
async function read(url: string, headers: Record<string, string> = {}) {
  return await fixture.api.call("GET", new URL(url).pathname, { headers });
}

const linesOf = (text: string, name: string) =>
  text
    .replaceAll("\r\n ", "")
    .split("\r\n")
    .filter((line) => line.startsWith(`${name}:`));

test("the address of a feed is shown this once, and the database keeps its hash", async () => {
  const link = await createTestLink(fixture);
  const made = await make(link);
  expect(made.status).toBe(201);
  const { url, ...view } = made.json.data;
  expect(view).toStrictEqual({
    id: expect.any(Number),
    resource_id: link.resourceId,
    times_only: false,
    revoked_at: null,
    created_at: timestamp,
  });
  const [, token = ""] = /\/feeds\/([0-9A-Za-z]{26})\.ics$/.exec(url) ?? [];
  const [row] = await fixture.query(
    "SELECT token_hash = UNHEX(SHA2(?, 256)) AS hashed FROM calendar_feeds WHERE id = ?",
    [token, view.id],
  );
  expect(row).toEqual({ hashed: 1 });
  const path = `/dashboard/api/resources/${link.resourceId}/feeds`;
  const list = await fixture.api.call("GET", path, { cookie: link.account.cookie });
  expect(list.json.data).toStrictEqual([view]);
  expect(JSON.stringify(await fixture.query("SELECT * FROM audit_log"))).not.toContain(token);
});

test("a feed has the appointments of its resource in UTC, without a time zone of its own", async () => {
  const link = await createTestLink(fixture);
  await link.book();
  const { url } = (await make(link)).json.data;
  const feed = await read(url);
  expect(feed.status).toBe(200);
  expect(feed.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  expect(feed.headers.get("cache-control")).toBe("private, no-cache");
  const [row] = await link.appointments();
  const [stored] = await fixture.query("SELECT id, title, version FROM appointments WHERE id = ?", [
    row?.["id"],
  ]);
  const { id, title, version } = stored as { id: number; title: string; version: number };
  expect(linesOf(feed.text, "UID")).toEqual([`UID:appointment-${id}@${hostOf(url)}`]);
  expect(linesOf(feed.text, "SEQUENCE")).toEqual([`SEQUENCE:${version}`]);
  expect(linesOf(feed.text, "SUMMARY")).toEqual([`SUMMARY:${title}`]);
  expect(linesOf(feed.text, "METHOD")).toEqual(["METHOD:PUBLISH"]);
  expect(linesOf(feed.text, "DTSTART")[0]).toMatch(/^DTSTART:\d{8}T\d{6}Z$/);
  expect(feed.text).not.toContain("VTIMEZONE");
});

function hostOf(url: string): string {
  return new URL(url).hostname;
}

test("a program that has the feed gets 304 until an appointment changes", async () => {
  const link = await createTestLink(fixture);
  await link.book();
  const { url } = (await make(link)).json.data;
  const etag = (await read(url)).headers.get("etag") ?? "";
  const again = await read(url, { "if-none-match": `"other", W/${etag}` });
  expect([again.status, again.text]).toEqual([304, ""]);
  await link.book({ name: "Eva", phone: "+52 1 55 8765 4321", email: "" });
  expect((await read(url, { "if-none-match": etag })).status).toBe(200);
});

test("a feed of times only names neither customer nor service", async () => {
  const link = await createTestLink(fixture, { resourceName: "Consultorio 2" });
  await link.book();
  const { url } = (await make(link, { times_only: true })).json.data;
  const { text } = await read(url);
  expect(linesOf(text, "SUMMARY")).toEqual(["SUMMARY:Busy"]);
  expect(text).not.toMatch(/Ana|LOCATION|DESCRIPTION|First visit/);
});

test("a cancelled appointment stays for 30 days as cancelled", async () => {
  const link = await createTestLink(fixture);
  await link.book();
  const { url } = (await make(link)).json.data;
  const [row] = await link.appointments();
  const cancel = async (daysAgo: number) =>
    await fixture.query(
      `UPDATE appointments SET status = 'cancelled', version = version + 1,
         cancelled_at = UTC_TIMESTAMP(3) - INTERVAL ? DAY WHERE id = ?`,
      [daysAgo, row?.["id"]],
    );
  await cancel(29);
  expect(linesOf((await read(url)).text, "STATUS")).toEqual(["STATUS:CANCELLED"]);
  await cancel(31);
  expect(linesOf((await read(url)).text, "UID")).toEqual([]);
});

test("a replacement keeps the UID, with a sequence above the one before", async () => {
  const link = await createTestLink(fixture);
  await link.book();
  const { url } = (await make(link)).json.data;
  const before = (await read(url)).text;
  const [row] = await link.appointments();
  await fixture.query("UPDATE appointments SET status = 'rescheduled', version = 4 WHERE id = ?", [
    row?.["id"],
  ]);
  await fixture.query(
    `INSERT INTO appointments (account_id, resource_id, contact_id, status, title, start_time,
       end_time, blocked_from, blocked_until, customer_name, replaces_appointment_id)
     SELECT account_id, resource_id, contact_id, 'confirmed', title, start_time + INTERVAL 1 DAY,
       end_time + INTERVAL 1 DAY, blocked_from, blocked_until, customer_name, id
       FROM appointments WHERE id = ?`,
    [row?.["id"]],
  );
  const { text } = await read(url);
  expect(linesOf(text, "UID")).toEqual(linesOf(before, "UID"));
  expect(linesOf(text, "SEQUENCE")).toEqual(["SEQUENCE:5"]);
  expect(linesOf(text, "DTSTART")).not.toEqual(linesOf(before, "DTSTART"));
});

test("an appointment that began as an event of Google keeps the UID of that event", async () => {
  const link = await createTestLink(fixture);
  await link.book();
  const { url } = (await make(link)).json.data;
  const [row] = await link.appointments();
  const place = [link.account.accountId, row?.["id"]];
  await fixture.query(
    `INSERT INTO calendar_events SET account_id = ?, appointment_id = ?, link_id = 1,
       origin = 'google', event_id = 'base1_20301201T160000Z', ical_uid = 'base1@google.com'`,
    place,
  );
  const { text } = await read(url);
  expect(linesOf(text, "UID")).toEqual(["UID:base1@google.com"]);
  expect(linesOf(text, "RECURRENCE-ID")).toEqual(["RECURRENCE-ID:20301201T160000Z"]);
});

test("a revoked feed is answered like one that never was", async () => {
  const link = await createTestLink(fixture);
  const { url, id } = (await make(link)).json.data;
  const revoke = async (cookie: string) =>
    await fixture.api.call("POST", `/dashboard/api/feeds/${id}/revoke`, { cookie });
  const stranger = await createTestLink(fixture);
  expect(await revoke(stranger.account.cookie)).toMatchObject({
    status: 404,
    json: { error: { code: "calendar_feed_not_found" } },
  });
  expect((await read(url)).status).toBe(200);
  const revoked = await revoke(link.account.cookie);
  expect(revoked.json.data).toMatchObject({ id, revoked_at: timestamp });
  expect((await revoke(link.account.cookie)).json.data).toEqual(revoked.json.data);
  const unknown = url.replace(/[^/]+\.ics$/, `${"x".repeat(26)}.ics`);
  for (const address of [url, unknown, url.replace(".ics", ""), `${url}x`])
    expect(await read(address)).toMatchObject({
      status: 404,
      json: { error: { code: "calendar_feed_not_found" } },
    });
});

test("a feed needs a resource of the account, and ends with its resource or its account", async () => {
  const link = await createTestLink(fixture);
  const stranger = await createTestLink(fixture);
  const foreign = await make({ ...link, account: stranger.account });
  expect(foreign.json.error.code).toBe("resource_not_found");
  const { url } = (await make(link)).json.data;
  await fixture.query("UPDATE accounts SET disabled_at = UTC_TIMESTAMP(3) WHERE id = ?", [
    link.account.accountId,
  ]);
  expect((await read(url)).status).toBe(404);
  const other = (await make(stranger)).json.data.url;
  await fixture.query("DELETE FROM resources WHERE id = ?", [stranger.resourceId]);
  expect((await read(other)).status).toBe(404);
});
