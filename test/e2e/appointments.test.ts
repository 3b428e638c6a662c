import { beforeAll, beforeEach, expect, test } from "vitest";
import { verifySignature } from "../../core/signature.ts";
import { bookAppointment } from "../../core/services/appointments/appointments.ts";
import {
  commitReschedule,
  requestReschedule,
} from "../../core/services/appointments/appointment-reschedules.ts";
import type { RescheduleMode } from "../../core/model/appointment.ts";
import { asSystem } from "../support/accounts.ts";
import { at, createTestResource, createTestService, letBegin } from "../support/appointments.ts";
import { eventually } from "../support/eventually.ts";
import {
  createContact,
  dashboard,
  postsTo,
  startDeliveryFixture,
  subscribe,
} from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDeliveryFixture);
let secret: string;
let path: string;
let resourceId: number;
let serviceId: number;
let contactId: number;
let rounds = 0;

beforeAll(async () => {
  resourceId = await createTestResource(fixture.database.dataSource, fixture.account.accountId);
  serviceId = await createTestService(fixture.database.dataSource, fixture.account.accountId);
});

/** A receiver and an empty agenda for each test. */
beforeEach(async () => {
  const { dataSource } = fixture.database;
  await dataSource.query("UPDATE subscriptions SET state = 'deleted'");
  await dataSource.query("DELETE FROM appointments");
  path = `/appointments-${(rounds += 1)}`;
  ({ secret } = await subscribe(fixture, path, { events: ["appointment.*"] }));
  contactId = await createContact(fixture, { name: "Ana Torres" });
});

/** Every member of an appointment event and its type. Source: contract, Appointment. */
const members: Record<string, string[]> = {
  appointment_id: ["number"],
  status: ["string"],
  title: ["string"],
  start_time: ["timestamp"],
  end_time: ["timestamp"],
  duration_minutes: ["number"],
  resource_id: ["number"],
  resource_name: ["string"],
  service_id: ["number", "null"],
  service_name: ["string", "null"],
  contact_id: ["number"],
  conversation_id: ["number", "null"],
  customer_name: ["string"],
  customer_phone: ["string", "null"],
  source: ["string", "null"],
  google_event_id: ["string", "null"],
  replaced_by_appointment_id: ["number", "null"],
};
/** What a move adds. Our choice. */
const previousMembers: Record<string, string[]> = {
  previous_start_time: ["timestamp"],
  previous_end_time: ["timestamp"],
  previous_resource_id: ["number"],
};

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "string") return typeof value;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) ? "timestamp" : "string";
}

/** Every event that was to be told, once all of them have arrived, in the order in which they happened. */
async function received(): Promise<[type: string, data: unknown][]> {
  await eventually(async () => {
    const open = await fixture.database.dataSource.query<unknown[]>(
      "SELECT id FROM deliveries WHERE state IN ('queued', 'sending', 'waiting')",
    );
    expect(open).toEqual([]);
  });
  const events = postsTo(fixture, path).map(({ headers, body }) => {
    expect(verifySignature(String(headers["x-service-signature"]), secret, body)).toBe(true);
    const event = JSON.parse(body.toString());
    expect(headers["x-service-event"]).toBe(event.event_type);
    expectMembers(event.event_type, event.data);
    return event;
  });
  return events
    .toSorted((one, other) => (one.event_id < other.event_id ? -1 : 1))
    .map(({ event_type, data }) => [event_type, data]);
}

function expectMembers(type: string, data: Record<string, unknown>): void {
  const expected =
    type === "appointment.rescheduled" ? { ...members, ...previousMembers } : members;
  expect(Object.keys(data)).toEqual(Object.keys(expected));
  for (const [name, types] of Object.entries(expected)) {
    expect([name, types.includes(typeOf(data[name]))]).toEqual([name, true]);
  }
}

/** An event with these members among others. */
const told = (type: string, data: object) => [type, expect.objectContaining(data)];

async function book(given: object = {}): Promise<number> {
  const body = {
    resource_id: resourceId,
    service_id: serviceId,
    contact_id: contactId,
    start_time: "2030-03-05T16:00:00Z",
    ...given,
  };
  const answer = await dashboard(fixture, "POST", "/appointments", body);
  expect(answer.status).toBe(201);
  return answer.json.data.id;
}

const step = async (id: number, name: string) => {
  const { status } = await dashboard(fixture, "POST", `/appointments/${id}/${name}`, {});
  expect(status).toBe(200);
};

