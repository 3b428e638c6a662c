import { afterEach, beforeEach, expect, test } from "vitest";
import type { RescheduleRun } from "../../core/model/workflow/rescheduling.ts";
import {
  cancelAppointment,
  completeAppointment,
  reactivateAppointment,
} from "../../core/services/appointments/appointment-status.ts";
import { eraseContact } from "../../core/services/contact-lifecycle/contact-erasure.ts";
import type { Appointment } from "../../db/entities/appointment.ts";
import { afterwards, at } from "../support/appointments.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { testGoogleEmail } from "../support/google-calendar.ts";
import { createGate } from "../workflows/fake-run.ts";
import { createCalendarFixture, type CalendarFixture } from "./calendar-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let fixture: CalendarFixture;

beforeEach(async () => {
  fixture = await createCalendarFixture(database);
});

afterEach(async () => await fixture.stop());

const done = { state: "done" };
const callsOf = () => fixture.calls();
const source = "panel";
const cancel = async ({ id: appointmentId }: Appointment) =>
  await fixture.run((tx) => cancelAppointment(tx, { appointmentId, source }));
const release = async (run: RescheduleRun) =>
  await fixture.steps.releaseReschedule({ ...run, code: "calendar_unavailable" });

test("a booking asks for its event in its own transaction, and names it once it is there", async () => {
  const row = await fixture.book();
  expect(await fixture.asked()).toEqual([`sync-appointment-${row.id}-1`]);
  expect(row.googleEventId).toBeNull();
  expect(await fixture.sync(row.id)).toEqual(done);
  const { googleEventId } = await fixture.read(row.id);
  expect(fixture.google.find(fixture.calendarId, googleEventId ?? "")).toMatchObject({
    summary: "Ana Torres",
    start: { dateTime: "2030-03-05T16:00:00Z", timeZone: "UTC" },
    end: { dateTime: "2030-03-05T16:30:00Z", timeZone: "UTC" },
    extendedProperties: { private: { appointment_id: String(row.id) } },
  });
  await fixture.sync(row.id);
  expect(callsOf(), "what is there already is not written again").toEqual(["insert"]);
});

test("without a calendar nothing is asked for, and a move does nothing outside", async () => {
  await fixture.sql("DELETE FROM calendar_links WHERE account_id = ?", [fixture.account.accountId]);
  const row = await fixture.book();
  expect(await fixture.asked()).toEqual([]);
  const run = await fixture.requestMove(row);
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual(done);
  expect(await fixture.steps.commitReschedule(run)).toMatchObject({ state: "committed" });
  expect(await fixture.sync(row.id)).toEqual(done);
  expect(fixture.calls()).toEqual([]);
});

test("a cancelled appointment has no event, a completed one keeps it, a reactivated one gets another", async () => {
  const row = await fixture.bookWithEvent();
  await cancel(row);
  await fixture.sync(row.id);
  expect(fixture.shown()).toEqual([]);
  expect((await fixture.read(row.id)).googleEventId).toBeNull();
  await fixture.run((tx) => reactivateAppointment(tx, { appointmentId: row.id, source }));
  await fixture.sync(row.id);
  expect(fixture.shown()).toEqual([`16:00 ${row.id}`]);
  expect((await fixture.read(row.id)).googleEventId).not.toBe(row.googleEventId);
  await fixture.run((tx) => afterwards(completeAppointment)(tx, { appointmentId: row.id, source }));
  await fixture.sync(row.id);
  expect(fixture.shown()).toEqual([`16:00 ${row.id}`]);
  expect(await fixture.asked()).toEqual([1, 2, 3, 4].map((n) => `sync-appointment-${row.id}-${n}`));
});

test("the event moves before the commit, and is left alone after it", async () => {
  const row = await fixture.bookWithEvent();
  const run = await fixture.requestMove(row);
  expect(await fixture.asked()).toContain(`reschedule-${row.id}-${run.rescheduleId}`);
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual(done);
  expect(fixture.shown()).toEqual([`18:00 ${row.id}`]);
  expect((await fixture.read(row.id)).startTime).toEqual(at("16:00"));
  await fixture.steps.commitReschedule(run);
  await fixture.sync(row.id);
  expect(callsOf()).toEqual(["patch"]);
  expect(await fixture.read(row.id)).toMatchObject({
    startTime: at("18:00"),
    googleEventId: row.googleEventId,
  });
});

test("a move that is given up puts the event back to the old time", async () => {
  const row = await fixture.bookWithEvent();
  const run = await fixture.requestMove(row);
  await fixture.steps.moveCalendarEvent(run);
  expect(await release(run)).toEqual({
    state: "released",
    code: "calendar_unavailable",
    appointmentIds: [row.id],
  });
  await fixture.sync(row.id);
  expect(fixture.shown()).toEqual([`16:00 ${row.id}`]);
});

