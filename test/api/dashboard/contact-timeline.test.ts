import { beforeEach, expect, test } from "vitest";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../../support/accounts.ts";
import { createTestResource } from "../../support/appointments.ts";
import { receive } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
/** Who wrote once, from `whatsapp`. */
let contactId: number;
let conversationId: number;
const from = "5215512345678";

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  const { row } = await write("Do you have a table?");
  ({ contactId, conversationId } = row);
});

const write = async (content: string) =>
  await receive(fixture.database.dataSource, account.accountId, { from, name: "Ana", content });

async function call(method: string, path: string, body?: unknown, cookie = account.cookie) {
  return await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
}

async function change(method: string, path: string, body?: unknown) {
  const answer = await call(method, path, body);
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

const read = async (id = contactId, query = "") =>
  (await call("GET", `/contacts/${id}/timeline${query}`)).json;

/** Types and facts, newest first. */
async function told(id = contactId) {
  const { data } = await read(id);
  return data.map((one: { event_type: string; facts: object }) => [one.event_type, one.facts]);
}

test("all that happened with a contact stands in its timeline, the newest first", async () => {
  const { stages } = await change("POST", "/pipelines", { name: "Sales", stages: ["New", "Won"] });
  await change("POST", `/contacts/${contactId}/stage`, { stage_id: stages[0].id });
  await change("POST", `/contacts/${contactId}/stage`, { stage_id: stages[1].id });
  await change("PATCH", `/contacts/${contactId}`, { email: "ana@example.com" });
  const resource_id = await createTestResource(fixture.database.dataSource, account.accountId, {
    name: "Dr. Peña",
  });
  const start_time = "2030-03-05T10:00:00.000Z";
  await change("POST", "/appointments", {
    title: "Visit",
    resource_id,
    contact_id: contactId,
    start_time,
    end_time: "2030-03-05T10:30:00.000Z",
  });
  await change("POST", `/conversations/${conversationId}/bot`, { enabled: false, reason: "asks" });
  await change("PATCH", `/conversations/${conversationId}`, { status: "resolved" });
  const booked = { title: "Visit", resource_name: "Dr. Peña", start_time };
  expect(await told()).toEqual([
    ["conversation.closed", { status: "resolved", previous_status: "handed_off" }],
    ["conversation.updated", { status: "resolved", previous_status: "handed_off" }],
    ["conversation.updated", { status: "handed_off", previous_status: "active" }],
    ["conversation.bot.disabled", { text: "asks" }],
    ["appointment.created", booked],
    ["contact.updated", { changed_fields: ["email"] }],
    [
      "conversation.stage_changed",
      { pipeline_name: "Sales", stage_name: "Won", previous_stage_name: "New" },
    ],
    [
      "conversation.stage_changed",
      { pipeline_name: "Sales", stage_name: "New", previous_stage_name: null },
    ],
    ["message.received", { text: "Do you have a table?", sender_type: "contact" }],
    ["conversation.created", {}],
    ["contact.created", { source: "conversation" }],
  ]);
});

test("each event tells how it stands with every subscription that wants it", async () => {
  const { dataSource } = fixture.database;
  const url = "https://hooks.example.com/parley";
  const all = await createTestSubscription(dataSource, account.accountId, { url });
  await createTestSubscription(dataSource, account.accountId, { url, events: ["contact.*"] });
  await write("At eight");
  const { data } = await read();
  expect(data[0]).toEqual({
    event_id: expect.any(String),
    event_type: "message.received",
    occurred_at: expect.any(String),
    conversation_id: conversationId,
    appointment_id: null,
    facts: { text: "At eight", sender_type: "contact" },
    deliveries: [
      {
        id: expect.any(Number),
        subscription_id: all.id,
        subscription_name: "hooks.example.com",
        state: "queued",
      },
    ],
  });
  // What came before there was a subscription was told to nobody.
  expect(data[1].deliveries).toEqual([]);
});

test("pages follow one another without a gap or a repeat, also while events come", async () => {
  for (let number = 1; number <= 5; number += 1) await write(`Message ${number}`);
  const whole = await read();
  const first = await read(contactId, "?limit=3");
  await write("Later than the first page");
  const second = await read(contactId, `?limit=3&before=${first.meta.next}`);
  const third = await read(contactId, `?limit=3&before=${second.meta.next}`);
  expect(first.meta).toEqual({ limit: 3, next: first.data[2].event_id });
  expect([...first.data, ...second.data, ...third.data]).toEqual(whole.data);
  expect([whole.data.length, third.meta.next, whole.meta.next]).toEqual([8, null, null]);
});

test("who was merged into a contact brings its past along, in the order of time", async () => {
  const loser = await change("POST", "/contacts", { email: "a@example.com" });
  await write("Between the two");
  await change("PATCH", `/contacts/${loser.id}`, { name: "Ana R." });
  await change("POST", `/contacts/${loser.id}/merge`, { into_contact_id: contactId });
  const types = (await told()).map(([type]: [string]) => type);
  expect(types).toEqual([
    "contact.updated",
    "contact.updated",
    "message.received",
    "contact.created",
    "message.received",
    "conversation.created",
    "contact.created",
  ]);
  const page = await read(contactId, "?limit=2");
  const rest = await read(contactId, `?limit=100&before=${page.meta.next}`);
  expect(page.data.length + rest.data.length).toBe(types.length);
  expect((await call("GET", `/contacts/${loser.id}/timeline`)).status).toBe(404);
});

test("a cursor that is none is refused; one of another account shows nothing of it", async () => {
  const answer = await call("GET", `/contacts/${contactId}/timeline?before=yesterday`);
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  const other = await createTestAccount(fixture.database.dataSource);
  const foreign = await call("GET", `/contacts/${contactId}/timeline`, undefined, other.cookie);
  expect([foreign.status, foreign.json.error.code]).toEqual([404, "contact_not_found"]);
});
