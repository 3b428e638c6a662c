import { beforeEach, expect, test } from "vitest";
import { cancelAppointment } from "../../../../core/services/appointments/appointment-status.ts";
import { bookAppointment } from "../../../../core/services/appointments/appointments.ts";
import { sendMessage } from "../../../../core/services/conversations/messages.ts";
import { createPipeline } from "../../../../core/services/pipelines/pipelines.ts";
import type { Principal } from "../../../../core/model/principal.ts";
import type { ToolResult, ToolResults } from "../../../../core/agent/tools.ts";
import { createAgentTalk, type AgentTalk } from "../../../support/agent.ts";
import {
  createTestAgenda,
  createTestResource,
  createTestService,
  openFrom,
  type TestAgenda,
} from "../../../support/appointments.ts";
import { addNewerConversation } from "../../../support/conversations.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
});

const talkIn = async (given: Parameters<typeof createAgentTalk>[2] = {}): Promise<AgentTalk> =>
  await createAgentTalk(database.dataSource, agenda.account.accountId, given);
const query = async (sql: string, values: unknown[]) =>
  await database.dataSource.query<Record<string, unknown>[]>(sql, values);
const first = { day: "2030-03-05", time: "16:00" };
const range = { from_day: "2030-03-05", to_day: "2030-03-07" };

const find = async (talk: AgentTalk, input: object) => {
  const result = await talk.result("find_slots", input);
  if (!result.ok || !("slots" in result)) throw new Error(JSON.stringify(result));
  return result.slots;
};
/** Books as the customer asked for it. @returns the appointment's id. */
const bookIn = async (talk: AgentTalk, input: object = first): Promise<number> => {
  const result = await talk.result("book_appointment", input);
  if (!result.ok || !("appointment_id" in result)) throw new Error(JSON.stringify(result));
  return result.appointment_id;
};
/** A program of the account writes to the customer. */
async function sendByApi({ conversationId }: AgentTalk): Promise<void> {
  const { accountId, apiKeyId } = agenda.account;
  const actor: Principal = { type: "api_key", accountId, apiKeyId, scopes: [] };
  const body = { type: "text" as const, content: "Hi" };
  await agenda.run((tx) => sendMessage({ ...tx, actor }, conversationId, body));
}
const appointmentOf = (result: ToolResult) =>
  result as { ok: true } & ToolResults["book_appointment"];

test("free times are spread over days and agendas, at most nine, each with its words", async () => {
  const accountId = agenda.account.accountId;
  const second = await createTestResource(database.dataSource, accountId, { name: "Room 2" });
  await query("UPDATE accounts SET locale = 'es', time_zone = 'America/Mexico_City' WHERE id = ?", [
    accountId,
  ]);
  const slots = await find(await talkIn(), range);
  expect(slots.map(({ ref }) => ref)).toEqual(Array.from({ length: 9 }, (_, n) => `S${n + 1}`));
  expect(new Set(slots.map(({ start }) => start)).size).toBe(9);
  const days = slots.map(({ words }) => /^\S+ (\d+) de marzo/u.exec(words)?.[1]);
  expect(days).toEqual(["5", "5", "5", "6", "6", "6", "7", "7", "7"]);
  expect(new Set(slots.map((slot) => slot.resource_id))).toEqual(
    new Set([agenda.resourceId, second]),
  );
  expect(slots[0]).toMatchObject({ start: "2030-03-05T06:00:00.000Z" });
  expect(slots[0]?.words).toBe("martes 5 de marzo, 00:00, Dr. Lucía Peña");
});

test("a part of the day and a wanted time choose the times, the nearest first", async () => {
  const talk = await talkIn();
  const part = await find(talk, { ...range, part: "morning" });
  expect(part.every(({ start }) => start.slice(11, 16) < "12:00")).toBe(true);
  const near = await find(talk, { from_day: "2030-03-05", to_day: "2030-03-05", time: "16:10" });
  expect(near.slice(0, 3).map(({ start }) => start.slice(11, 16))).toEqual([
    "16:00",
    "16:30",
    "15:30",
  ]);
});

