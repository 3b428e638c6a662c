import { afterEach, beforeEach, expect, test } from "vitest";
import type { GoogleEventChange } from "../../../dev/stand-in/google-wire.ts";
import {
  adaCalendar,
  eventsOf,
  halfHour,
  startGoogleFixture,
  type GoogleFixture,
  type GoogleJson,
} from "./google-fixture.ts";

const now = Date.parse("2026-11-26T12:00:00Z");

let fixture: GoogleFixture;
beforeEach(async () => void (fixture = await startGoogleFixture({ clock: () => now })));
afterEach(async () => await fixture.stop());

const bounds = { timeMin: "2026-11-25T00:00:00Z", timeMax: "2027-02-24T00:00:00Z" };

async function list(query: Record<string, string>) {
  const parameters = new URLSearchParams({ singleEvents: "true", ...query });
  return await fixture.api(`${eventsOf()}?${parameters.toString()}`);
}

/** All pages. */
async function listAll(
  query: Record<string, string>,
): Promise<{ items: GoogleJson[]; token: string }> {
  const items: GoogleJson[] = [];
  for (let page: Record<string, string> = {}; ;) {
    const { json } = await list({ ...query, ...page });
    items.push(...json.items);
    if (json.nextSyncToken !== undefined) return { items, token: json.nextSyncToken };
    page = { pageToken: json.nextPageToken };
  }
}

const weekly = (change: GoogleEventChange = {}): GoogleEventChange => ({
  ...halfHour("2026-12-01T16:00:00Z"),
  summary: "Terapia",
  recurrence: ["RRULE:FREQ=WEEKLY;COUNT=6"],
  ...change,
});

test("a full list has pages, and its last page alone has a sync token", async () => {
  for (let day = 1; day <= 5; day += 1)
    fixture.standIn.insert(adaCalendar, halfHour(`2026-12-0${day}T16:00:00Z`));
  fixture.standIn.insert(adaCalendar, halfHour("2027-06-01T16:00:00Z"));
  const first = await list({ ...bounds, maxResults: "2" });
  expect(first.json.items).toHaveLength(2);
  expect(first.json.nextSyncToken).toBeUndefined();
  expect(first.json.timeZone).toBe("America/Mexico_City");
  const { items } = await listAll({ ...bounds, maxResults: "2" });
  expect(items).toHaveLength(5);
});

test("a change between two pages comes with the next sync", async () => {
  const one = fixture.standIn.insert(adaCalendar, halfHour("2026-12-01T16:00:00Z"));
  fixture.standIn.insert(adaCalendar, halfHour("2026-12-02T16:00:00Z"));
  const first = await list({ ...bounds, maxResults: "1" });
  fixture.standIn.change(adaCalendar, one.id, { summary: "later" });
  const { json } = await list({
    ...bounds,
    maxResults: "1",
    pageToken: first.json.nextPageToken,
  });
  const next = await list({ syncToken: json.nextSyncToken });
  expect(next.json.items).toMatchObject([{ id: one.id, summary: "later" }]);
});

test("a page token is for the same parameters", async () => {
  for (const day of [1, 2, 3])
    fixture.standIn.insert(adaCalendar, halfHour(`2026-12-0${day}T16:00:00Z`));
  const { json } = await list({ ...bounds, maxResults: "1" });
  const other = { ...bounds, timeMax: "2027-02-25T00:00:00Z", pageToken: json.nextPageToken };
  expect((await list(other)).status).toBe(400);
});

test("a removal carries its id and its status", async () => {
  const event = fixture.standIn.insert(adaCalendar, halfHour("2026-12-01T16:00:00Z"));
  const { token } = await listAll(bounds);
  fixture.standIn.remove(adaCalendar, event.id);
  const { json } = await list({ syncToken: token });
  expect(json.items).toEqual([
    { kind: "calendar#event", etag: expect.any(String), id: event.id, status: "cancelled" },
  ]);
  expect((await listAll(bounds)).items).toEqual([]);
});

test.each(["timeMin", "timeMax", "orderBy", "q", "updatedMin", "iCalUID"])(
  "a sync token is refused together with %s",
  async (name) => {
    const { token } = await listAll(bounds);
    expect((await list({ syncToken: token, [name]: bounds.timeMin })).status).toBe(400);
  },
);