const move = async (appointmentId: number, mode: RescheduleMode, source: string) =>
  await asSystem(fixture.database.dataSource, fixture.account.accountId, async (tx) => {
    const startTime = at("18:00");
    const row = await requestReschedule(tx, { appointmentId, startTime, mode, source });
    return await commitReschedule(tx, row?.id ?? 0);
  });

test("scheduled in the Dashboard: appointment.created with status confirmed", async () => {
  const id = await book();
  const phone = expect.stringMatching(/^\d+$/);
  expect(await received()).toEqual([
    told("appointment.created", {
      appointment_id: id,
      status: "confirmed",
      title: "Consultation",
      start_time: "2030-03-05T16:00:00.000Z",
      end_time: "2030-03-05T16:30:00.000Z",
      duration_minutes: 30,
      resource_id: resourceId,
      resource_name: "Dr. Lucía Peña",
      service_id: serviceId,
      service_name: "Consultation",
      contact_id: contactId,
      conversation_id: null,
      customer_name: "Ana Torres",
      customer_phone: phone,
      source: "panel",
      google_event_id: null,
      replaced_by_appointment_id: null,
    }),
  ]);
});

test.each(["agente", "enlace", "google", "calendly", "voz", "kiosk", null])(
  "scheduled by %s: appointment.created says so",
  async (source) => {
    const row = await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
      bookAppointment(tx, {
        resourceId,
        startTime: at("10:00"),
        durationMinutes: 45,
        customer: { contactId },
        source,
        ...(source === "google" ? { googleEventId: "g123" } : {}),
      }),
    );
    expect(await received()).toEqual([
      told("appointment.created", {
        appointment_id: row.id,
        status: "confirmed",
        source,
        service_id: null,
        service_name: null,
        duration_minutes: 45,
        google_event_id: source === "google" ? "g123" : null,
      }),
    ]);
  },
);

test("rescheduled from the Dashboard: the same id at its new time", async () => {
  const id = await book();
  await move(id, "same", "panel");
  expect(await received()).toEqual([
    told("appointment.created", { appointment_id: id }),
    told("appointment.rescheduled", {
      appointment_id: id,
      status: "confirmed",
      start_time: "2030-03-05T18:00:00.000Z",
      end_time: "2030-03-05T18:30:00.000Z",
      source: "panel",
      replaced_by_appointment_id: null,
      previous_start_time: "2030-03-05T16:00:00.000Z",
      previous_end_time: "2030-03-05T16:30:00.000Z",
      previous_resource_id: resourceId,
    }),
  ]);
});

test("rescheduled by the AI agent: a new appointment, and the previous one points to it at its previous time", async () => {
  const id = await book();
  const outcome = await move(id, "replace", "agente");
  expect(outcome).toEqual({ state: "committed", appointmentId: expect.any(Number) });
  const newId = outcome.state === "committed" ? outcome.appointmentId : 0;
  expect(newId).not.toBe(id);
  expect(await received()).toEqual([
    told("appointment.created", { appointment_id: id }),
    told("appointment.created", {
      appointment_id: newId,
      status: "confirmed",
      start_time: "2030-03-05T18:00:00.000Z",
      source: "agente",
      replaced_by_appointment_id: null,
    }),
    told("appointment.rescheduled", {
      appointment_id: id,
      status: "rescheduled",
      start_time: "2030-03-05T16:00:00.000Z",
      end_time: "2030-03-05T16:30:00.000Z",
      source: "agente",
      replaced_by_appointment_id: newId,
    }),
  ]);
});

test("cancelled and reactivated: appointment.cancelled, and appointment.created again with the same id", async () => {
  const id = await book();
  await step(id, "cancel");
  await step(id, "reactivate");
  expect(await received()).toEqual([
    told("appointment.created", { appointment_id: id, status: "confirmed" }),
    told("appointment.cancelled", { appointment_id: id, status: "cancelled", source: "panel" }),
    told("appointment.created", { appointment_id: id, status: "confirmed", source: "panel" }),
  ]);
});

test("marked completed or no-show, and back: no event", async () => {
  const id = await book();
  await letBegin(fixture.database.dataSource, id);
  for (const name of ["complete", "no-show", "reactivate", "no-show"]) await step(id, name);
  expect(await received()).toEqual([told("appointment.created", { appointment_id: id })]);
});