test("a move to another calendar inserts there first and deletes here last", async () => {
  const row = await fixture.bookWithEvent();
  const other = await fixture.addAgenda();
  const run = await fixture.requestMove(row, { resourceId: other.resourceId });
  await fixture.steps.moveCalendarEvent(run);
  expect([fixture.shown(), fixture.shown(other.calendarId)]).toEqual([
    [`16:00 ${row.id}`],
    [`18:00 ${row.id}`],
  ]);
  const { events } = await fixture.trace(() => fixture.steps.commitReschedule(run));
  const moved = await fixture.read(row.id);
  expect(events.map(({ type, data }) => [type, data.google_event_id])).toEqual([
    ["appointment.rescheduled", moved.googleEventId],
  ]);
  await fixture.sync(row.id);
  expect([fixture.shown(), fixture.shown(other.calendarId)]).toEqual([[], [`18:00 ${row.id}`]]);
  expect(fixture.google.find(other.calendarId, moved.googleEventId ?? "")).not.toBeNull();
  expect(callsOf()).toEqual(["insert", "delete"]);
});

test("a move to another calendar that is given up leaves the event where it was", async () => {
  const row = await fixture.bookWithEvent();
  const other = await fixture.addAgenda();
  const run = await fixture.requestMove(row, { resourceId: other.resourceId });
  await fixture.steps.moveCalendarEvent(run);
  await release(run);
  await fixture.sync(row.id);
  expect([fixture.shown(), fixture.shown(other.calendarId)]).toEqual([[`16:00 ${row.id}`], []]);
  expect((await fixture.read(row.id)).googleEventId).toBe(row.googleEventId);
});

test.each(["the same calendar", "another calendar"])(
  "an appointment that replaces the old one takes over its event on %s",
  async (where) => {
    const row = await fixture.bookWithEvent();
    const other = where === "another calendar" ? await fixture.addAgenda() : fixture;
    const run = await fixture.requestMove(row, { resourceId: other.resourceId, mode: "replace" });
    await fixture.steps.moveCalendarEvent(run);
    const { result, events } = await fixture.trace(() => fixture.steps.commitReschedule(run));
    const [oldId = 0, newId = 0] = result.appointmentIds;
    for (const id of result.appointmentIds) await fixture.sync(id);
    const [old, next] = [await fixture.read(oldId), await fixture.read(newId)];
    expect(old).toMatchObject({ status: "rescheduled", googleEventId: null });
    expect(fixture.google.find(other.calendarId, next.googleEventId ?? "")?.status).toBe(
      "confirmed",
    );
    expect(events.map(({ type, data }) => [type, data.google_event_id])).toEqual([
      ["appointment.created", next.googleEventId],
      ["appointment.rescheduled", null],
    ]);
    expect(fixture.shown(other.calendarId)).toEqual([`18:00 ${newId}`]);
    expect(fixture.shown()).toEqual(other === fixture ? [`18:00 ${newId}`] : []);
  },
);

test("an insert whose answer was lost makes one event, however often it is tried", async () => {
  const row = await fixture.book();
  fixture.google.hook(({ call }) => (call === "insert" ? "late" : null));
  await expect(fixture.sync(row.id)).rejects.toMatchObject({ code: "timeout" });
  fixture.google.hook(null);
  expect(await fixture.sync(row.id)).toEqual(done);
  expect(fixture.shown()).toEqual([`16:00 ${row.id}`]);
  expect((await fixture.read(row.id)).googleEventId).not.toBeNull();
});

test("a patch whose answer was lost is put back all the same", async () => {
  const row = await fixture.bookWithEvent();
  const run = await fixture.requestMove(row);
  fixture.google.hook(({ call }) => (call === "patch" ? "late" : null));
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual({ state: "waiting", code: "timeout" });
  fixture.google.hook(null);
  expect(fixture.shown()).toEqual([`18:00 ${row.id}`]);
  await release(run);
  await fixture.sync(row.id);
  expect(fixture.shown()).toEqual([`16:00 ${row.id}`]);
});

test("a patch that is late by more than its whole move changes nothing any more", async () => {
  const row = await fixture.bookWithEvent();
  const run = await fixture.requestMove(row);
  const gate = createGate();
  fixture.google.hook(({ call }) => (call === "patch" ? gate.passed : null));
  const late = fixture.steps.moveCalendarEvent(run);
  await eventually(() => expect(callsOf()).toEqual(["patch"]));
  fixture.google.hook(null);
  await release(run);
  await fixture.sync(row.id);
  gate.open();
  expect(await late).toEqual(done);
  expect(fixture.shown()).toEqual([`16:00 ${row.id}`]);
});

