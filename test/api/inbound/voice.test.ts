import { beforeEach, expect, test } from "vitest";
import { createTestAccount } from "../../support/accounts.ts";
import { at, createTestResource, createTestService, openFrom } from "../../support/appointments.ts";
import { receive, tracesOf } from "../../support/conversations.ts";
import { createTestEndpoint, refusal, type TestEndpoint } from "./inbound-fixture.ts";
import { createBoard } from "../dashboard/pipeline-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let voice: TestEndpoint;
let resourceId: number;
let serviceId: number;
const phone = "5215512345678";

beforeEach(async () => {
  voice = await createTestEndpoint(fixture, { kind: "voice" });
  const { accountId } = voice.account;
  resourceId = await createTestResource(fixture.database.dataSource, accountId);
  serviceId = await createTestService(fixture.database.dataSource, accountId);
});

const traced = async <T>(work: () => Promise<T>) =>
  await tracesOf(fixture.database.dataSource, voice.account.accountId, work);
const book = async (time = "16:00", given: object = {}, headers = {}) =>
  await voice.act(
    "appointment.book",
    {
      phone,
      resource_id: resourceId,
      service_id: serviceId,
      start_time: at(time).toISOString(),
      ...given,
    },
    headers,
  );
const appointments = async () =>
  await fixture.query<{ id: number; status: string; start_time: Date; contact_id: number }>(
    "SELECT id, status, start_time, contact_id FROM appointments WHERE account_id = ? ORDER BY id",
    [voice.account.accountId],
  );

test("a caller who is new becomes a contact and has the appointment; receivers hear of both", async () => {
  const { result, events } = await traced(() =>
    book("16:00", { name: "Ana Torres", start_time: "2030-03-05T10:00:00-06:00", ignored: 1 }),
  );
  const [row] = await appointments();
  expect([result.status, result.json]).toStrictEqual([
    200,
    {
      success: true,
      data: {
        event: "appointment.book",
        result: "booked",
        contact_id: row?.contact_id,
        appointment_id: row?.id,
      },
    },
  ]);
  expect(events).toMatchObject([
    { type: "contact.created", data: { phone, name: "Ana Torres", source: "api" } },
    {
      type: "appointment.created",
      data: {
        appointment_id: row?.id,
        contact_id: row?.contact_id,
        start_time: at("16:00").toISOString(),
        duration_minutes: 30,
        service_id: serviceId,
        customer_name: "Ana Torres",
        customer_phone: phone,
        source: "voz",
      },
    },
  ]);
});

test("a caller who is known is updated, and is moved where the account wants whoever books", async () => {
  const { account } = voice;
  const { row } = await receive(fixture.database.dataSource, account.accountId, { from: phone });
  const board = createBoard(fixture, account);
  const { ids } = await board.pipeline();
  await board.call("PATCH", "/account", { settings: { booking_stage_id: ids[1] } });
  const { result, events } = await traced(() => book("16:00", { name: "Ana" }));
  expect(result.json.data.contact_id).toBe(row.contactId);
  expect(events.map(({ type }) => type)).toEqual([
    "contact.updated",
    "appointment.created",
    "conversation.stage_changed",
  ]);
  expect(events[1]?.data.conversation_id).toBe(row.conversationId);
  expect(await board.column(ids[1])).toEqual([row.contactId]);
});

test("a time that is taken is 409, and the caller is not even made a contact", async () => {
  await book();
  const { result, events } = await traced(() => book("16:15", { phone: "34611222333" }));
  expect([refusal(result), events]).toEqual([[409, "slot_taken"], []]);
  const contacts = await fixture.query("SELECT phone FROM contacts WHERE account_id = ?", [
    voice.account.accountId,
  ]);
  expect(contacts).toEqual([{ phone }]);
});

test("fifty callers at once want one time: one has it, the others read slot_taken", async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => book("16:00", { phone: `346112220${10 + index}` })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(refusal)).toEqual(Array(49).fill([409, "slot_taken"]));
  expect(await appointments()).toHaveLength(1);
});

test.each<[string, string, () => object]>([
  ["body.data.resource_id", "unknown_resource", () => ({ resource_id: 999_999 })],
  ["body.data.service_id", "unknown_service", () => ({ service_id: 999_999 })],
  ["body.data.resource_id", "required", () => ({ resource_id: undefined })],
  ["body.data.start_time", "invalid_format", () => ({ start_time: "2030-03-05T10:00:00" })],
  ["body.data.start_time", "required", () => ({ start_time: undefined })],
  ["body.data", "phone_or_email_required", () => ({ phone: "" })],
  ["body.data.phone", "invalid_phone", () => ({ phone: "12" })],
  ["body.data.duration_minutes", "too_small", () => ({ duration_minutes: 0 })],
  ["body.data.duration_minutes", "required", () => ({ service_id: undefined })],
])("a booking is refused at %s: %s", async (path, code, given) => {
  const { status, json } = await book("16:00", given());
  expect([status, json.error.details]).toEqual([400, [expect.objectContaining({ path, code })]]);
  expect(await appointments()).toEqual([]);
});

