import { afterEach, beforeEach, expect, test } from "vitest";
import { createGoogleCalendar, type GoogleCalendar } from "../../activities/calendars/google.ts";
import { judgeFailure } from "../../activities/calendars/google-session.ts";
import type { CalendarAccess, CalendarEvent } from "../../core/model/calendar.ts";
import { googleClient } from "../../dev/stand-in/google-world.ts";
import {
  googleOptions,
  startTestGoogle,
  testGoogleEmail,
  type TestGoogle,
} from "../support/google-calendar.ts";

let google: TestGoogle;
let calendar: GoogleCalendar;

beforeEach(async () => {
  google = await startTestGoogle([calendarId]);
  calendar = createGoogleCalendar(googleOptions(google));
});

afterEach(async () => {
  await calendar.close();
  await google.stop();
});

const access: CalendarAccess = {
  connectionId: 1,
  calendarId: "ana+work@group.calendar.google.com",
  credentials: { refresh_token: "refresh-1" },
};
const { calendarId } = access;

const event: CalendarEvent = {
  id: "abc123vvv",
  appointmentId: 7,
  summary: "Consultation",
  startTime: new Date("2026-12-01T10:00:00.000Z"),
  endTime: new Date("2026-12-01T10:30:00.000Z"),
  timeZone: "America/Mexico_City",
  timesOnly: false,
  notifyGuests: false,
};
const later: CalendarEvent = {
  ...event,
  startTime: new Date("2026-12-01T12:00:00.000Z"),
  endTime: new Date("2026-12-01T12:30:00.000Z"),
};

/** Inserts the event. @returns its tag. */
async function insert(): Promise<string> {
  const result = await calendar.insertEvent(access, event);
  if (result.kind !== "done") throw new Error(result.kind);
  return result.etag;
}

const callsOf = () => google.requests().map(({ call }) => call);
/** Begin of the event at Google. */
const beginOf = () => new Date(google.find(calendarId, event.id)?.start.dateTime ?? "");

test("an insert is what Google documents: our id, times with a zone, our number, and no mail to anybody", async () => {
  const etag = await insert();
  expect(google.find(calendarId, event.id)).toMatchObject({
    etag,
    status: "confirmed",
    summary: "Consultation",
    start: { dateTime: "2026-12-01T04:00:00-06:00", timeZone: "America/Mexico_City" },
    end: { dateTime: "2026-12-01T04:30:00-06:00", timeZone: "America/Mexico_City" },
    extendedProperties: { private: { appointment_id: "7" } },
  });
  const [token, sent] = google.requests();
  expect(token).toMatchObject({
    call: "token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: {
      grant_type: "refresh_token",
      refresh_token: "refresh-1",
      client_id: googleClient.id,
      client_secret: googleClient.secret,
    },
  });
  expect(sent).toMatchObject({ call: "insert", calendarId, body: { id: event.id } });
  expect(sent?.query.get("sendUpdates")).toBe("none");
});

test("an insert that had arrived before is told, and makes no second event", async () => {
  await insert();
  expect(await calendar.insertEvent(access, later)).toEqual({ kind: "taken" });
  expect(google.list(calendarId)).toHaveLength(1);
  expect(beginOf()).toEqual(event.startTime);
});

test("a patch moves the event that still has the tag, and no other", async () => {
  const etag = await insert();
  const moved = await calendar.patchEvent(access, later, etag);
  expect(moved).toMatchObject({ kind: "done" });
  expect(beginOf()).toEqual(later.startTime);
  expect(await calendar.patchEvent(access, event, etag)).toEqual({ kind: "changed" });
  expect(beginOf()).toEqual(later.startTime);
  const etagNow = google.find(calendarId, event.id)?.etag;
  expect(await calendar.getEvent(access, event.id)).toMatchObject({
    kind: "event",
    event: { etag: etagNow },
  });
  expect(moved).toMatchObject({ etag: etagNow });
});

test("a delete is done once, with the tag or without, and a second one finds it gone", async () => {
  const etag = await insert();
  google.change(calendarId, event.id, { summary: "by its owner" });
  expect(await calendar.deleteEvent(access, event.id, { etag, notifyGuests: false })).toEqual({
    kind: "changed",
  });
  expect(
    await calendar.deleteEvent(access, event.id, { etag: null, notifyGuests: false }),
  ).toMatchObject({ kind: "done" });
  expect(await calendar.deleteEvent(access, event.id, { etag: null, notifyGuests: false })).toEqual(
    { kind: "gone" },
  );
  expect(
    await calendar.deleteEvent(access, "neverwas", { etag: null, notifyGuests: false }),
  ).toEqual({ kind: "gone" });
});

test("a deleted event reads as gone, though Google still knows it", async () => {
  const etag = await insert();
  await calendar.deleteEvent(access, event.id, { etag, notifyGuests: false });
  const tag = google.find(calendarId, event.id)?.etag ?? "";
  expect(await calendar.getEvent(access, event.id)).toEqual({ kind: "gone" });
  expect(await calendar.patchEvent(access, later, tag)).toEqual({ kind: "gone" });
  expect(await calendar.insertEvent(access, event)).toEqual({ kind: "taken" });
});