test("a calendar in trouble holds no other one up, and is asked again", async () => {
  const row = await fixture.bookWithEvent();
  const other = await fixture.addAgenda();
  const third = await fixture.addAgenda();
  const moveTo = async ({ resourceId }: { resourceId: number }) => {
    const run = await fixture.requestMove(row, { resourceId });
    await fixture.steps.commitReschedule(run);
  };
  fixture.google.hook(({ call }) => (call === "delete" ? "unavailable" : null));
  await moveTo(other);
  await expect(fixture.sync(row.id)).rejects.toMatchObject({ code: "http_503" });
  expect(fixture.shown(other.calendarId), "where it is comes first").toEqual([`18:00 ${row.id}`]);
  await moveTo(third);
  const inTrouble = fixture.calendarId;
  fixture.google.hook(({ calendarId }) => (calendarId === inTrouble ? "unavailable" : null));
  await expect(fixture.sync(row.id)).rejects.toMatchObject({ code: "http_503" });
  expect([
    fixture.shown(),
    fixture.shown(other.calendarId),
    fixture.shown(third.calendarId),
  ]).toEqual([[`16:00 ${row.id}`], [], [`18:00 ${row.id}`]]);
  fixture.google.hook(null);
  expect(await fixture.sync(row.id)).toEqual(done);
  expect(fixture.shown()).toEqual([]);
});

test("a calendar that refuses the new event does not keep the old one", async () => {
  const row = await fixture.bookWithEvent();
  const other = await fixture.addAgenda();
  const run = await fixture.requestMove(row, { resourceId: other.resourceId });
  await fixture.steps.commitReschedule(run);
  fixture.google.hook(({ call }) => (call === "insert" ? "badRequest" : null));
  expect(await fixture.sync(row.id)).toEqual({ state: "refused" });
  expect(fixture.shown()).toEqual([]);
});

test("an insert under way when its appointment is cancelled does not stay behind", async () => {
  const row = await fixture.book();
  const gate = createGate();
  fixture.google.hook(({ call }) => (call === "insert" ? gate.passed : null));
  const late = fixture.sync(row.id);
  await eventually(() => expect(callsOf()).toContain("insert"));
  fixture.google.hook(null);
  await cancel(row);
  // Google does not know the event yet, and may hear of it any moment.
  await expect(fixture.sync(row.id)).rejects.toMatchObject({ code: "unheard" });
  gate.open();
  await late;
  expect(await fixture.sync(row.id)).toEqual(done);
  expect(fixture.shown()).toEqual([]);
});

test("an insert that never arrived is forgotten after half a minute", async () => {
  const row = await fixture.book();
  fixture.google.hook(({ call }) => (call === "insert" ? "unavailable" : null));
  await expect(fixture.sync(row.id)).rejects.toMatchObject({ code: "http_503" });
  await cancel(row);
  await expect(fixture.sync(row.id)).rejects.toMatchObject({ code: "unheard" });
  await fixture.sql(
    "UPDATE calendar_events SET updated_at = updated_at - INTERVAL 31 SECOND WHERE appointment_id = ?",
    [row.id],
  );
  expect(await fixture.sync(row.id)).toEqual(done);
  expect(
    await fixture.sql("SELECT id FROM calendar_events WHERE appointment_id = ?", [row.id]),
  ).toEqual([]);
});

test("an event that its owner changed moves, and keeps what else they wrote", async () => {
  const row = await fixture.bookWithEvent();
  const eventId = row.googleEventId ?? "";
  fixture.google.change(fixture.calendarId, eventId, { description: "bring the X-rays" });
  const run = await fixture.requestMove(row);
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual(done);
  expect(callsOf()).toEqual(["patch", "get", "patch"]);
  expect(fixture.google.find(fixture.calendarId, eventId)).toMatchObject({
    description: "bring the X-rays",
    start: { dateTime: "2030-03-05T18:00:00Z" },
  });
});

test("an event that its owner deleted is not made anew: the reading cancels the appointment", async () => {
  const row = await fixture.bookWithEvent();
  fixture.google.change(fixture.calendarId, row.googleEventId ?? "", { status: "cancelled" });
  expect(await fixture.sync(row.id)).toEqual(done);
  const run = await fixture.requestMove(row);
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual(done);
  expect(fixture.shown()).toEqual([]);
  expect((await fixture.asked()).filter((id) => id.startsWith("sync-calendar-"))).toHaveLength(1);
});

