import { beforeEach, expect, test } from "vitest";
import { createTestAccount } from "../../support/accounts.ts";
import { callApi, type TestAnswer } from "../../support/api.ts";
import {
  createTestResource,
  createTestService,
  letBegin,
  openFrom,
} from "../../support/appointments.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { receive, tracesOf } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let cookie: string;
let accountId: number;
let resourceId: number;
let contactId: number;

/** An account of its own, with a resource that is open from 9 to 17 in Mexico City, six hours behind. */
beforeEach(async () => {
  ({ cookie, accountId } = await createTestAccount(fixture.database.dataSource));
  resourceId = await createTestResource(fixture.database.dataSource, accountId, {
    timeZone: "America/Mexico_City",
    weeklyHours: openFrom("09:00", "17:00"),
  });
  const contact = await call("POST", "/contacts", { phone: freshPhone(), name: "Ana Torres" });
  contactId = contact.json.data.id;
});

const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  await callApi(fixture.api.url, method, `/dashboard/api${path}`, { cookie, body });
const traced = async (work: () => Promise<TestAnswer>) =>
  await tracesOf(fixture.database.dataSource, accountId, work);
/** A booking for 10:00 in Mexico City. */
const booking = (given: object = {}) => ({
  resource_id: resourceId,
  contact_id: contactId,
  start_time: "2030-03-05T10:00:00-06:00",
  duration_minutes: 30,
  ...given,
});
const book = async (given: object = {}) => await call("POST", "/appointments", booking(given));
const codeOf = ({ status, json }: TestAnswer) => [status, json.error?.code];
const detailsOf = ({ status, json }: TestAnswer) => [
  status,
  json.error?.details?.map(({ path, code }: { path: string; code: string }) => [path, code]),
];

test("a booking is in the conversation that it names, which is of the contact", async () => {
  const { dataSource } = fixture.database;
  const from = `v_${freshPhone()}`;
  const { row } = await receive(dataSource, accountId, { channel: "web", from });
  const place = { contact_id: row.contactId, conversation_id: row.conversationId };
  const foreign = await book({ ...place, contact_id: contactId });
  const problem = ["body.conversation_id", "unknown_conversation"];
  expect(detailsOf(foreign)).toEqual([400, [problem]]);
  const booked = await book(place);
  expect([booked.status, booked.json.data]).toMatchObject([201, place]);
});

test("a booking is told whole, and read as it was told", async () => {
  const { result, events } = await traced(() => book());
  expect(result.status).toBe(201);
  const { id } = result.json.data;
  expect(result.json.data).toEqual({
    id,
    status: "confirmed",
    title: "Ana Torres",
    start_time: "2030-03-05T16:00:00.000Z",
    end_time: "2030-03-05T16:30:00.000Z",
    duration_minutes: 30,
    buffer_before_minutes: 0,
    buffer_after_minutes: 0,
    resource_id: resourceId,
    resource_name: "Dr. Lucía Peña",
    service_id: null,
    service_name: null,
    service_hue: "slate",
    contact_id: contactId,
    conversation_id: null,
    customer_name: "Ana Torres",
    customer_phone: expect.stringMatching(/^\d+$/),
    source: "panel",
    google_event_id: null,
    replaces_appointment_id: null,
    replaced_by_appointment_id: null,
    cancel_reason: null,
    cancelled_at: null,
    created_by_user_id: expect.any(Number),
    created_at: expect.any(String),
    updated_at: expect.any(String),
    reschedule: null,
  });
  expect(events.map(({ type, data }) => [type, data.source])).toEqual([
    ["appointment.created", "panel"],
  ]);
  expect((await call("GET", `/appointments/${id}`)).json.data).toEqual(result.json.data);
  const [change] = await fixture.query(
    "SELECT kind, contact_id FROM changes WHERE account_id = ? ORDER BY id DESC LIMIT 1",
    [accountId],
  );
  expect(change).toEqual({ kind: "appointment.created", contact_id: contactId });
});

