import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  adaCalendar,
  createReadingFixture,
  roomCalendar,
  soon,
  visit,
  type ReadingFixture,
} from "./calendar-reading-fixture.ts";

const database = useFixture(createTestDatabase);
let fixture: ReadingFixture;
let ours: number;

/** One appointment of ours at 15:00, and one that somebody made in the calendar at 17:00. */
beforeEach(async () => {
  fixture = await createReadingFixture(database);
  fixture.google.insert(adaCalendar, visit("17:00", "18:00"));
  await fixture.readAll();
  ours = (await fixture.book({ startTime: new Date(soon("15:00")) })).id;
  await fixture.sync(ours);
  await fixture.readAll();
  await fixture.events();
});

afterEach(async () => {
  await fixture.stop();
});

const kept = ["15:00 confirmed Ana Torres", "17:00 confirmed Eva"];

/** Times of the events of a calendar. */
function timesOn(calendarId: string): string[] {
  const times = fixture.google
    .list(calendarId)
    .map(({ start }) => new Date(String(start?.dateTime)).toISOString().slice(11, 16));
  return times.toSorted();
}

/** Makes every sync that is due, as their runs would. */
async function syncDue(): Promise<number> {
  const due = await fixture.sql<{ appointment_id: number }>(
    "SELECT appointment_id FROM calendar_syncs WHERE account_id = ?",
    [fixture.account.accountId],
  );
  for (const { appointment_id: id } of due) {
    expect(await fixture.sync(Number(id))).toEqual({ state: "done" });
  }
  return due.length;
}

test("an agenda that gets another calendar keeps its appointments, and they are written there", async () => {
  const linkId = await fixture.use(roomCalendar);
  await fixture.readAll(true, linkId);
  expect(await fixture.shown()).toEqual(kept);
  expect(await fixture.accountRequests()).toContain(`sync-appointment-${ours}-1`);
  expect(await syncDue()).toBe(2);
  await fixture.readAll(true, linkId);
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.shown()).toEqual(kept);
  expect(timesOn(roomCalendar)).toEqual(["15:00", "17:00"]);
  expect(timesOn(adaCalendar)).toEqual(["15:00", "17:00"]);
});

test("an agenda that gets its calendar back has each event once", async () => {
  await fixture.use(roomCalendar);
  await syncDue();
  const linkId = await fixture.use(adaCalendar);
  await syncDue();
  await fixture.readAll(true, linkId);
  await syncDue();
  await fixture.readAll(true, linkId);
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.shown()).toEqual(kept);
  expect(timesOn(adaCalendar)).toEqual(["15:00", "17:00"]);
});

test("the answer of the calendar before does not count for the new one", async () => {
  await fixture.sql("UPDATE appointments SET title = 'Control' WHERE id = ?", [ours]);
  let linkId = 0;
  fixture.google.hook(async ({ call }) => {
    if (call !== "patch") return null;
    fixture.google.hook(null);
    linkId = await fixture.use(roomCalendar);
    return null;
  });
  await fixture.sync(ours);
  await fixture.readAll(true, linkId);
  await fixture.sync(ours);
  expect(await fixture.events()).toEqual([]);
  expect(timesOn(roomCalendar)).toEqual(["15:00"]);
});

test("an event of ours and one of somebody else may both belong to one appointment", async () => {
  const [theirs] = await fixture.sql<{ appointment_id: number }>(
    "SELECT appointment_id FROM calendar_events WHERE link_id = ? AND origin = 'google'",
    [fixture.linkId],
  );
  await fixture.use(roomCalendar);
  const linkId = await fixture.use(adaCalendar);
  // The appointment was changed here before its calendar was read.
  await fixture.sync(Number(theirs?.appointment_id));
  expect(await fixture.readAll(true, linkId)).toMatchObject({ state: "idle" });
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.shown()).toEqual(kept);
});
