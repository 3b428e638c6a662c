import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GoogleFaultKind } from "../../../dev/stand-in/google-faults.ts";
import { eventually } from "../../support/eventually.ts";
import {
  adaCalendar,
  eventsOf,
  halfHour,
  startGoogleFixture,
  type GoogleFixture,
} from "./google-fixture.ts";

let fixture: GoogleFixture;
beforeEach(async () => void (fixture = await startGoogleFixture()));
afterEach(async () => await fixture.stop());

const dayMs = 86_400_000;

async function watch(body: Record<string, unknown> = {}) {
  const given = { id: "channel-1", type: "web_hook", address: fixture.address, token: "secret-1" };
  const answer = await fixture.api(`${eventsOf()}/watch`, {
    method: "POST",
    body: { ...given, ...body },
  });
  await fixture.standIn.pushes.idle();
  return answer;
}

const numbers = (): number[] => fixture.arrivals.map((one) => Number(one["x-goog-message-number"]));

async function edit(times = 1): Promise<void> {
  for (let count = 0; count < times; count += 1)
    fixture.standIn.insert(adaCalendar, halfHour("2026-12-01T16:00:00Z"));
  await fixture.standIn.pushes.idle();
}

test("a channel says its end, and its first push is a sync", async () => {
  const { status, json } = await watch();
  expect(status).toBe(200);
  expect(json).toMatchObject({ kind: "api#channel", id: "channel-1", token: "secret-1" });
  expect(Number(json.expiration) - Date.now()).toBeGreaterThan(7 * dayMs - 60_000);
  expect(fixture.arrivals).toMatchObject([
    {
      "x-goog-channel-id": "channel-1",
      "x-goog-channel-token": "secret-1",
      "x-goog-message-number": "1",
      "x-goog-resource-id": json.resourceId,
      "x-goog-resource-state": "sync",
      "content-length": "0",
    },
  ]);
  await edit();
  expect(fixture.arrivals[1]).toMatchObject({
    "x-goog-message-number": "2",
    "x-goog-resource-state": "exists",
  });
});

test("a channel lives no longer than it asks for, and ends without a word", async () => {
  const { json } = await watch({ expiration: Date.now() + dayMs });
  expect(Number(json.expiration) - Date.now()).toBeLessThanOrEqual(dayMs);
  fixture.standIn.advance(dayMs + 1_000);
  await edit();
  expect(numbers()).toEqual([1]);
});

test.each([
  ["an id that is taken", { id: "channel-1" }, "channelIdNotUnique"],
  ["an id that is too long", { id: "x".repeat(65) }, "invalid"],
])("a watch with %s is refused", async (_, body, reason) => {
  await watch();
  expect(await watch(body)).toMatchObject({
    status: 400,
    json: { error: { errors: [{ reason }] } },
  });
});

test("a watch without https is refused where https is a must", async () => {
  fixture.standIn.rules({ httpsOnly: true });
  expect(await watch()).toMatchObject({
    status: 400,
    json: { error: { errors: [{ reason: "push.webhookUrlNotHttps" }] } },
  });
});

test("a stopped channel gets no more pushes, and can be stopped once", async () => {
  const { json } = await watch();
  const body = { id: json.id, resourceId: json.resourceId };
  const stop = async () => await fixture.api("/channels/stop", { method: "POST", body });
  expect((await stop()).status).toBe(204);
  expect((await stop()).status).toBe(404);
  await edit();
  expect(numbers()).toEqual([1]);
});

test("pushes come twice, not at all, late, and in another order", async () => {
  await watch();
  fixture.standIn.pushes.choose({ mode: "twice", times: 1 });
  await edit();
  expect(numbers()).toEqual([1, 2, 2]);
  fixture.standIn.pushes.choose({ mode: "lost", times: 1 });
  await edit(2);
  expect(numbers()).toEqual([1, 2, 2, 4]);
  fixture.standIn.pushes.choose({ mode: "late", times: 1, ms: 30 });
  await edit(2);
  expect(numbers()).toEqual([1, 2, 2, 4, 6, 5]);
  fixture.standIn.pushes.choose({ mode: "hold", times: 3 });
  await edit(3);
  expect(numbers()).toHaveLength(6);
  expect(await fixture.standIn.pushes.release()).toBe(3);
  expect(numbers().slice(6)).toEqual([9, 8, 7]);
});

test("a push is repeated after 503, and given up after 404", async () => {
  await watch();
  fixture.answers.push(503, 503, 204);
  await edit();
  expect(fixture.standIn.pushes.list().at(-1)?.answers).toEqual([503, 503, 204]);
  fixture.answers.push(404);
  await edit();
  expect(fixture.standIn.pushes.list().at(-1)?.answers).toEqual([404]);
});

