import { afterEach, beforeEach, expect, test } from "vitest";
import { listReschedules } from "../../core/services/appointments/appointment-holds.ts";
import { requestReschedule } from "../../core/services/appointments/appointment-reschedules.ts";
import { cancelAppointment } from "../../core/services/appointments/appointment-status.ts";
import { describeEntries } from "../../core/services/booking/calendar-entries.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  adaCalendar,
  bookOnBothSides,
  createReadingFixture,
  from,
  soon,
  type ReadingFixture,
} from "./calendar-reading-fixture.ts";

const database = useFixture(createTestDatabase);
let fixture: ReadingFixture;
let appointmentId: number;
let eventId: string;

beforeEach(async () => {
  fixture = await createReadingFixture(database);
  ({ appointmentId, eventId } = await bookOnBothSides(fixture));
});

afterEach(async () => {
  await fixture.stop();
});

const source = "panel";
const cancel = async () =>
  await fixture.run((tx) => cancelAppointment(tx, { appointmentId, source }));
const takeBack = () => fixture.google.change(adaCalendar, eventId, { status: "confirmed" });
const timeThere = () => fixture.google.find(adaCalendar, eventId)?.start.dateTime ?? "";
const isAt = (clock: string) => expect(new Date(timeThere()).toISOString()).toBe(soon(clock));

/** Somebody moves the event in Google Calendar, some time before or after now. */
function moveThere(clock: string, aheadMs: number): void {
  fixture.google.advance(aheadMs);
  fixture.google.change(adaCalendar, eventId, from(clock, clock.replace(":00", ":30")));
  fixture.google.advance(-aheadMs);
}

/** Moves the appointment here. @returns the run that writes to the calendar */
async function moveHere(clock: string, id = appointmentId) {
  const row = await fixture.run((tx) =>
    requestReschedule(tx, {
      appointmentId: id,
      startTime: new Date(soon(clock)),
      mode: "same",
      source,
    }),
  );
  if (row === null) throw new Error("It is there already.");
  return { accountId: fixture.account.accountId, appointmentId: id, rescheduleId: row.id };
}

/** Times that were replaced by ours, as the history of the appointment has them. */
async function replaced(): Promise<string[]> {
  const bounds = { limit: 10, offset: 0 };
  const { rows } = await fixture.run((tx) => listReschedules(tx, appointmentId, bounds));
  const overruled = rows.filter(({ failureCode }) => failureCode === "calendar_overruled");
  return overruled.map(({ source: by, startTime }) => `${by} ${startTime.toISOString()}`);
}

test("our later move replaces a move there, which is noted", async () => {
  moveThere("18:00", -60_000);
  const run = await moveHere("17:00");
  // The first one finds the event changed. The second one does not arrive, so both come again.
  let patches = 0;
  fixture.google.hook(({ call }) => {
    if (call === "patch") patches += 1;
    return call === "patch" && patches === 2 ? "cut" : null;
  });
  expect(await fixture.steps.moveCalendarEvent(run)).toMatchObject({ state: "waiting" });
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual({ state: "done" });
  await fixture.steps.commitReschedule(run);
  await fixture.readAll();
  isAt("17:00");
  expect(await fixture.events()).toEqual(["appointment.rescheduled"]);
  expect(await fixture.shown()).toEqual(["17:00 confirmed Ana Torres"]);
  expect(await replaced()).toEqual([`google ${soon("18:00")}`]);
});

test("a later move there refuses ours, and is applied by the next reading", async () => {
  const run = await moveHere("17:00");
  moveThere("18:00", 60_000);
  const code = "calendar_changed";
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual({ state: "failed", code });
  await fixture.steps.releaseReschedule({ ...run, code });
  await fixture.sync(appointmentId);
  await fixture.readAll();
  isAt("18:00");
  expect(await fixture.events()).toEqual(["appointment.rescheduled"]);
  expect(await fixture.shown()).toEqual(["18:00 confirmed Ana Torres"]);
  expect(await replaced()).toEqual([]);
});

test("a move of ours that was given up without an answer is no move of somebody else", async () => {
  const run = await moveHere("17:00");
  fixture.google.fail({ kind: "late", call: "patch" });
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual({ state: "waiting", code: "timeout" });
  isAt("17:00");
  await fixture.steps.releaseReschedule({ ...run, code: "calendar_unavailable" });
  // The calendar is read while the old time is being written.
  fixture.google.hook(async ({ call }) => {
    if (call !== "patch") return;
    fixture.google.hook(null);
    await fixture.readAll();
  });
  expect(await fixture.sync(appointmentId)).toEqual({ state: "done" });
  await fixture.readAll();
  isAt("15:00");
  expect(await fixture.events()).toEqual([]);
  expect(await replaced()).toEqual([]);
});

test("a move there and back again is two moves, though the last time is one of ours", async () => {
  for (const clock of ["18:00", "15:00"]) {
    moveThere(clock, 60_000);
    await fixture.readAll();
    expect(await fixture.shown()).toEqual([`${clock} confirmed Ana Torres`]);
  }
  expect(await fixture.events()).toEqual(["appointment.rescheduled", "appointment.rescheduled"]);
});

test("our event keeps the UID of its appointment in calendar files after an edit there", async () => {
  const appointment = await fixture.read(appointmentId);
  const worded = [{ appointment, summary: "Visit", location: null }];
  const uids = async () => {
    const entries = await fixture.run((tx) =>
      describeEntries(tx, "https://parley.example", worded),
    );
    return entries.map(({ uid }) => uid);
  };
  const own = [`appointment-${appointmentId}@parley.example`];
  expect(await uids()).toEqual(own);
  fixture.google.change(adaCalendar, eventId, { colorId: "3" });
  await fixture.readAll();
  expect(await uids()).toEqual(own);
});