test("fifty who want one slot at once: one has it, and one event tells of it", async () => {
  const { dataSource } = fixture.database;
  const serviceId = await createTestService(dataSource, accountId, { bufferAfterMinutes: 15 });
  const { events, result } = await tracesOf(dataSource, accountId, () =>
    Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        book({
          service_id: serviceId,
          // Half of them are the same person, half are new; some want it a little later.
          ...(index % 2 === 0
            ? {}
            : { contact_id: undefined, contact: { phone: freshPhone(), name: `N${index}` } }),
          start_time: `2030-03-05T10:${String(index % 3).padStart(2, "0")}:00-06:00`,
        }),
      ),
    ),
  );
  const outcomes = result.map(codeOf).map(([status, code]) => `${status} ${code ?? ""}`);
  expect(outcomes.filter((one) => one.startsWith("201"))).toHaveLength(1);
  expect(outcomes.filter((one) => one === "409 slot_taken")).toHaveLength(49);
  expect(events.filter(({ type }) => type === "appointment.created")).toHaveLength(1);
  expect(events.length).toBeLessThanOrEqual(2);
});

test("outside opening hours a person may book on purpose, in the past nobody", async () => {
  const early = { start_time: "2030-03-05T08:45:00-06:00" };
  const tooEarly = await book(early);
  expect(codeOf(tooEarly)).toEqual([422, "outside_hours"]);
  expect(tooEarly.json.error.details).toEqual({ reason: "opening_hours" });
  expect(codeOf(await book({ start_time: "2030-03-05T16:45:00-06:00" }))).toEqual([
    422,
    "outside_hours",
  ]);
  expect((await book({ ...early, outside_hours: true })).status).toBe(201);
  const past = { start_time: "2024-03-05T10:00:00-06:00", outside_hours: true };
  expect(codeOf(await book(past))).toEqual([422, "past_time"]);
});

test("a closure keeps customers out and is passed over on purpose alone", async () => {
  const closed = { start_time: "2030-03-05T10:15:00-06:00", end_time: "2030-03-06T00:00:00-06:00" };
  await call("POST", `/resources/${resourceId}/closures`, closed);
  const refused = await book();
  expect(codeOf(refused)).toEqual([422, "outside_hours"]);
  expect(refused.json.error.details).toEqual({ reason: "closure" });
  const range = "from=2030-03-05T00:00:00-06:00&to=2030-03-06T00:00:00-06:00";
  const slots = await call("GET", `/slots?resource_id=${resourceId}&${range}`);
  expect(slots.json.data).toEqual([
    {
      resource_id: resourceId,
      start_time: "2030-03-05T15:00:00.000Z",
      end_time: "2030-03-05T15:30:00.000Z",
    },
    {
      resource_id: resourceId,
      start_time: "2030-03-05T15:30:00.000Z",
      end_time: "2030-03-05T16:00:00.000Z",
    },
  ]);
  expect((await book({ outside_hours: true })).status).toBe(201);
});

test("a day is a day of whoever asks: ranges carry their offset", async () => {
  // The evening of the 5th in Mexico City is the 6th in UTC and in Madrid.
  const evening = { start_time: "2030-03-05T22:00:00-06:00", outside_hours: true };
  const { id } = (await book(evening)).json.data;
  const day = async (date: string, next: string, offset: string) => {
    const range = new URLSearchParams({
      from: `${date}T00:00:00${offset}`,
      to: `${next}T00:00:00${offset}`,
      resource_id: String(resourceId),
    });
    const { json } = await call("GET", `/appointments?${range.toString()}`);
    return [json.meta.total, json.data.map((row: { id: number }) => row.id)];
  };
  expect(await day("2030-03-05", "2030-03-06", "-06:00")).toEqual([1, [id]]);
  expect(await day("2030-03-06", "2030-03-07", "-06:00")).toEqual([0, []]);
  expect(await day("2030-03-05", "2030-03-06", "Z")).toEqual([0, []]);
  expect(await day("2030-03-06", "2030-03-07", "+01:00")).toEqual([1, [id]]);
});

