import { afterEach, beforeEach, expect, test } from "vitest";
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

const bruno = "bruno@google.example";
const start = "2026-12-01T16:00:00Z";

async function insert(body: object) {
  return await fixture.api(eventsOf(), { method: "POST", body: { ...halfHour(start), ...body } });
}

test("the list of calendars says which one may be written to", async () => {
  const { json } = await fixture.api("/users/me/calendarList");
  expect(json.items).toMatchObject([
    { id: adaCalendar, primary: true, accessRole: "owner", timeZone: "America/Mexico_City" },
    { accessRole: "writer" },
    { accessRole: "reader" },
  ]);
  const writable = await fixture.api("/users/me/calendarList?minAccessRole=writer&maxResults=1");
  expect(writable.json.items).toHaveLength(1);
  expect(writable.json.nextPageToken).toBe("1");
});

test("an inserted event has Google's members, in the time of its zone", async () => {
  const { status, json } = await insert({
    summary: "Cita",
    attendees: [{ email: "rosa@example.com" }],
    extendedProperties: { private: { appointment_id: "7" } },
  });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    kind: "calendar#event",
    status: "confirmed",
    etag: expect.stringMatching(/^"\d+"$/),
    organizer: { email: adaCalendar, self: true },
    start: { dateTime: "2026-12-01T10:00:00-06:00", timeZone: "America/Mexico_City" },
    attendees: [{ email: "rosa@example.com", responseStatus: "needsAction" }],
    iCalUID: `${json.id}@google.com`,
    sequence: 0,
    eventType: "default",
  });
});

test.each([
  ["an id with other letters", { id: "wxyz1" }, "invalid"],
  ["an event without an end", { end: null }, "required"],
  [
    "an event that ends before it begins",
    { end: { dateTime: "2026-12-01T15:00:00Z" } },
    "timeRangeEmpty",
  ],
  ["a time without an offset", { start: { dateTime: "2026-12-01T10:00:00" } }, "required"],
  ["a day and a time", { end: { date: "2026-12-02" } }, "invalid"],
])("%s is refused", async (_, change, reason) => {
  expect(await insert(change)).toMatchObject({
    status: 400,
    json: { error: { errors: [{ reason }] } },
  });
});

test("an own id makes a repeated insert a 409, even after its event was deleted", async () => {
  expect((await insert({ id: "abcde12345" })).status).toBe(200);
  expect((await insert({ id: "abcde12345" })).status).toBe(409);
  const path = `${eventsOf()}/abcde12345`;
  expect((await fixture.api(path, { method: "DELETE" })).status).toBe(204);
  expect((await fixture.api(path, { method: "DELETE" })).status).toBe(410);
  expect((await insert({ id: "abcde12345" })).status).toBe(409);
  expect(await fixture.api(path)).toMatchObject({ status: 200, json: { status: "cancelled" } });
});

test("a patch with an old etag is refused, and one with the present etag gives another", async () => {
  const { json: first } = await insert({ summary: "Cita" });
  const path = `${eventsOf()}/${first.id}`;
  fixture.standIn.change(adaCalendar, first.id, { summary: "Cita de Rosa" });
  const patch = { method: "PATCH", body: halfHour("2026-12-01T18:00:00Z") };
  expect(await fixture.api(path, { ...patch, ifMatch: first.etag })).toMatchObject({
    status: 412,
    json: { error: { errors: [{ reason: "conditionNotMet" }] } },
  });
  const { json: second } = await fixture.api(path);
  const { status, json: third } = await fixture.api(path, { ...patch, ifMatch: second.etag });
  expect(status).toBe(200);
  expect(third).toMatchObject({
    summary: "Cita de Rosa",
    start: { dateTime: "2026-12-01T12:00:00-06:00" },
  });
  expect(third.etag).not.toBe(second.etag);
});