test("an event that its owner deleted is made anew on a calendar that is not read", async () => {
  const row = await fixture.bookWithEvent();
  await fixture.sql("UPDATE calendar_links SET direction = 'write_only' WHERE resource_id = ?", [
    fixture.resourceId,
  ]);
  fixture.google.change(fixture.calendarId, row.googleEventId ?? "", { status: "cancelled" });
  const run = await fixture.requestMove(row);
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual(done);
  expect(fixture.shown()).toEqual([`18:00 ${row.id}`]);
  await fixture.steps.commitReschedule(run);
  const { googleEventId } = await fixture.read(row.id);
  expect(googleEventId).not.toBe(row.googleEventId);
  expect(fixture.google.find(fixture.calendarId, googleEventId ?? "")?.status).toBe("confirmed");
});

test("credentials that are no longer taken disconnect the calendar, and the move goes on without it", async () => {
  const row = await fixture.bookWithEvent({ source: "panel" });
  fixture.google.endConsent(testGoogleEmail);
  const run = await fixture.requestMove(row);
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual(done);
  expect(
    await fixture.sql("SELECT state FROM calendar_links WHERE resource_id = ?", [
      fixture.resourceId,
    ]),
  ).toEqual([{ state: "disconnected" }]);
  expect(
    await fixture.sql("SELECT kind, admins_only FROM notifications WHERE account_id = ?", [
      fixture.account.accountId,
    ]),
  ).toEqual([{ kind: "calendar_disconnected", admins_only: 1 }]);
  expect(await fixture.steps.commitReschedule(run)).toMatchObject({ state: "committed" });
  const asked = fixture.google.requests().length;
  expect(await fixture.sync(row.id)).toEqual(done);
  expect(fixture.google.requests(), "nobody is asked any more").toHaveLength(asked);
});

test("a calendar that was deleted is disconnected and told of, and the appointment goes on without it", async () => {
  const row = await fixture.book({ source: "panel" });
  fixture.google.hook(({ call }) => (call === "token" ? null : "notFound"));
  expect(await fixture.sync(row.id)).toEqual(done);
  expect(
    await fixture.sql("SELECT state FROM calendar_links WHERE resource_id = ?", [
      fixture.resourceId,
    ]),
  ).toEqual([{ state: "disconnected" }]);
  expect(
    await fixture.sql("SELECT kind, admins_only FROM notifications WHERE account_id = ?", [
      fixture.account.accountId,
    ]),
  ).toEqual([{ kind: "calendar_disconnected", admins_only: 1 }]);
});

test("a calendar that is no longer shared for writing holds no move up", async () => {
  const row = await fixture.bookWithEvent();
  const run = await fixture.requestMove(row);
  fixture.google.hook(({ call }) => (call === "patch" ? "forbidden" : null));
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual(done);
  expect(await fixture.steps.commitReschedule(run)).toMatchObject({ state: "committed" });
});

test.each([
  { fault: "backend", outcome: { state: "waiting", code: "http_500" } },
  { fault: "rateLimit", outcome: { state: "waiting", code: "http_403" } },
  { fault: "badRequest", outcome: { state: "failed", code: "http_400" } },
] as const)("$fault of the calendar is $outcome.state", async ({ fault, outcome }) => {
  const row = await fixture.bookWithEvent();
  const run = await fixture.requestMove(row);
  fixture.google.hook(() => fault);
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual(outcome);
});

test("a move whose appointment was cancelled meanwhile writes nothing, and ends as that", async () => {
  const row = await fixture.bookWithEvent();
  const run = await fixture.requestMove(row);
  await cancel(row);
  expect(await fixture.steps.moveCalendarEvent(run)).toEqual(done);
  expect(fixture.calls()).toEqual([]);
  expect(await fixture.steps.commitReschedule(run)).toMatchObject({
    state: "released",
    code: "appointment_cancelled",
  });
});

test("the erasure of a contact takes its event off the calendar", async () => {
  const row = await fixture.bookWithEvent();
  await fixture.run((tx) => eraseContact(tx, row.contactId));
  expect((await fixture.asked()).filter((id) => id.startsWith("sync"))).toEqual([
    `sync-appointment-${row.id}-1`,
    `sync-appointment-${row.id}-2`,
  ]);
  expect(await fixture.sync(row.id)).toEqual(done);
  expect(fixture.shown()).toEqual([]);
});

test("steps that run twice, and side by side, come to the same", async () => {
  const row = await fixture.bookWithEvent();
  const run = await fixture.requestMove(row);
  const twice = async <T>(step: () => Promise<T>) => await Promise.all([step(), step()]);
  expect(await twice(() => fixture.steps.moveCalendarEvent(run))).toEqual([done, done]);
  const [first, second] = await twice(() => fixture.steps.commitReschedule(run));
  expect(second).toEqual(first);
  expect(await release(run)).toEqual(first);
  await twice(() => fixture.sync(row.id));
  expect(fixture.shown()).toEqual([`18:00 ${row.id}`]);
});