test("a tool speaks the language of the burst, and of the conversation where the burst shows none", async () => {
  const talk = await talkIn({ text: "hola, quiero una cita" });
  const words = async () => (await find(talk, range))[0]?.words;
  expect(await words()).toMatch(/^martes 5 de marzo/u);
  await talk.write("ok");
  await query(
    "UPDATE agent_conversations SET language = 'es', answered_up_to = ? WHERE conversation_id = ?",
    [talk.turn.watermark - 1, talk.conversationId],
  );
  expect(await words()).toMatch(/^martes 5 de marzo/u);
  await talk.write("I want an appointment on Tuesday please");
  expect(await words()).toMatch(/^Tuesday, March 5/u);
});

test("a tool does not speak the language of words that the account has answered", async () => {
  const talk = await talkIn({ text: "hola, quisiera una cita para el martes, por favor" });
  await sendByApi(talk);
  await talk.write("I want an appointment please");
  expect((await find(talk, range))[0]?.words).toMatch(/^Tuesday, March 5/u);
});

test("no time of the past and no time of a closed day is offered", async () => {
  const { accountId } = agenda.account;
  await query("UPDATE resources SET weekly_hours = ? WHERE account_id = ?", [
    JSON.stringify({ ...openFrom("09:00", "11:00"), tuesday: [] }),
    accountId,
  ]);
  const slots = await find(await talkIn(), { from_day: "2030-03-05", to_day: "2030-03-06" });
  expect(slots.map(({ start }) => start.slice(0, 16))).toEqual([
    "2030-03-06T09:00",
    "2030-03-06T09:30",
    "2030-03-06T10:00",
    "2030-03-06T10:30",
  ]);
  const past = await find(await talkIn(), { from_day: "2020-01-01", to_day: "2020-01-05" });
  expect(past).toEqual([]);
  expect(await (await talkIn()).result("find_slots", { from_day: "2030-02-31" })).toMatchObject({
    code: "invalid_input",
  });
});

test("an offered time is booked once the customer has answered the offer, and not before", async () => {
  const talk = await talkIn();
  const [slot] = await find(talk, range);
  expect(await talk.result("book_appointment", { slot_ref: "S1" })).toMatchObject({
    code: "not_confirmed_by_customer",
  });
  await talk.write("¿y?");
  // The offer was never sent.
  expect(await talk.result("book_appointment", { slot_ref: "S1" })).toMatchObject({
    code: "not_confirmed_by_customer",
  });
  await talk.reply("S1?");
  await talk.write("sí, ese");
  const done = appointmentOf(await talk.result("book_appointment", { slot_ref: "S1" }));
  expect(done).toMatchObject({ ok: true, start: slot?.start, words: slot?.words });
});

test("an offer is of its conversation and lasts for 15 minutes", async () => {
  const talk = await talkIn();
  await find(talk, range);
  await talk.reply();
  await talk.write("el primero");
  const other = await talkIn();
  await other.reply();
  await other.write("el primero");
  expect(await other.result("book_appointment", { slot_ref: "S1" })).toMatchObject({
    code: "not_found",
  });
  await query(
    "UPDATE agent_conversations SET offered_at = offered_at - INTERVAL 16 MINUTE WHERE conversation_id = ?",
    [talk.conversationId],
  );
  expect(await talk.result("book_appointment", { slot_ref: "S1" })).toMatchObject({
    code: "not_found",
  });
});