test.each<[GoogleFaultKind, number, string]>([
  ["rateLimit", 403, "rateLimitExceeded"],
  ["userRateLimit", 403, "userRateLimitExceeded"],
  ["quota", 403, "quotaExceeded"],
  ["tooMany", 429, "rateLimitExceeded"],
  ["forbidden", 403, "forbidden"],
  ["otherOrganizer", 403, "forbiddenForNonOrganizer"],
  ["unauthorized", 401, "authError"],
  ["fullSync", 410, "fullSyncRequired"],
  ["noPush", 400, "pushNotSupportedForRequestedResource"],
  ["badWebhook", 401, "push.webhookUrlUnauthorized"],
  ["backend", 500, "backendError"],
  ["unavailable", 503, "backendError"],
])("the fault %s answers once as Google does", async (kind, status, reason) => {
  fixture.standIn.fail({ kind, call: "list" });
  expect(await fixture.api(eventsOf())).toMatchObject({
    status,
    json: { error: { code: status, errors: [{ reason }] } },
  });
  expect((await fixture.api(eventsOf())).status).toBe(200);
});

test("a call may be cut off, hang, be late, slow, garbled or answered by a proxy", async () => {
  const { standIn } = fixture;
  const body = halfHour("2026-12-01T16:00:00Z");
  const insert = async () => await fixture.api(eventsOf(), { method: "POST", body });
  standIn.fail({ kind: "cut" });
  await expect(insert()).rejects.toThrow("fetch failed");
  expect(standIn.list(adaCalendar)).toHaveLength(0);
  standIn.fail({ kind: "late" });
  const abandoned = new AbortController();
  const late = fetch(`${standIn.url}/calendar/v3${eventsOf()}`, { signal: abandoned.signal });
  await eventually(() => expect(standIn.requests().at(-1)?.call).toBe("list"));
  abandoned.abort();
  await expect(late).rejects.toThrow("aborted");
  standIn.fail({ kind: "slow", ms: 40 });
  const began = performance.now();
  expect((await insert()).status).toBe(200);
  expect(performance.now() - began).toBeGreaterThan(35);
  standIn.fail({ kind: "garbled" });
  await expect(insert()).rejects.toThrow(SyntaxError);
  standIn.fail({ kind: "page" });
  await expect(insert()).rejects.toThrow(SyntaxError);
  expect(standIn.list(adaCalendar)).toHaveLength(1);
});

test("a test may choose the trouble of each request, and heal ends what was chosen", async () => {
  fixture.standIn.hook(({ call }) => (call === "list" ? "backend" : null));
  expect((await fixture.api(eventsOf())).status).toBe(500);
  expect((await fixture.api("/users/me/calendarList")).status).toBe(200);
  fixture.standIn.hook(null);
  fixture.standIn.fail({ kind: "backend", times: 100 });
  fixture.standIn.heal();
  expect((await fixture.api(eventsOf())).status).toBe(200);
});

test("the quota of a minute ends in 403, and the next minute goes on", async () => {
  fixture.standIn.rules({ callsPerMinute: 2 });
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await fixture.api(eventsOf())).status);
  expect(statuses).toEqual([200, 200, 403]);
  fixture.standIn.advance(60_000);
  expect((await fixture.api(eventsOf())).status).toBe(200);
});

test("nothing listens while it is down, and its events stay", async () => {
  await edit();
  await fixture.standIn.down();
  await expect(fixture.api(eventsOf())).rejects.toThrow("fetch failed");
  await fixture.standIn.up();
  expect((await fixture.api(eventsOf())).json.items).toHaveLength(1);
});

test("the controls do by HTTP what a test does", async () => {
  const { url } = fixture.standIn;
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };
  const calendarId = adaCalendar;
  const event = halfHour("2026-12-01T16:00:00Z");
  const { json } = await post("/control/events", { calendarId, event });
  const eventId = json["id"];
  const change = { summary: "Cita" };
  await post("/control/events/change", { calendarId, eventId, change });
  expect(fixture.standIn.list(adaCalendar)).toMatchObject([{ id: eventId, summary: "Cita" }]);
  await post("/control/faults", { kind: "backend", call: "list" });
  expect((await fixture.api(eventsOf())).status).toBe(500);
  await post("/control/clock", { advanceMs: 3_600_000 });
  expect((await fixture.api(eventsOf())).status).toBe(401);
  expect((await post("/control/faults", { kind: "unknown" })).status).toBe(400);
  expect((await post("/control/events/remove", { calendarId, eventId: "none1" })).status).toBe(404);
  expect((await post("/control/unknown", {})).status).toBe(404);
  const state = await (await fetch(`${url}/control/state`)).json();
  expect(state).toMatchObject({ accounts: [{ email: adaCalendar }, {}] });
  expect(JSON.stringify(state)).not.toContain("stand-in-secret");
  expect(await (await fetch(url)).text()).toContain("Stand-in of Google Calendar");
});

test("a site elsewhere cannot steer it", async () => {
  const { request } = await import("node:http");
  const { url } = fixture.standIn;
  const headers = { host: "evil.example", "content-type": "application/json" };
  const call = request(`${url}/control/heal`, { method: "POST", headers }).end("{}");
  const [answer] = await once(call, "response");
  answer.resume();
  expect(answer.statusCode).toBe(403);
});
