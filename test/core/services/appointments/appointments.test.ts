import { beforeEach, expect, test } from "vitest";
import { bookAppointment } from "../../../../core/services/appointments/appointments.ts";
import { listSlots } from "../../../../core/services/appointments/free-slots.ts";
import {
  at,
  createTestAgenda,
  createTestService,
  type TestAgenda,
} from "../../../support/appointments.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { receive } from "../../../support/conversations.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
});

const createService = async (given: Parameters<typeof createTestService>[2] = {}) =>
  await createTestService(database.dataSource, agenda.account.accountId, given);

test("a booking makes the contact, tells of both, and carries every member of the contract", async () => {
  const phone = freshPhone();
  const serviceId = await createService();
  const { result, events } = await agenda.trace((tx) =>
    bookAppointment(
      tx,
      agenda.booking({ serviceId, customer: { contact: { phone, name: "Ana" } } }),
    ),
  );
  expect(events.map(({ type }) => type)).toEqual(["contact.created", "appointment.created"]);
  expect(events[1]?.data).toEqual({
    appointment_id: result.id,
    status: "confirmed",
    title: "Consultation",
    start_time: "2030-03-05T16:00:00.000Z",
    end_time: "2030-03-05T16:30:00.000Z",
    duration_minutes: 30,
    resource_id: agenda.resourceId,
    resource_name: "Dr. Lucía Peña",
    service_id: serviceId,
    service_name: "Consultation",
    contact_id: events[0]?.data.contact_id,
    conversation_id: null,
    customer_name: "Ana",
    customer_phone: phone,
    source: "enlace",
    google_event_id: null,
    replaced_by_appointment_id: null,
  });
});

test("a known contact stays as it is, and its newest conversation is the appointment's", async () => {
  const phone = freshPhone();
  const { dataSource } = database;
  await receive(dataSource, agenda.account.accountId, { from: phone, name: "Ana Torres" });
  const { row } = await receive(dataSource, agenda.account.accountId, {
    channel: "instagram",
    from: "1784",
  });
  await dataSource.query("UPDATE conversations SET contact_id = ? WHERE id = ?", [
    row.contactId - 1,
    row.conversationId,
  ]);
  const { result, events } = await agenda.trace((tx) =>
    bookAppointment(tx, agenda.booking({ customer: { contact: { phone, name: "Somebody" } } })),
  );
  expect(events.map(({ type }) => type)).toEqual(["appointment.created"]);
  expect(result).toMatchObject({
    contactId: row.contactId - 1,
    conversationId: row.conversationId,
    customerName: "Somebody",
    customerPhone: phone,
    title: "Somebody",
    source: "enlace",
  });
  const [contact] = await dataSource.query("SELECT name FROM contacts WHERE id = ?", [
    row.contactId - 1,
  ]);
  expect(contact).toEqual({ name: "Ana Torres" });
});

test("buffers keep a distance in both directions; to touch is not to overlap", async () => {
  const buffers = { bufferBeforeMinutes: 10, bufferAfterMinutes: 20 };
  const serviceId = await createService(buffers);
  await agenda.book({ serviceId, durationMinutes: undefined });
  for (const [start, minutes] of [
    ["15:51", 1],
    ["15:30", 21],
    ["16:00", 30],
    ["16:49", 1],
    ["15:00", 240],
  ] as const) {
    const attempt = agenda.book({ startTime: at(start), durationMinutes: minutes });
    await expect(attempt).rejects.toMatchObject({ code: "slot_taken" });
  }
  // The buffers of the new one count as well.
  for (const start of ["15:01", "16:59"]) {
    const attempt = agenda.book({ serviceId, startTime: at(start), durationMinutes: undefined });
    await expect(attempt).rejects.toMatchObject({ code: "slot_taken" });
  }
  await agenda.book({ startTime: at("15:30"), durationMinutes: 20 });
  await agenda.book({ startTime: at("16:50"), durationMinutes: 20 });
});

test("free slots are those that can be booked", async () => {
  const buffers = { durationMinutes: 60, bufferAfterMinutes: 30 };
  const serviceId = await createService(buffers);
  await agenda.book({ serviceId, startTime: at("12:00"), durationMinutes: undefined });
  const query = { serviceId, from: at("09:00"), to: at("16:00") };
  const slots = await agenda.run((tx) => listSlots(tx, query));
  expect(slots.map(({ startTime }) => startTime.toISOString().slice(11, 16))).toEqual([
    "09:00",
    "10:00",
    "14:00",
    "15:00",
  ]);
  const free = new Set(slots.map(({ startTime }) => startTime.getTime()));
  for (let hour = 9; hour < 16; hour += 1) {
    const startTime = at(`${String(hour).padStart(2, "0")}:00`);
    const attempt = agenda.run(async (tx) => {
      await bookAppointment(
        tx,
        agenda.booking({ serviceId, startTime, durationMinutes: undefined }),
      );
      throw new Error("booked");
    });
    const outcome = free.has(startTime.getTime()) ? { message: "booked" } : { code: "slot_taken" };
    await expect(attempt).rejects.toMatchObject(outcome);
  }
});