test("a day without a time, a time that has passed and a closed time are refused with free ones", async () => {
  await query("UPDATE resources SET weekly_hours = ? WHERE account_id = ?", [
    JSON.stringify(openFrom("09:00", "11:00")),
    agenda.account.accountId,
  ]);
  const talk = await talkIn();
  expect(await talk.result("book_appointment", { day: "2030-03-05" })).toMatchObject({
    code: "time_needed",
  });
  expect(await talk.result("book_appointment", first)).toMatchObject({
    code: "outside_hours",
    nearest: [
      { ref: "S1", start: "2030-03-05T10:30:00.000Z" },
      { ref: "S2", start: "2030-03-05T10:00:00.000Z" },
      { ref: "S3", start: "2030-03-05T09:30:00.000Z" },
    ],
  });
  const past = await talk.result("book_appointment", { day: "2020-03-05", time: "10:00" });
  expect(past).toMatchObject({ code: "past_time" });
  expect(past).toHaveProperty("nearest.length", 3);
});

test("of several services one must be named, and the only one is taken", async () => {
  const { accountId } = agenda.account;
  const service = await createTestService(database.dataSource, accountId, { durationMinutes: 60 });
  const talk = await talkIn();
  expect(appointmentOf(await talk.result("book_appointment", first)).service_id).toBe(service);
  await createTestService(database.dataSource, accountId);
  const noon = { ...first, time: "12:00" };
  expect(await talk.result("book_appointment", noon)).toMatchObject({ code: "service_needed" });
  expect(await talk.result("find_slots")).toMatchObject({ code: "service_needed" });
  expect(await talk.result("book_appointment", { ...noon, service_id: service })).toMatchObject({
    ok: true,
  });
  expect(await talk.result("find_slots", { service_id: 999_999 })).toMatchObject({
    code: "not_found",
  });
});

test("a contact without a name books with the name that the customer wrote, which is kept", async () => {
  const talk = await talkIn({ name: null, text: "una cita, soy ana lucía" });
  expect(await talk.result("book_appointment", first)).toMatchObject({ code: "name_needed" });
  expect(await talk.result("book_appointment", { ...first, name: "Berta" })).toMatchObject({
    code: "not_confirmed_by_customer",
  });
  const done = await agenda.trace(() =>
    talk.result("book_appointment", { ...first, name: "Ana Lucia" }),
  );
  expect(done.events.map(({ type, data }) => [type, data.source])).toEqual([
    ["contact.updated", "agent"],
    ["appointment.created", "agente"],
  ]);
  expect(done.events[1]?.data).toMatchObject({ customer_name: "Ana Lucia" });
});

test("what the customer tells the agent is announced in the conversation where it was told", async () => {
  const talk = await talkIn({ name: null, text: "una cita, soy ana lucía, ana@example.com" });
  const { accountId } = agenda.account;
  await addNewerConversation(database.dataSource, { accountId, contactId: talk.contactId });
  const { events } = await agenda.trace(async () => {
    await talk.result("book_appointment", { ...first, name: "Ana Lucia" });
    await talk.result("update_contact", { email: "ana@example.com" });
  });
  const updates = events.filter(({ type }) => type === "contact.updated");
  expect(
    updates.map(({ data }) => [data.changed_fields, data.channel, data.conversation_id]),
  ).toEqual([
    [["name"], "whatsapp", talk.conversationId],
    [["email"], "whatsapp", talk.conversationId],
  ]);
});

test("the fourth booking of a contact in a day is refused, and others can still book", async () => {
  const talk = await talkIn();
  for (const time of ["10:00", "11:00", "12:00"]) await bookIn(talk, { ...first, time });
  expect(await talk.result("book_appointment", first)).toMatchObject({
    code: "too_many_bookings",
  });
  await bookIn(await talkIn());
  await query(
    "UPDATE agent_tool_calls SET created_at = created_at - INTERVAL 1 DAY WHERE contact_id = ?",
    [talk.contactId],
  );
  await bookIn(talk, { ...first, time: "18:00" });
});