test("a patch keeps the private properties that it does not name", async () => {
  const { json } = await insert({ extendedProperties: { private: { one: "1", two: "2" } } });
  const path = `${eventsOf()}/${json.id}`;
  const body = { extendedProperties: { private: { two: "3" } } };
  const { json: patched } = await fixture.api(path, { method: "PATCH", body });
  expect(patched.extendedProperties.private).toEqual({ one: "1", two: "3" });
});

test("a deleted event comes back by its status", async () => {
  const { json } = await insert({});
  fixture.standIn.remove(adaCalendar, json.id);
  fixture.standIn.change(adaCalendar, json.id, { status: "confirmed" });
  expect(await fixture.api(`${eventsOf()}/${json.id}`)).toMatchObject({
    json: { status: "confirmed", id: json.id },
  });
});

test("a guest's copy of an event from outside answers 200 to other times, and keeps its own", async () => {
  const guests = [{ email: adaCalendar }, { email: "rosa@example.com" }];
  const event = fixture.standIn.insert(adaCalendar, {
    ...halfHour(start),
    organizer: { email: "rosa@example.com" },
    attendees: guests,
  });
  const path = `${eventsOf()}/${event.id}`;
  const { json: before } = await fixture.api(path);
  expect(before.organizer).toEqual({ email: "rosa@example.com" });
  expect(before.attendees).toMatchObject([{ self: true }, { organizer: true }]);
  const body = halfHour("2026-12-02T16:00:00Z");
  const { status, json } = await fixture.api(path, { method: "PATCH", body });
  expect(status).toBe(200);
  expect(json).toEqual(before);
});

test("an event reaches the calendars of its guests, and their answers come back", async () => {
  const attendees = [{ email: bruno }];
  const { json } = await insert({
    attendees,
    extendedProperties: { private: { appointment_id: "7" } },
  });
  expect(fixture.standIn.find(bruno, json.id)).toMatchObject({
    iCalUID: json.iCalUID,
    organizer: { email: adaCalendar },
    extendedProperties: {},
  });
  const answered = [{ email: bruno, responseStatus: "declined" as const }];
  fixture.standIn.change(bruno, json.id, { attendees: answered });
  expect(await fixture.api(`${eventsOf()}/${json.id}`)).toMatchObject({
    json: { attendees: [{ email: bruno, responseStatus: "declined" }] },
  });
  fixture.standIn.change(adaCalendar, json.id, halfHour("2026-12-03T16:00:00Z"));
  expect(fixture.standIn.find(bruno, json.id)?.start.dateTime).toBe("2026-12-03T10:00:00-06:00");
});

test("a copied event has the private properties, another id and another UID", async () => {
  const { json } = await insert({ extendedProperties: { private: { appointment_id: "7" } } });
  const copy = fixture.standIn.copy(adaCalendar, json.id);
  expect(copy.extendedProperties).toEqual({ private: { appointment_id: "7" } });
  expect(copy.id).not.toBe(json.id);
  expect(copy.iCalUID).not.toBe(json.iCalUID);
});

test("a calendar for reading takes no events, and another's is not found", async () => {
  const holidays = eventsOf("es.mexican#holiday@group.v.calendar.google.example");
  const post = { method: "POST", body: halfHour(start) };
  expect((await fixture.api(holidays, post)).status).toBe(403);
  expect((await fixture.api(eventsOf(bruno), post)).status).toBe(404);
});

test("`primary` names the caller's own calendar", async () => {
  const { json } = await insert({});
  expect((await fixture.api(`/calendars/primary/events/${json.id}`)).json.id).toBe(json.id);
});

test("fields chooses members, and a wrong selection is refused", async () => {
  const { json } = await insert({ summary: "Cita" });
  const path = `${eventsOf()}?fields=nextSyncToken,items(id,start/dateTime)`;
  const { json: list } = await fixture.api(path);
  expect(list).toEqual({
    nextSyncToken: expect.any(String),
    items: [{ id: json.id, start: { dateTime: "2026-12-01T10:00:00-06:00" } }],
  });
  expect((await fixture.api(`${eventsOf()}?fields=items(`)).status).toBe(400);
});