test("a sync token keeps to its singleEvents", async () => {
  const { token } = await listAll(bounds);
  const path = `${eventsOf()}?syncToken=${token}`;
  expect((await fixture.api(path)).status).toBe(400);
});

test("an old sync token leads to 410, and a new one works", async () => {
  const { token } = await listAll(bounds);
  fixture.standIn.endSyncTokens(adaCalendar);
  expect(await list({ syncToken: token })).toMatchObject({
    status: 410,
    json: { error: { code: 410, errors: [{ reason: "fullSyncRequired" }] } },
  });
  const { token: fresh } = await listAll(bounds);
  expect((await list({ syncToken: fresh })).status).toBe(200);
});

test("a series is its instances, whose ids follow from their times", async () => {
  const series = fixture.standIn.insert(adaCalendar, weekly());
  const { items } = await listAll(bounds);
  expect(items).toHaveLength(6);
  expect(items[1]).toMatchObject({
    id: `${series.id}_20261208T160000Z`,
    recurringEventId: series.id,
    iCalUID: series.iCalUID,
    originalStartTime: { dateTime: "2026-12-08T10:00:00-06:00" },
    start: { dateTime: "2026-12-08T10:00:00-06:00" },
  });
  expect(items[1].recurrence).toBeUndefined();
});

test("a series keeps its local time over a change of the clock", async () => {
  const bruno = "bruno@google.example";
  fixture.standIn.insert(bruno, {
    start: { dateTime: "2027-03-22T10:00:00", timeZone: "Europe/Madrid" },
    end: { dateTime: "2027-03-22T11:00:00", timeZone: "Europe/Madrid" },
    recurrence: ["RRULE:FREQ=WEEKLY;COUNT=2"],
  });
  expect(fixture.standIn.list(bruno).map(({ start }) => start.dateTime)).toEqual([
    "2027-03-22T10:00:00+01:00",
    "2027-03-29T10:00:00+02:00",
  ]);
});

test("a moved instance keeps its id, and alone it comes with the next sync", async () => {
  const { id } = fixture.standIn.insert(adaCalendar, weekly());
  const { token } = await listAll(bounds);
  const instance = `${id}_20261208T160000Z`;
  fixture.standIn.change(adaCalendar, instance, halfHour("2026-12-09T18:00:00Z"));
  const { items, token: next } = await listAll({ syncToken: token });
  expect(items).toMatchObject([
    {
      id: instance,
      start: { dateTime: "2026-12-09T12:00:00-06:00" },
      originalStartTime: { dateTime: "2026-12-08T10:00:00-06:00" },
    },
  ]);
  fixture.standIn.remove(adaCalendar, instance);
  expect((await listAll({ syncToken: next })).items).toMatchObject([
    { id: instance, status: "cancelled" },
  ]);
  expect((await listAll(bounds)).items).toHaveLength(5);
});

test("a new time of the series gives new ids, and the old ones are removed", async () => {
  const { id } = fixture.standIn.insert(adaCalendar, weekly());
  const { token } = await listAll(bounds);
  fixture.standIn.change(adaCalendar, id, halfHour("2026-12-01T18:00:00Z"));
  const { items } = await listAll({ syncToken: token });
  const gone = items.filter(({ status }) => status === "cancelled");
  const made = items.filter(({ status }) => status === "confirmed");
  expect(gone.map((one) => one.id)).toContain(`${id}_20261208T160000Z`);
  expect(made.map((one) => one.id)).toContain(`${id}_20261208T180000Z`);
  expect([gone.length, made.length]).toEqual([6, 6]);
});