test("one access token serves many calls; one that Google ended is replaced within the call", async () => {
  const etag = await insert();
  await calendar.getEvent(access, event.id);
  expect(callsOf()).toEqual(["token", "insert", "get"]);
  google.endAccessTokens();
  expect(await calendar.patchEvent(access, later, etag)).toMatchObject({ kind: "done" });
  expect(callsOf()).toEqual(["token", "insert", "get", "patch", "token", "patch"]);
});

test("a calendar that was connected anew uses its new credentials at once", async () => {
  await insert();
  google.grant(testGoogleEmail, { refreshToken: "refresh-2" });
  const anew = { ...access, credentials: { refresh_token: "refresh-2" } };
  await calendar.getEvent(anew, event.id);
  expect(
    google
      .requests()
      .filter(({ call }) => call === "token")
      .at(-1)?.body,
  ).toMatchObject({
    refresh_token: "refresh-2",
  });
});

test.each([
  ["credentials that were withdrawn", "token", null, "connection", "invalid_grant"],
  ["an access token refused twice", "insert", "unauthorized", "connection", "unauthorized"],
  ["a calendar that was deleted", "insert", "notFound", "calendar", "calendar_not_found"],
  [
    "a calendar that may no longer be written to",
    "insert",
    "forbidden",
    "calendar",
    "calendar_forbidden",
  ],
] as const)("%s: disconnected", async (_, when, fault, of, code) => {
  if (fault === null) google.endConsent(testGoogleEmail);
  google.hook(({ call }) => (call === when ? fault : null));
  expect(await calendar.insertEvent(access, event)).toEqual({ kind: "disconnected", of, code });
});

test.each([
  { fault: "backend", code: "http_500" },
  { fault: "unavailable", code: "http_503" },
  { fault: "tooMany", code: "http_429" },
  { fault: "rateLimit", code: "http_403" },
] as const)("$fault is trouble that passes", async ({ fault, code }) => {
  google.hook(({ call }) => (call === "insert" ? fault : null));
  expect(await calendar.insertEvent(access, event)).toEqual({ kind: "transient", code });
  expect(google.list(calendarId)).toEqual([]);
});

test("an API that is turned off in our own project is trouble that passes, with its own code", () => {
  const answer = { status: 403, etag: "", cancelled: false, token: null, json: null };
  expect(judgeFailure({ ...answer, reason: "accessNotConfigured" })).toEqual({
    kind: "transient",
    code: "api_disabled",
  });
});

test("400 to an insert is a refusal for good", async () => {
  google.hook(({ call }) => (call === "insert" ? "badRequest" : null));
  expect(await calendar.insertEvent(access, event)).toEqual({ kind: "refused", code: "http_400" });
});

test("an event that another organizer has taken over is refused alone", async () => {
  const etag = await insert();
  google.hook(({ call }) => (call === "patch" ? "otherOrganizer" : null));
  expect(await calendar.patchEvent(access, later, etag)).toEqual({
    kind: "refused",
    code: "http_403",
  });
});

test.each([
  ["backend", 500],
  ["unauthorized", 401],
  ["badRequest", 400],
] as const)("%s of the token endpoint is trouble that passes", async (fault, status) => {
  google.hook(({ call }) => (call === "token" ? fault : null));
  const code = `token_http_${status}`;
  expect(await calendar.insertEvent(access, event)).toEqual({ kind: "transient", code });
});

test("a client that Google does not know is trouble of ours, which passes once it is put right", async () => {
  const stranger = createGoogleCalendar({ ...googleOptions(google), clientId: "another" });
  const code = "token_http_401";
  expect(await stranger.insertEvent(access, event)).toEqual({ kind: "transient", code });
  await stranger.close();
});

test("a server that is down is trouble that passes", async () => {
  await google.down();
  expect(await calendar.insertEvent(access, event)).toEqual({
    kind: "transient",
    code: "token_unreachable",
  });
  await google.up();
  expect(await calendar.insertEvent(access, event)).toMatchObject({ kind: "done" });
});

test.each(["hang", "late"] as const)(
  "a call that gets no answer ends after 5 s, done or not (%s)",
  async (fault) => {
    google.hook(({ call }) => (call === "insert" ? fault : null));
    const startedAt = performance.now();
    expect(await calendar.insertEvent(access, event)).toEqual({
      kind: "transient",
      code: "timeout",
    });
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(4_900);
    expect(tookMs).toBeLessThan(7_000);
    expect(google.list(calendarId)).toHaveLength(fault === "late" ? 1 : 0);
    google.hook(null);
    const again = await calendar.insertEvent(access, event);
    expect(again.kind).toBe(fault === "late" ? "taken" : "done");
  },
);

test("the token of a calendar is kept, but no more than 1,000 of them", async () => {
  let tokens = 0;
  google.hook(({ call }) => {
    if (call === "token") tokens += 1;
  });
  const tokensMade = () => tokens;
  const read = async (connectionId: number) =>
    await calendar.getEvent({ ...access, connectionId }, event.id);
  await read(1);
  await read(1);
  expect(tokensMade()).toBe(1);
  for (let from = 2; from <= 1_001; from += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => read(from + index)));
  }
  expect(tokensMade()).toBe(1_001);
  await read(1_001);
  await read(1);
  expect(tokensMade()).toBe(1_002);
});