test("a move replaces the appointment once the customer has answered, and can be told", async () => {
  const talk = await talkIn();
  const id = await bookIn(talk);
  const to = { appointment_id: id, day: "2030-03-06", time: "09:00" };
  expect(await talk.result("reschedule_appointment", to)).toMatchObject({
    code: "not_confirmed_by_customer",
  });
  await talk.reply("¿El miércoles a las 9?");
  await talk.write("sí");
  const done = await agenda.trace(() => talk.result("reschedule_appointment", to));
  const moved = appointmentOf(done.result);
  expect(moved).toMatchObject({ ok: true, start: "2030-03-06T09:00:00.000Z" });
  expect(done.events.map(({ type, data }) => [type, data.appointment_id, data.source])).toEqual([
    ["appointment.created", moved.appointment_id, "agente"],
    ["appointment.rescheduled", id, "agente"],
  ]);
  expect((await talk.calls()).at(-1)).toMatchObject({
    untold: true,
    appointmentId: moved.appointment_id,
  });
  expect(await talk.result("reschedule_appointment", to)).toMatchObject({
    code: "appointment_not_confirmed",
  });
  const again = { ...to, appointment_id: moved.appointment_id };
  expect(await talk.result("reschedule_appointment", again)).toMatchObject({
    code: "already_there",
  });
});

test("a move to a taken time is refused with free ones, and the appointment stays", async () => {
  const talk = await talkIn();
  const id = await bookIn(talk);
  await bookIn(await talkIn(), { ...first, time: "17:00" });
  await talk.reply();
  await talk.write("a las cinco");
  const to = { appointment_id: id, day: first.day, time: "17:00" };
  const refused = await talk.result("reschedule_appointment", to);
  expect(refused).toMatchObject({ code: "slot_taken" });
  expect(refused).toHaveProperty("nearest.length", 3);
  expect(await agenda.read(id)).toMatchObject({ status: "confirmed" });
});

test("a cancellation needs the customer's answer to our question", async () => {
  const talk = await talkIn();
  const id = await bookIn(talk);
  const cancel = { appointment_id: id, reason: "travels" };
  expect(await talk.result("cancel_appointment", cancel)).toMatchObject({
    code: "not_confirmed_by_customer",
  });
  await talk.reply("¿La cancelo?");
  expect(await agenda.read(id)).toMatchObject({ status: "confirmed" });
  await talk.write("sí");
  const done = await agenda.trace(() => talk.result("cancel_appointment", cancel));
  expect(done.result).toMatchObject({ ok: true, appointment_id: id });
  expect(done.events.map(({ type, data }) => [type, data.source])).toEqual([
    ["appointment.cancelled", "agente"],
  ]);
  expect(await talk.result("cancel_appointment", cancel)).toMatchObject({
    code: "appointment_not_confirmed",
  });
});

test("a yes to somebody else's message cancels and moves nothing", async () => {
  const talk = await talkIn();
  const appointment_id = await bookIn(talk);
  await talk.reply("¿La cancelo?");
  await sendByApi(talk);
  await talk.write("sí");
  const to = { appointment_id, day: "2030-03-06", time: "09:00" };
  const refusal = { code: "not_confirmed_by_customer" };
  expect(await talk.result("cancel_appointment", { appointment_id })).toMatchObject(refusal);
  expect(await talk.result("reschedule_appointment", to)).toMatchObject(refusal);
  await talk.reply("¿La cancelo?");
  await talk.write("sí");
  expect(await talk.result("cancel_appointment", { appointment_id })).toMatchObject({ ok: true });
});