test("this and following ends the series and begins another under an id with _R", async () => {
  const { id } = fixture.standIn.insert(adaCalendar, weekly());
  const { token } = await listAll(bounds);
  const from = `${id}_20261215T160000Z`;
  const following = fixture.standIn.split(adaCalendar, from, { summary: "Terapia larga" });
  expect(following.id).toBe(`${id}_R20261215T100000`);
  const { items } = await listAll({ syncToken: token });
  const gone = items.filter(({ status }) => status === "cancelled");
  const rest = items.filter((one) => one.recurringEventId === following.id);
  expect(gone).toHaveLength(4);
  expect(rest).toHaveLength(4);
  expect(rest[0]).toMatchObject({
    id: `${following.id}_20261215T160000Z`,
    start: { dateTime: "2026-12-15T10:00:00-06:00" },
    summary: "Terapia larga",
  });
  expect((await listAll(bounds)).items).toHaveLength(6);
  const again = `${following.id}_20261222T160000Z`;
  const third = fixture.standIn.split(adaCalendar, again, halfHour("2026-12-22T19:00:00Z"));
  expect(third.id).toBe(`${id}_R20261222T100000`);
  expect((await listAll(bounds)).items).toHaveLength(6);
});

test("a moved instance before a split stays where it is", async () => {
  const { id } = fixture.standIn.insert(adaCalendar, weekly());
  const moved = `${id}_20261208T160000Z`;
  fixture.standIn.change(adaCalendar, moved, halfHour("2026-12-09T18:00:00Z"));
  fixture.standIn.split(adaCalendar, `${id}_20261215T160000Z`, { summary: "Terapia larga" });
  expect(fixture.standIn.find(adaCalendar, moved)?.start.dateTime).toBe(
    "2026-12-09T12:00:00-06:00",
  );
});

test("a deleted series removes every instance, and each can still be read", async () => {
  const { id } = fixture.standIn.insert(adaCalendar, weekly());
  const { token } = await listAll(bounds);
  fixture.standIn.remove(adaCalendar, id);
  const { items } = await listAll({ syncToken: token });
  expect(items).toHaveLength(6);
  expect(new Set(items.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
  expect((await fixture.api(`${eventsOf()}/${id}_20261208T160000Z`)).json.status).toBe("cancelled");
});

test("one edit of an endless series brings all of its instances, bounds or not", async () => {
  const recurrence = ["RRULE:FREQ=WEEKLY"];
  const { id } = fixture.standIn.insert(adaCalendar, weekly({ recurrence }));
  const { items, token } = await listAll(bounds);
  expect(items).toHaveLength(13);
  fixture.standIn.change(adaCalendar, id, { summary: "Terapia larga" });
  const changed = await listAll({ syncToken: token });
  expect(changed.items.length).toBeGreaterThan(700);
  expect(changed.items.at(-1).start.dateTime).toMatch(/^2040/);
});

test("whole days have dates, and begin at midnight of the calendar's zone", async () => {
  fixture.standIn.insert(adaCalendar, {
    start: { date: "2026-12-01" },
    end: { date: "2026-12-03" },
    recurrence: ["RRULE:FREQ=MONTHLY;COUNT=2"],
  });
  const { items } = await listAll(bounds);
  expect(items).toMatchObject([
    { start: { date: "2026-12-01" }, end: { date: "2026-12-03" } },
    { start: { date: "2027-01-01" }, end: { date: "2027-01-03" } },
  ]);
  expect(items[0].id).toMatch(/_20261201$/);
  const early = { timeMin: "2026-11-25T00:00:00Z", timeMax: "2026-12-01T06:00:00Z" };
  expect((await listAll(early)).items).toEqual([]);
});

test("without singleEvents a series is one event with its rules", async () => {
  const { id } = fixture.standIn.insert(adaCalendar, weekly());
  const { json } = await fixture.api(eventsOf());
  expect(json.items).toMatchObject([{ id, recurrence: ["RRULE:FREQ=WEEKLY;COUNT=6"] }]);
  const { json: instances } = await fixture.api(`${eventsOf()}/${id}/instances`);
  expect(instances.items).toHaveLength(6);
});

test("an order by start has no sync token", async () => {
  fixture.standIn.insert(adaCalendar, halfHour("2026-12-02T16:00:00Z"));
  fixture.standIn.insert(adaCalendar, halfHour("2026-12-01T16:00:00Z"));
  const { json } = await list({ ...bounds, orderBy: "startTime" });
  expect(json.items.map((one: GoogleJson) => one.start.dateTime.slice(0, 10))).toEqual([
    "2026-12-01",
    "2026-12-02",
  ]);
  expect(json.nextSyncToken).toBeUndefined();
});