test("a calendar that serves busy times alone keeps its events", async () => {
  await fixture.sql("UPDATE calendar_links SET direction = 'busy_only' WHERE account_id = ?", [
    fixture.account.accountId,
  ]);
  await cancel();
  expect(await fixture.sync(appointmentId)).toEqual({ state: "done" });
  expect(fixture.google.list(adaCalendar)).toHaveLength(1);
});

test("a cancellation here deletes the event, also one that was moved there since", async () => {
  await cancel();
  moveThere("18:00", 60_000);
  expect(await fixture.sync(appointmentId)).toEqual({ state: "done" });
  await fixture.readAll();
  expect(fixture.google.list(adaCalendar)).toEqual([]);
  expect(await fixture.events()).toEqual(["appointment.cancelled"]);
});

test("an event of ours that comes back from the bin confirms its appointment again", async () => {
  await cancel();
  await fixture.sync(appointmentId);
  await fixture.readAll();
  expect(await fixture.read(appointmentId)).toMatchObject({ googleEventId: null });
  takeBack();
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled", "appointment.created"]);
  const again = { id: appointmentId, status: "confirmed", googleEventId: eventId };
  expect(await fixture.read(appointmentId)).toMatchObject(again);
  moveThere("18:00", 0);
  await fixture.readAll();
  expect(await fixture.shown()).toEqual(["18:00 confirmed Ana Torres"]);
  expect(await fixture.busy()).toEqual([]);
});

test("so does one that both sides had deleted", async () => {
  fixture.google.remove(adaCalendar, eventId);
  await cancel();
  await fixture.sync(appointmentId);
  await fixture.readAll();
  takeBack();
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled", "appointment.created"]);
  expect(await fixture.shown()).toEqual(["15:00 confirmed Ana Torres"]);
});

/** Makes a weekly series, and finds the appointment of its second instance. */
async function makeSeries() {
  const weekly = { recurrence: ["RRULE:FREQ=WEEKLY;COUNT=3"] };
  const guests = { attendees: [{ email: "eva@example.com", displayName: "Eva" }] };
  fixture.google.insert(adaCalendar, Object.assign(guests, from("19:00", "19:30"), weekly));
  await fixture.readAll();
  const [row] = await fixture.sql<{ id: number; event: string }>(
    `SELECT id, google_event_id AS event FROM appointments
      WHERE account_id = ? AND customer_name = 'Eva' ORDER BY start_time LIMIT 1 OFFSET 1`,
    [fixture.account.accountId],
  );
  if (row === undefined) throw new Error("There is no second instance.");
  await fixture.events();
  return { id: Number(row.id), event: row.event };
}

/** Times of Eva's events. */
const evasEvents = () =>
  fixture.google
    .list(adaCalendar)
    .filter(({ attendees }) => attendees !== undefined)
    .map(({ start }) => new Date(start.dateTime ?? "").toISOString().slice(11, 16))
    .toSorted();

const isDue = async (id: number) =>
  (await fixture.sql("SELECT version FROM calendar_syncs WHERE appointment_id = ?", [id])).length >
  0;

test("a move of an instance whose id a split has replaced is written to the new id", async () => {
  const { id, event } = await makeSeries();
  const run = await moveHere("20:00", id);
  fixture.google.split(adaCalendar, event, { summary: "Control" });
  await fixture.steps.moveCalendarEvent(run);
  await fixture.steps.commitReschedule(run);
  await fixture.sync(id);
  expect(await isDue(id)).toBe(false);
  await fixture.readAll();
  expect(await isDue(id)).toBe(true);
  await fixture.sync(id);
  expect(evasEvents()).toEqual(["19:00", "19:00", "20:00"]);
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.rescheduled"]);
});

test("a cancellation of such an instance deletes it under the new id", async () => {
  const { id, event } = await makeSeries();
  await fixture.run((tx) => cancelAppointment(tx, { appointmentId: id, source }));
  fixture.google.split(adaCalendar, event, { summary: "Control" });
  await fixture.readAll();
  await fixture.sync(id);
  expect(evasEvents()).toEqual(["19:00", "19:00"]);
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled"]);
});

test("a guest's copy refuses our move, and follows its organizer to that very time later", async () => {
  const { google } = fixture;
  await cancel();
  await fixture.sync(appointmentId);
  const guests = { attendees: [{ email: adaCalendar }] };
  const invitation = Object.assign({ summary: "Review" }, guests, from("19:00", "19:30"));
  const { id } = google.insert("bruno@google.example", invitation);
  await fixture.readAll();
  expect(await fixture.shown()).toContain("19:00 confirmed bruno@google.example");
  const [row] = await fixture.sql<{ id: number }>(
    "SELECT id FROM appointments WHERE google_event_id = ?",
    [id],
  );
  await fixture.events();
  const run = await moveHere("20:00", Number(row?.id));
  const code = "unchanged";
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual({ state: "failed", code });
  await fixture.steps.releaseReschedule({ ...run, code });
  await fixture.sync(run.appointmentId);
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  expect((await fixture.read(run.appointmentId)).startTime).toEqual(new Date(soon("19:00")));
  google.change("bruno@google.example", id, from("20:00", "20:30"));
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.rescheduled"]);
  expect((await fixture.read(run.appointmentId)).startTime).toEqual(new Date(soon("20:00")));
});