test("the life of an appointment through its routes", async () => {
  const { id } = (await book()).json.data;
  const step = async (name: string, body?: object) =>
    await call("POST", `/appointments/${id}/${name}`, body);
  const { result, events } = await traced(async () => {
    expect(codeOf(await step("complete"))).toEqual([422, "appointment_not_begun"]);
    expect(codeOf(await step("no-show"))).toEqual([422, "appointment_not_begun"]);
    await letBegin(fixture.database.dataSource, id);
    expect((await step("complete")).json.data.status).toBe("completed");
    expect((await step("no-show")).json.data.status).toBe("no_show");
    await step("reactivate");
    await step("cancel", { reason: " ill " });
    const again = await step("cancel");
    expect(again.json.data).toMatchObject({ status: "cancelled", cancel_reason: "ill" });
    expect(codeOf(await step("complete"))).toEqual([422, "appointment_not_confirmed"]);
    const other = await book();
    expect(other.status).toBe(201);
    await letBegin(fixture.database.dataSource, other.json.data.id);
    return await step("reactivate");
  });
  expect(codeOf(result)).toEqual([409, "slot_taken"]);
  expect(events.map(({ type }) => type)).toEqual(["appointment.cancelled", "appointment.created"]);
});

test("a service says how long it takes and who gives it", async () => {
  const { dataSource } = fixture.database;
  const other = await createTestResource(dataSource, accountId);
  const created = await call("POST", "/services", {
    name: "Surgery",
    duration_minutes: 90,
    buffer_after_minutes: 30,
    resource_ids: [resourceId],
  });
  const service = { service_id: created.json.data.id, duration_minutes: undefined };
  const booked = await book(service);
  expect(booked.json.data).toMatchObject({
    title: "Surgery",
    service_name: "Surgery",
    end_time: "2030-03-05T17:30:00.000Z",
  });
  expect(codeOf(await book({ ...service, resource_id: other }))).toEqual([
    422,
    "service_not_offered",
  ]);
  expect(codeOf(await book({ start_time: "2030-03-05T11:45:00-06:00" }))).toEqual([
    409,
    "slot_taken",
  ]);
  const range = "from=2030-03-05T15:00:00Z&to=2030-03-05T20:00:00Z";
  const slots = await call("GET", `/slots?service_id=${service.service_id}&${range}`);
  // The grid is the service's own length from nine o'clock on.
  expect(slots.json.data.map((slot: { start_time: string }) => slot.start_time)).toEqual([
    "2030-03-05T18:00:00.000Z",
    "2030-03-05T19:30:00.000Z",
  ]);
});

test("short slots are offered every five minutes, those of an hour by the hour", async () => {
  const range = "from=2030-03-05T15:00:00Z&to=2030-03-05T15:20:00Z";
  const starts = async (minutes: number) => {
    const { json } = await call("GET", `/slots?${range}&duration_minutes=${minutes}`);
    return json.data.map((slot: { start_time: string }) => slot.start_time.slice(11, 16));
  };
  expect(await starts(1)).toEqual(["15:00", "15:05", "15:10", "15:15"]);
  expect(await starts(60)).toEqual(["15:00"]);
});