test("a closed time, a time that has passed and a foreign resource are refused", async () => {
  const { dataSource } = fixture.database;
  const { accountId } = voice.account;
  const weeklyHours = openFrom("09:00", "12:00");
  const morning = await createTestResource(dataSource, accountId, { weeklyHours });
  expect(refusal(await book("16:00", { resource_id: morning }))).toEqual([422, "outside_hours"]);
  const past = { start_time: "2020-01-01T10:00:00Z" };
  expect(refusal(await book("16:00", past))).toEqual([422, "past_time"]);
  const stranger = await createTestAccount(dataSource);
  const foreign = await createTestResource(dataSource, stranger.accountId);
  const { json } = await book("16:00", { resource_id: foreign });
  expect(json.error.details).toMatchObject([{ code: "unknown_resource" }]);
});

test("an appointment is moved by its id, or by who calls, and keeps its id", async () => {
  const { appointment_id, contact_id } = (await book()).json.data;
  const moved = await traced(() =>
    voice.act("appointment.reschedule", { appointment_id, start_time: at("17:00").toISOString() }),
  );
  const data = { event: "appointment.reschedule", contact_id, appointment_id };
  expect(moved.result.json.data).toEqual({ ...data, result: "rescheduled" });
  expect(moved.events).toMatchObject([
    {
      type: "appointment.rescheduled",
      data: {
        appointment_id,
        status: "confirmed",
        source: "voz",
        start_time: at("17:00").toISOString(),
        previous_start_time: at("16:00").toISOString(),
      },
    },
  ]);
  const again = { phone: "+52 55 1234 5678", start_time: at("18:00").toISOString() };
  const byPhone = await voice.act("appointment.reschedule", again);
  expect(byPhone.json.data).toEqual({ ...data, result: "rescheduled" });
  const same = await traced(() => voice.act("appointment.reschedule", again));
  expect([same.result.json.data.result, same.events]).toEqual(["unchanged", []]);
  expect(await appointments()).toMatchObject([{ status: "confirmed", start_time: at("18:00") }]);
});

test("an appointment is not moved to a time that is taken, and stays where it is", async () => {
  const { appointment_id } = (await book("16:00")).json.data;
  await book("17:00", { phone: "34611222333" });
  const to = { appointment_id, start_time: at("17:00").toISOString() };
  const { result, events } = await traced(() => voice.act("appointment.reschedule", to));
  expect([refusal(result), events]).toEqual([[409, "slot_taken"], []]);
  expect(await appointments()).toMatchObject([{ start_time: at("16:00") }, {}]);
});

test("an appointment is cancelled once; the second time there is nothing to do", async () => {
  const { appointment_id, contact_id } = (await book()).json.data;
  const named = { appointment_id, reason: "The customer called." };
  const { result, events } = await traced(() => voice.act("appointment.cancel", named));
  const data = { event: "appointment.cancel", contact_id, appointment_id };
  expect(result.json.data).toEqual({ ...data, result: "cancelled" });
  expect(events).toMatchObject([
    { type: "appointment.cancelled", data: { appointment_id, source: "voz" } },
  ]);
  const again = await traced(() => voice.act("appointment.cancel", named));
  expect([again.result.json.data.result, again.events]).toEqual(["unchanged", []]);
  const move = { appointment_id, start_time: at("17:00").toISOString() };
  const refused = await voice.act("appointment.reschedule", move);
  expect(refusal(refused)).toEqual([422, "appointment_not_confirmed"]);
});

test("who has several appointments ahead is asked which one", async () => {
  const first = (await book("16:00")).json.data.appointment_id;
  const second = (await book("17:00")).json.data.appointment_id;
  const refused = await voice.act("appointment.cancel", { phone });
  expect([refusal(refused), refused.json.error.details]).toEqual([
    [409, "appointment_ambiguous"],
    {
      appointments: [
        { appointment_id: first, start_time: at("16:00").toISOString(), resource_id: resourceId },
        { appointment_id: second, start_time: at("17:00").toISOString(), resource_id: resourceId },
      ],
    },
  ]);
  expect((await voice.act("appointment.cancel", { phone, appointment_id: second })).status).toBe(
    200,
  );
  expect((await voice.act("appointment.cancel", { phone })).json.data.appointment_id).toBe(first);
  expect(refusal(await voice.act("appointment.cancel", { phone }))).toEqual([
    404,
    "appointment_not_found",
  ]);
});

test("an appointment of somebody else, or of another account, is unknown", async () => {
  const { appointment_id } = (await book()).json.data;
  await book("17:00", { phone: "34611222333" });
  const other = await createTestEndpoint(fixture, { kind: "voice" });
  for (const answer of [
    await voice.act("appointment.cancel", { appointment_id, phone: "34611222333" }),
    await voice.act("appointment.cancel", { appointment_id: 999_999 }),
    await other.act("appointment.cancel", { appointment_id }),
  ]) {
    expect(refusal(answer)).toEqual([404, "appointment_not_found"]);
  }
  expect(refusal(await voice.act("appointment.cancel", { phone: "34600000000" }))).toEqual([
    404,
    "contact_not_found",
  ]);
  expect(refusal(await voice.act("appointment.cancel", {}))).toEqual([400, "validation_error"]);
});

