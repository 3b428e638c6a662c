import { beforeEach, expect, test } from "vitest";
import { requestReschedule } from "../../../../core/services/appointments/appointment-reschedules.ts";
import {
  completeAppointment,
  markNoShow,
} from "../../../../core/services/appointments/appointment-status.ts";
import {
  bookExternal,
  cancelExternal,
  moveExternal,
  restoreExternal,
  type ExternalBooking,
} from "../../../../core/services/appointments/external-appointments.ts";
import type { Appointment } from "../../../../db/entities/appointment.ts";
import type { Tx } from "../../../../db/transaction.ts";
import {
  afterwards,
  at,
  createTestAgenda,
  type TestAgenda,
} from "../../../support/appointments.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
});

const ana = { name: "Ana", phone: null, email: "ana@example.com" };

function bookingAt(from: string, until: string): ExternalBooking {
  return {
    resourceId: agenda.resourceId,
    serviceId: null,
    startTime: at(from),
    endTime: at(until),
    customer: ana,
    title: null,
    source: "google",
    googleEventId: "event-1",
    syncCalendars: false,
  };
}

async function book(tx: Tx, from = "16:00", until = "17:00"): Promise<Appointment> {
  const row = await bookExternal(tx, bookingAt(from, until));
  if (row === null) throw new Error("It was not booked.");
  return row;
}

const moveTo = (from: string, until: string) => ({
  startTime: at(from),
  endTime: at(until),
  source: "google" as const,
  syncCalendars: false,
});

async function notices(): Promise<string[]> {
  const rows = await database.dataSource.query<{ kind: string }[]>(
    "SELECT kind FROM notifications WHERE account_id = ? ORDER BY id",
    [agenda.account.accountId],
  );
  return rows.map(({ kind }) => kind);
}

/** Types of the events that a step leaves, with their sources. */
async function eventsOf(work: (tx: Tx) => Promise<unknown>) {
  const { events } = await agenda.trace(work);
  return events.map(({ type, data }) => `${type} ${"source" in data ? data.source : ""}`);
}

const asCalendar = (tx: Tx): Tx => ({
  ...tx,
  actor: { type: "calendar", accountId: tx.actor.accountId },
});

test("a booking makes the contact, whose source is the panel, and tells the members once", async () => {
  expect(await eventsOf((tx) => book(asCalendar(tx)))).toEqual([
    "contact.created panel",
    "appointment.created google",
  ]);
  expect(await notices()).toEqual(["appointment_booked"]);
});

test("an overlap is booked too, and one notification says so", async () => {
  await agenda.book({ startTime: at("16:30") });
  const row = await agenda.run((tx) => book(tx));
  expect(row).toMatchObject({ status: "confirmed", customerName: "Ana", title: "Ana" });
  expect(await notices()).toEqual(["appointment_booked", "appointment_overlaps"]);
});

test("a move keeps the id, releases an open move of ours and is announced once", async () => {
  const { id } = await agenda.run((tx) => book(tx));
  await agenda.run((tx) =>
    requestReschedule(tx, {
      appointmentId: id,
      startTime: at("20:00"),
      mode: "same",
      source: "panel",
    }),
  );
  const events = await eventsOf((tx) => moveExternal(tx, id, moveTo("18:00", "18:30")));
  expect(events).toEqual(["appointment.rescheduled google"]);
  expect(await agenda.read(id)).toMatchObject({ startTime: at("18:00"), endTime: at("18:30") });
  const [move] = await database.dataSource.query<{ state: string; failure_code: string }[]>(
    "SELECT state, failure_code FROM appointment_reschedules WHERE appointment_id = ?",
    [id],
  );
  expect(move).toMatchObject({ state: "released", failure_code: "moved_in_calendar" });
  expect(await eventsOf((tx) => moveExternal(tx, id, moveTo("18:00", "18:30")))).toEqual([]);
});

const marks = [
  ["no_show", markNoShow],
  ["completed", completeAppointment],
] as const;

test.each(marks)(
  "a move of a %s visit confirms it, unless the new time is over",
  async (...mark) => {
    const [status, step] = mark;
    const { id } = await agenda.run((tx) => book(tx));
    await agenda.run((tx) => afterwards(step)(tx, { appointmentId: id, source: "panel" }));
    const move = afterwards(
      async (tx, to: ReturnType<typeof moveTo>) => await moveExternal(tx, id, to),
    );
    const { events } = await agenda.trace((tx) => move(tx, moveTo("16:00", "17:30")));
    expect(events).toMatchObject([
      { type: "appointment.rescheduled", data: { status, source: "google" } },
    ]);
    expect(await agenda.read(id)).toMatchObject({ status, endTime: at("17:30") });
    const moved = await eventsOf((tx) => moveExternal(tx, id, moveTo("18:00", "18:30")));
    expect(moved).toEqual(["appointment.rescheduled google"]);
    expect(await agenda.read(id)).toMatchObject({ status: "confirmed", startTime: at("18:00") });
  },
);

test("a cancellation and a restoration are each announced once", async () => {
  const { id } = await agenda.run((tx) => book(tx));
  const cancel = (tx: Tx) =>
    cancelExternal(tx, id, { source: "google", syncCalendars: false, reason: null });
  const restore = (tx: Tx) => restoreExternal(tx, id, moveTo("19:00", "20:00"));
  expect(await eventsOf(cancel)).toEqual(["appointment.cancelled google"]);
  expect(await eventsOf(cancel)).toEqual([]);
  expect(await eventsOf(restore)).toEqual(["appointment.created google"]);
  expect(await eventsOf(restore)).toEqual([]);
  expect(await agenda.read(id)).toMatchObject({ status: "confirmed", startTime: at("19:00") });
});

test("an archived resource gets no booking", async () => {
  await database.dataSource.query("UPDATE resources SET archived_at = NOW(3) WHERE id = ?", [
    agenda.resourceId,
  ]);
  expect(await agenda.run((tx) => bookExternal(tx, bookingAt("16:00", "17:00")))).toBeNull();
});