test("only appointments of this conversation are listed, moved or cancelled", async () => {
  const talk = await talkIn();
  const mine = await bookIn(talk);
  await talk.reply();
  await talk.write("sí");
  const others = await bookIn(await talkIn(), { ...first, time: "17:00" });
  // The same contact booked this one elsewhere: nobody has verified who writes here.
  const elsewhere = await agenda.run(async (tx) => {
    const when = { startTime: new Date("2030-03-05T18:00:00Z") };
    const row = await bookAppointment(
      tx,
      agenda.booking({ ...when, customer: { contactId: talk.contactId } }),
    );
    await tx.manager.query("UPDATE appointments SET conversation_id = NULL WHERE id = ?", [row.id]);
    return row.id;
  });
  const foreign = await createTestAgenda(database.dataSource);
  const far = (await foreign.book()).id;
  for (const id of [others, elsewhere, far, 999_999]) {
    for (const tool of ["cancel_appointment", "reschedule_appointment"]) {
      const input = tool === "cancel_appointment" ? {} : { day: "2030-03-07", time: "09:00" };
      expect(await talk.result(tool, { appointment_id: id, ...input })).toMatchObject({
        code: "not_found",
      });
    }
  }
  expect(await talk.result("list_appointments")).toMatchObject({
    appointments: [{ appointment_id: mine }],
  });
  await agenda.run((tx) => cancelAppointment(tx, { appointmentId: mine, source: "panel" }));
  expect(await talk.result("list_appointments")).toEqual({ ok: true, appointments: [] });
});

test("name and email are stored where the customer wrote them; another contact's email is a conflict", async () => {
  const talk = await talkIn({ text: "Soy Ana Ríos, Ana.Rios@Example.com o bob@example.com" });
  const input = { name: "Ana Ríos", email: "ana.rios@example.com" };
  const done = await agenda.trace(() => talk.result("update_contact", input));
  expect(done.result).toEqual({ ok: true, ...input });
  expect(done.events.map(({ type, data }) => [type, data.source])).toEqual([
    ["contact.updated", "agent"],
  ]);
  for (const unheard of [{ name: "Eva" }, { email: "eva@example.com" }]) {
    const refused = await talk.result("update_contact", unheard);
    expect(refused).toMatchObject({ code: "not_confirmed_by_customer" });
  }
  const spelled = { name: " Ana Ríos ", email: " ANA.Rios@Example.com " };
  expect(await talk.result("update_contact", spelled)).toEqual({ ok: true, ...input });
  for (const wrong of [{}, { name: " " }, { email: "ana.rios" }]) {
    expect(await talk.result("update_contact", wrong)).toMatchObject({ code: "invalid_input" });
  }
  const other = await talkIn({ text: "ana.rios@example.com" });
  expect(await other.result("update_contact", { email: input.email })).toMatchObject({
    code: "conflict",
  });
});

test("the customer moves to an allowed stage only", async () => {
  const { stages } = await agenda.run(async (tx) => {
    const { id } = await createPipeline(tx, {
      name: "Sales",
      stages: ["New", "Won"],
      default: true,
    });
    const rows = await tx.manager.query<{ id: number }[]>(
      "SELECT id FROM pipeline_stages WHERE pipeline_id = ? ORDER BY position",
      [id],
    );
    return { stages: rows.map((row) => Number(row.id)) };
  });
  const [entry = 0, goal = 0] = stages;
  const talk = await talkIn({ settings: { allowed_stage_ids: [goal, 999_999] } });
  const done = await agenda.trace(() => talk.result("move_stage", { stage_id: goal }));
  expect(done.result).toEqual({ ok: true, stage_id: goal });
  expect(done.events.map(({ type, data }) => [type, data.source, data.stage_id])).toEqual([
    ["conversation.stage_changed", "ai", goal],
  ]);
  expect(await talk.result("move_stage", { stage_id: entry })).toMatchObject({
    code: "not_allowed",
  });
  expect(await talk.result("move_stage", { stage_id: 999_999 })).toMatchObject({
    code: "not_found",
  });
});

test("a note of the agent names no member", async () => {
  const talk = await talkIn();
  const text = `Ask @[${agenda.account.userId}] to call`;
  const done = await agenda.trace(() => talk.result("add_note", { text }));
  expect(done.result).toMatchObject({ ok: true });
  expect(done.notes).toEqual([
    {
      kind: "note",
      text: `Ask @ [${agenda.account.userId}] to call`,
      params: null,
      user_id: null,
    },
  ]);
  const notified = await query(
    "SELECT id FROM notifications WHERE account_id = ? AND kind LIKE ?",
    [agenda.account.accountId, "%mention%"],
  );
  expect(notified).toEqual([]);
});