test("a repeated event id reads the first answer and books nothing more", async () => {
  const headers = { "x-service-event-id": "call-1" };
  const first = await book("16:00", {}, headers);
  const { result, events } = await traced(() => book("16:00", {}, headers));
  expect([result.status, result.text, events]).toEqual([200, first.text, []]);
  expect(result.headers.get("idempotent-replayed")).toBe("true");
  expect(refusal(await book("17:00", {}, headers))).toEqual([422, "idempotency_key_reused"]);
  // A refusal is not remembered: the caller chooses another time, or the time becomes free.
  const taken = { "x-service-event-id": "call-2" };
  expect(refusal(await book("16:00", {}, taken))).toEqual([409, "slot_taken"]);
  const { appointment_id } = first.json.data;
  await voice.act("appointment.cancel", { appointment_id });
  expect((await book("16:00", {}, taken)).json.data.result).toBe("booked");
});

test("a voice integration takes its own actions at its own path alone", async () => {
  const inbound = await createTestEndpoint(fixture, { account: voice.account });
  const swapped = async (path: string) =>
    refusal(await fixture.api.call("POST", path, { body: { event: "x", data: {} } }));
  const unknown = [404, "endpoint_not_found"];
  expect(await swapped(voice.path.replace("/voice/", "/inbound/"))).toEqual(unknown);
  expect(await swapped(inbound.path.replace("/inbound/", "/voice/"))).toEqual(unknown);
  const other = await voice.act("contact.upsert", { phone });
  expect([refusal(other), other.json.error.details]).toEqual([
    [400, "unsupported_event"],
    {
      supported_events: ["appointment.book", "appointment.reschedule", "appointment.cancel"],
    },
  ]);
  const unsigned = await fixture.api.call("POST", voice.path, { body: { event: "x" } });
  expect(refusal(unsigned)).toEqual([401, "missing_signature"]);
});

test("each kind is listed, limited and read by itself in the Dashboard", async () => {
  const { cookie, accountId } = voice.account;
  const inbound = await createTestEndpoint(fixture, { account: voice.account });
  const get = async (path: string) =>
    (await fixture.api.call("GET", `/dashboard/api${path}`, { cookie })).json;
  const ids = async (path: string) => (await get(path)).data.map(({ id }: { id: number }) => id);
  expect(await ids("/voice-integrations")).toEqual([voice.id]);
  expect(await ids("/inbound-endpoints")).toEqual([inbound.id]);
  expect((await get(`/voice-integrations/${inbound.id}`)).error.code).toBe("endpoint_not_found");
  expect((await get(`/inbound-endpoints/${voice.id}`)).error.code).toBe("endpoint_not_found");
  expect((await get(`/voice-integrations/${voice.id}`)).data).toMatchObject({
    name: "CRM",
    strict: false,
    enabled: true,
    url: expect.stringMatching(/\/api\/webhooks\/voice\/[0-9A-Za-z]{26}$/),
  });
  const audit = await fixture.query(
    "SELECT action FROM audit_log WHERE account_id = ? AND actor_type = 'user' ORDER BY id",
    [accountId],
  );
  expect(audit.map(({ action }) => action)).toEqual([
    "voice_integration.created",
    "inbound_endpoint.created",
  ]);
});

test("disabled it reads as unknown, and enabled it takes calls again", async () => {
  const off = await voice.manage("PATCH", "", { enabled: false });
  expect([off.status, off.json.data.enabled]).toEqual([200, false]);
  expect(refusal(await book())).toEqual([404, "endpoint_not_found"]);
  await voice.manage("PATCH", "", { enabled: true });
  expect((await book()).status).toBe(200);
});

test("a new secret is taken beside the old one; the log tells what each call was about", async () => {
  const rotated = await voice.manage("POST", "/rotate-secret");
  expect(rotated.json.data.secret).not.toBe(voice.secret);
  const { contact_id, appointment_id } = (await book()).json.data;
  await book();
  expect(await voice.log()).toMatchObject([
    { status_code: 409, error_code: "slot_taken", result: null, appointment_id: null },
    { status_code: 200, event: "appointment.book", result: "booked", contact_id, appointment_id },
  ]);
});

test("a strict integration needs the signature that ends replays", async () => {
  const strict = await createTestEndpoint(fixture, {
    kind: "voice",
    strict: true,
    account: voice.account,
  });
  const data = { phone, resource_id: resourceId, start_time: at("16:00").toISOString() };
  const call = { ...data, service_id: serviceId };
  expect((await strict.act("appointment.book", call)).status).toBe(200);
  const late = { "webhook-timestamp": String(Math.floor(Date.now() / 1000) - 400) };
  expect(refusal(await strict.act("appointment.book", call, late))).toEqual([
    401,
    "invalid_signature",
  ]);
});