test("bad bookings are refused field by field, and nothing is written", async () => {
  const stranger = await createTestAccount(fixture.database.dataSource);
  const foreign = await createTestResource(fixture.database.dataSource, stranger.accountId);
  const foreignService = await createTestService(fixture.database.dataSource, stranger.accountId);
  const before = await fixture.count("appointments", "events", "contacts");
  const cases: [object, [string, string][]][] = [
    [{ resource_id: foreign }, [["body.resource_id", "unknown_resource"]]],
    [{ service_id: foreignService }, [["body.service_id", "unknown_service"]]],
    [{ contact_id: 999_999 }, [["body.contact_id", "unknown_contact"]]],
    [{ contact_id: undefined }, [["body.contact_id", "one_contact"]]],
    [{ contact: { phone: "34600000000" } }, [["body.contact_id", "one_contact"]]],
    [{ end_time: "2030-03-05T11:00:00-06:00" }, [["body.end_time", "one_length"]]],
    [{ duration_minutes: undefined }, [["body.duration_minutes", "required"]]],
    [
      { duration_minutes: undefined, end_time: "2030-03-05T09:00:00-06:00" },
      [["body.end_time", "invalid_length"]],
    ],
    [
      { duration_minutes: undefined, end_time: "2030-03-07T09:00:00-06:00" },
      [["body.end_time", "invalid_length"]],
    ],
    [{ duration_minutes: 1_441 }, [["body.duration_minutes", "too_big"]]],
    [{ start_time: "2030-03-05T10:00:00" }, [["body.start_time", "invalid_format"]]],
    [{ start_time: "1999-12-31T23:59:00Z" }, [["body.start_time", "invalid_value"]]],
    [{ contact_id: undefined, contact: {} }, [["body.contact", "phone_or_email_required"]]],
    [{ source: "voz" }, [["body.source", "unknown_field"]]],
  ];
  for (const [given, details] of cases) {
    expect([given, detailsOf(await book(given))]).toEqual([given, [400, details]]);
  }
  const queries: [string, [string, string][]][] = [
    ["/appointments?from=today", [["query.from", "invalid_format"]]],
    ["/appointments?resource_id=1,x", [["query.resource_id", "invalid_format"]]],
    ["/appointments?limit=1001", [["query.limit", "too_big"]]],
    ["/appointments?status=gone", [["query.status", "invalid_value"]]],
    ["/appointments?order=next", [["query.order", "invalid_value"]]],
    ["/slots?from=2030-01-01T00:00:00Z", [["query.to", "required"]]],
    ["/slots?from=2030-01-01T00:00:00Z&to=2030-06-01T00:00:00Z", [["query.to", "invalid_range"]]],
    [
      `/slots?from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z&resource_id=${foreign}`,
      [["query.resource_id", "unknown_resource"]],
    ],
    [
      `/slots?from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z&service_id=${foreignService}`,
      [["query.service_id", "unknown_service"]],
    ],
  ];
  for (const [path, details] of queries) {
    expect([path, detailsOf(await call("GET", path))]).toEqual([path, [400, details]]);
  }
  expect(await fixture.count("appointments", "events", "contacts")).toEqual(before);
});

test("a merged contact's appointments are the winner's from then on", async () => {
  const { id } = (await book()).json.data;
  const winner = await call("POST", "/contacts", { email: `winner${accountId}@example.com` });
  const winnerId: number = winner.json.data.id;
  await call("POST", `/contacts/${contactId}/merge`, { into_contact_id: winnerId });
  const { events, result } = await traced(() => call("POST", `/appointments/${id}/cancel`));
  expect(result.json.data).toMatchObject({ contact_id: winnerId, customer_name: "Ana Torres" });
  expect(events[0]?.data.contact_id).toBe(winnerId);
  expect((await call("GET", `/appointments?contact_id=${winnerId}`)).json.meta.total).toBe(1);
  expect(detailsOf(await book())).toEqual([400, [["body.contact_id", "unknown_contact"]]]);
});

test("a booking moves the customer to the stage that the account has set for it", async () => {
  const { dataSource } = fixture.database;
  const { row } = await receive(dataSource, accountId, { from: freshPhone() });
  const pipeline = await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Booked"] });
  const booked = pipeline.json.data.stages[1].id;
  await call("PATCH", "/account", { settings: { booking_stage_id: booked } });
  const { events } = await traced(() => book({ contact_id: row.contactId }));
  expect(events.map(({ type, data }) => [type, data.conversation_id, data.stage_id])).toEqual([
    ["appointment.created", row.conversationId, undefined],
    ["conversation.stage_changed", row.conversationId, booked],
  ]);
});

test("bookings that meet an erasure are erased with the contact or refused", async () => {
  for (let round = 0; round < 5; round += 1) {
    const contact = await call("POST", "/contacts", { phone: freshPhone() });
    const id: number = contact.json.data.id;
    const start = (hour: number) => ({ start_time: `2030-04-0${round + 1}T1${hour}:00:00-06:00` });
    const [erased, ...booked] = await Promise.all([
      call("DELETE", `/contacts/${id}`),
      ...[0, 1, 2].map((hour) => book({ contact_id: id, ...start(hour) })),
    ]);
    expect(erased?.status).toBe(200);
    expect(booked.map(({ status }) => [201, 400].includes(status))).toEqual([true, true, true]);
    const left = await fixture.query("SELECT id FROM appointments WHERE contact_id = ?", [id]);
    expect(left).toEqual([]);
  }
});
