import { setTimeout as later } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { lockResource } from "../../../../core/services/appointments/resource-times.ts";
import { bookAppointment } from "../../../../core/services/appointments/appointments.ts";
import { confirmationsOf } from "../../../../core/services/agent/confirmations.ts";
import { runTool } from "../../../../core/services/agent/tools/run-tool.ts";
import { agentSettings } from "../../../../core/model/agent.ts";
import { createAgentMessage } from "../../../../core/services/conversations/agent-messages.ts";
import {
  setBot,
  setConversationStatus,
} from "../../../../core/services/conversations/conversations.ts";
import { sendMessage } from "../../../../core/services/conversations/messages.ts";
import { createAgentTalk, type AgentTalk } from "../../../support/agent.ts";
import { createTestAgenda, type TestAgenda } from "../../../support/appointments.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { eventually } from "../../../support/eventually.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
});

const talkIn = async (given: Parameters<typeof createAgentTalk>[2] = {}): Promise<AgentTalk> =>
  await createAgentTalk(database.dataSource, agenda.account.accountId, given);
const pause = async ({ conversationId }: AgentTalk, enabled = false) =>
  await agenda.run((tx) => setBot(tx, conversationId, { enabled, reason: null }));
const first = { day: "2030-03-05", time: "16:00" };
const countOf = async (table: string): Promise<number> => {
  const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE account_id = ?`;
  const [row] = await database.dataSource.query<{ n: number }[]>(sql, [agenda.account.accountId]);
  return Number(row?.n);
};

test("a booking is made as the agent's, in this conversation, with its row in the ledger", async () => {
  const talk = await talkIn();
  const done = await agenda.trace(() => talk.result("book_appointment", first));
  expect(done.result).toMatchObject({
    ok: true,
    start: "2030-03-05T16:00:00.000Z",
    resource_id: agenda.resourceId,
    words: "martes 5 de marzo, 16:00, Dr. Lucía Peña",
  });
  expect(done.events.map(({ type, data }) => [type, data.source, data.conversation_id])).toEqual([
    ["appointment.created", "agente", talk.conversationId],
  ]);
  const [call] = await talk.calls();
  expect(call).toMatchObject({ tool: "book_appointment", code: "ok", untold: true });
  expect(call?.appointmentId).toBe(done.events[0]?.data.appointment_id);
});

test("a tapped time moves the appointment there, although a reminder came in between", async () => {
  const talk = await talkIn();
  await talk.result("book_appointment", first);
  const appointment_id = (await talk.calls())[0]?.appointmentId ?? 0;
  await talk.reply("¿El miércoles a las 9 o a las 10?");
  const reminder = { type: "text" as const, content: "Tu cita es mañana." };
  await agenda.run((tx) => sendMessage(tx, talk.conversationId, reminder));
  await talk.write("mié 6, 9:00");
  const tap = async (id: string) =>
    await database.dataSource.query(
      "UPDATE messages SET interactive = JSON_OBJECT('type', 'button_reply', 'id', ?) WHERE id = ?",
      [id, talk.turn.watermark],
    );
  const option = `slot/2030-03-06T09:00:00.000Z/r${agenda.resourceId}`;
  const to = { appointment_id, day: "2030-03-06", time: "09:00" };
  const refusal = { code: "not_confirmed_by_customer" };
  // The option of a booking moves nothing, and the one of a move leads to no other time.
  await tap(option);
  expect(await talk.result("reschedule_appointment", to)).toMatchObject(refusal);
  await tap(`${option}/a${appointment_id}`);
  const atTen = { ...to, time: "10:00" };
  expect(await talk.result("reschedule_appointment", atTen)).toMatchObject(refusal);
  expect(await talk.result("reschedule_appointment", to)).toMatchObject({
    ok: true,
    start: "2030-03-06T09:00:00.000Z",
  });
});

test("a tapped time is booked by its ref, although a reminder came in between", async () => {
  const talk = await talkIn();
  await talk.result("find_slots", { from_day: "2030-03-06", to_day: "2030-03-06" });
  await talk.reply("¿A las 9?");
  const reminder = { type: "text" as const, content: "Ven a la feria." };
  await agenda.run((tx) => sendMessage(tx, talk.conversationId, reminder));
  await talk.write("mié 6, 9:00");
  const call = { slot_ref: "S1" };
  const refusal = { code: "not_confirmed_by_customer" };
  expect(await talk.result("book_appointment", call)).toMatchObject(refusal);
  const [{ result } = { result: null }] = await talk.calls();
  const [slot] = result !== null && "slots" in result ? result.slots : [];
  await database.dataSource.query(
    "UPDATE messages SET interactive = JSON_OBJECT('type', 'button_reply', 'id', ?) WHERE id = ?",
    [`slot/${slot?.start ?? ""}/r${slot?.resource_id ?? 0}`, talk.turn.watermark],
  );
  expect(await talk.result("book_appointment", call)).toMatchObject({ start: slot?.start });
});

/** A reply of the agent that comes behind the customer's newest message. */
const replyLate = async ({ conversationId, turn: { epoch, watermark } }: AgentTalk) => {
  const content = "¿A las 16:00 o a las 17:00?";
  const reply = { conversationId, epoch, watermark, content };
  await agenda.run((tx) => createAgentMessage(tx, reply));
};

test("a yes that is older than a question of the agent books no day and time", async () => {
  const talk = await talkIn();
  await talk.reply("¿El martes 5 de marzo a las 16:00?");
  await talk.write("sí");
  await replyLate(talk);
  const refusal = { code: "not_confirmed_by_customer" };
  expect(await talk.result("book_appointment", first)).toMatchObject(refusal);
  await talk.write("a las 16:00");
  expect(await talk.result("book_appointment", first)).toMatchObject({ ok: true });
});

test.each([
  ["el 5 de marzo de 2030 a las 16:00, por favor", true],
  ["el 5 de marzo de 2030\na las 4 de la tarde", true],
  ["el 5 de marzo de 2030 a las 17:00", false],
  ["el 6 de marzo de 2030 a las 16:00", false],
  ["el 5 o el 6 de marzo de 2030 a las 16:00", false],
  ["el 5 de marzo de 2030", false],
])("a customer who has written %j behind a person needs no yes: %s", async (text, isNamed) => {
  const talk = await talkIn();
  const said = { type: "text" as const, content: "¿Te paso al viernes?" };
  const { accountId, userId } = agenda.account;
  const actor = { type: "user", accountId, userId, role: "admin" } as const;
  await agenda.run((tx) => sendMessage({ ...tx, actor }, talk.conversationId, said));
  await pause(talk, true);
  await database.dataSource.query("UPDATE conversations SET bot_epoch = 0 WHERE id = ?", [
    talk.conversationId,
  ]);
  for (const line of text.split("\n")) await talk.write(line);
  const expected = isNamed ? { ok: true } : { code: "not_confirmed_by_customer" };
  expect(await talk.result("book_appointment", first)).toMatchObject(expected);
});

test("a repeated call returns the first result and books nothing more, also after a pause", async () => {
  const talk = await talkIn();
  const at = {
    turn: talk.turn,
    seq: 3,
    position: 0,
    call: { callId: "c", tool: "book_appointment", input: first },
    settings: agentSettings.parse({}),
  };
  const once = await agenda.run((tx) => runTool(tx, at));
  await pause(talk);
  expect(await agenda.run((tx) => runTool(tx, at))).toEqual(once);
  expect([await countOf("appointments"), await countOf("agent_tool_calls")]).toEqual([1, 1]);
});

test("a call after a pause, in another epoch, in a resolved conversation or in a cut turn leaves nothing", async () => {
  const breakers: ((talk: AgentTalk) => Promise<unknown>)[] = [
    pause,
    async (talk) => {
      await pause(talk);
      await pause(talk, true);
    },
    async (talk) =>
      await agenda.run((tx) => setConversationStatus(tx, talk.conversationId, "resolved")),
    async ({ turn }) =>
      await database.dataSource.query("UPDATE agent_turns SET cut_at = NOW(3) WHERE id = ?", [
        turn.id,
      ]),
    async ({ turn }) =>
      await database.dataSource.query("UPDATE agent_turns SET outcome = 'silent' WHERE id = ?", [
        turn.id,
      ]),
  ];
  for (const breakOff of breakers) {
    const talk = await talkIn();
    await breakOff(talk);
    expect(await talk.call("book_appointment", first)).toEqual({ state: "paused" });
    expect(await talk.call("add_note", { text: "Called" })).toEqual({ state: "paused" });
  }
  expect([await countOf("appointments"), await countOf("agent_tool_calls")]).toEqual([0, 0]);
});

test("a call in a conversation that was erased or belongs to another account is paused", async () => {
  const talk = await talkIn();
  const other = await createTestAgenda(database.dataSource);
  const at = {
    turn: talk.turn,
    seq: 1,
    position: 1,
    call: { callId: "c", tool: "add_note", input: { text: "Hi" } },
    settings: agentSettings.parse({}),
  };
  expect(await other.run((tx) => runTool(tx, at))).toEqual({ state: "paused" });
  await database.dataSource.query("DELETE FROM conversations WHERE id = ?", [talk.conversationId]);
  expect(await talk.call("add_note", { text: "Hi" })).toEqual({ state: "paused" });
});

test("unknown tools, bad arguments and tools that the account refuses are results for the model", async () => {
  const talk = await talkIn({ settings: { tools: ["add_note"] } });
  expect(await talk.result("réserver💥", first)).toMatchObject({ ok: false, code: "unknown_tool" });
  expect(await talk.result("toString")).toMatchObject({ ok: false, code: "unknown_tool" });
  expect(await talk.result("add_note", { text: 7 })).toMatchObject({ code: "invalid_input" });
  expect(await talk.result("add_note", "\uD800")).toMatchObject({ code: "invalid_input" });
  expect(await talk.result("add_note", { text: "Hi", conversation_id: 1 })).toMatchObject({
    code: "invalid_input",
  });
  expect(await talk.result("book_appointment", first)).toMatchObject({ code: "not_allowed" });
  const calls = await talk.calls();
  expect(calls.map(({ tool, code }) => [tool, code])).toEqual([
    ["r?server?", "unknown_tool"],
    ["toString", "unknown_tool"],
    ["add_note", "invalid_input"],
    ["add_note", "invalid_input"],
    ["add_note", "invalid_input"],
    ["book_appointment", "not_allowed"],
  ]);
  expect(await countOf("appointments")).toBe(0);
});

test("a draft makes no effect, also while people have the conversation", async () => {
  const talk = await talkIn({ mode: "draft" });
  await pause(talk);
  expect(await talk.result("book_appointment", first)).toMatchObject({ ok: true });
  expect(await talk.result("find_slots")).toMatchObject({ ok: true });
  expect([await countOf("appointments"), await countOf("agent_conversations")]).toEqual([0, 0]);
});

test("handing off ends the turn and has no effect here", async () => {
  const talk = await talkIn();
  const done = await agenda.trace(() => talk.call("hand_off", { reason: "asks for a person" }));
  expect(done.result).toEqual({ state: "done", result: { ok: true }, terminal: true });
  expect([done.events, done.notes, done.commands]).toEqual([[], [], []]);
});

test("a refused call leaves no half of its effect: the name goes back with the booking", async () => {
  const talk = await talkIn({ name: null, text: "soy Ana, quiero una cita" });
  const input = { ...first, name: "Ana" };
  const waits = async () => {
    const sql =
      "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE '%`resources`%FOR UPDATE%' AND id <> CONNECTION_ID()";
    expect(await database.dataSource.query<unknown[]>(sql)).not.toEqual([]);
  };
  // The call finds the time free and stores the name. Then it waits for the agenda, which another
  // booking has locked.
  const call = await agenda.run(async (tx) => {
    await lockResource(tx, agenda.resourceId);
    const waiting = talk.result("book_appointment", input);
    await eventually(waits);
    await bookAppointment(tx, agenda.booking());
    return { waiting };
  });
  const done = await agenda.trace(() => call.waiting);
  expect(done.result).toMatchObject({ ok: false, code: "slot_taken" });
  expect(done.events).toEqual([]);
  const names = await database.dataSource.query("SELECT name FROM contacts WHERE id = ?", [
    talk.contactId,
  ]);
  expect(names).toEqual([{ name: null }]);
});

test("the texts that tell of effects come from the rows, in both languages", async () => {
  const talk = await talkIn();
  await talk.result("book_appointment", first);
  await talk.result("add_note", { text: "Prefers mornings" });
  const calls = await talk.calls();
  const tell = async (language: "en" | "es", timeZone: string) =>
    (await agenda.run((tx) => confirmationsOf(tx, calls, { language, timeZone }))).map(
      ({ text }) => text,
    );
  expect(await tell("en", "UTC")).toEqual([
    "Appointment confirmed: Tuesday, March 5, 4:00 PM, Dr. Lucía Peña",
  ]);
  expect(await tell("es", "America/Mexico_City")).toEqual([
    "Cita confirmada: martes 5 de marzo, 10:00, Dr. Lucía Peña",
  ]);
});

test("50 agents on one slot: one books, and the others are offered the nearest times", async () => {
  const talks: AgentTalk[] = [];
  for (let left = 50; left > 0; left -= 1) talks.push(await talkIn());
  const results = await Promise.all(talks.map((talk) => talk.result("book_appointment", first)));
  const refused = results.filter(({ ok }) => !ok);
  expect(refused).toHaveLength(49);
  expect(await countOf("appointments")).toBe(1);
  for (const result of refused) {
    expect(result).toMatchObject({
      code: "slot_taken",
      nearest: [
        { ref: "S1", start: "2030-03-05T15:30:00.000Z" },
        { ref: "S2", start: "2030-03-05T16:30:00.000Z" },
        { ref: "S3", start: "2030-03-05T15:00:00.000Z" },
      ],
    });
  }
}, 60_000);

test("200 times a pause against a booking: nothing is booked after the pause", async () => {
  const seen: string[] = [];
  let next = 0;
  const round = async (): Promise<void> => {
    next += 1;
    const start = new Date(Date.UTC(2030, 2, 5) + next * 1_800_000).toISOString();
    const talk = await talkIn();
    const book = async () => {
      await later(Math.random() * 8);
      return await talk.call("book_appointment", {
        day: start.slice(0, 10),
        time: start.slice(11, 16),
      });
    };
    const pausing = async () => {
      await later(Math.random() * 12);
      await pause(talk);
    };
    const [outcome] = await Promise.all([book(), pausing()]);
    // The events of a conversation are written under its lock, so their order is that of commits.
    const events = await database.dataSource.query<{ type: string }[]>(
      `SELECT type FROM events WHERE contact_id = ?
          AND type IN ('conversation.bot.disabled', 'appointment.created') ORDER BY id`,
      [talk.contactId],
    );
    const types = events.map(({ type }) => type);
    const code = outcome.state === "paused" ? "paused" : outcome.result.ok ? "booked" : "refused";
    seen.push([code, ...types].join(", "));
  };
  const lane = async () => {
    while (next < 200) await round();
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  // Both orders came up, and none with a booking after the pause.
  expect([...new Set(seen)].toSorted()).toEqual([
    "booked, appointment.created, conversation.bot.disabled",
    "paused, conversation.bot.disabled",
  ]);
}, 120_000);
