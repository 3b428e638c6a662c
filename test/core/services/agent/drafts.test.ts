import { beforeAll, beforeEach, expect, test } from "vitest";
import { dismissDraft, findOpenDraft, sendDraft } from "../../../../core/services/agent/drafts.ts";
import { runTurnTool } from "../../../../core/services/agent/turn-tools.ts";
import { cancelDraft, requestDraft } from "../../../../core/services/agent/suggestions.ts";
import { beginTurn, endTurn } from "../../../../core/services/agent/turns.ts";
import { bookAppointment } from "../../../../core/services/appointments/appointments.ts";
import { setBot } from "../../../../core/services/conversations/conversations.ts";
import { sendMessage } from "../../../../core/services/conversations/messages.ts";
import type { AgentMode } from "../../../../core/model/agent.ts";
import type { AgentDraftView } from "../../../../core/model/views/agent-draft.ts";
import type { TurnRef } from "../../../../core/model/workflow/agent.ts";
import { transaction, type Tx } from "../../../../db/transaction.ts";
import { addColleague, type TestAccount } from "../../../support/accounts.ts";
import { createTestResource } from "../../../support/appointments.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { tracesOf } from "../../../support/conversations.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { setUpAgent } from "../../../worker/agent-fixture.ts";
import { startTurnFixture } from "./turn-fixture.ts";

const fixture = useFixture(startTurnFixture);
let resourceId: number;
let luis: TestAccount;

beforeAll(async () => {
  const { dataSource } = fixture.database;
  resourceId = await createTestResource(dataSource, fixture.account.accountId);
  luis = await addColleague(dataSource, fixture.account.accountId, "Luis");
});

beforeEach(async () => await setMode("draft"));

const setMode = async (mode: AgentMode) =>
  await setUpAgent(fixture.database, fixture.account.accountId, { modes: { whatsapp: mode } });

/** Runs a service as a person of the account. */
async function as<T>({ userId }: { userId: number }, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { accountId } = fixture.account;
  const actor = { type: "user", accountId, userId, role: "agent" } as const;
  return await transaction(fixture.database.dataSource, { actor }, work);
}

const ana = () => fixture.account;
const openDraft = async (id: number): Promise<AgentDraftView> => {
  const open = await fixture.run((tx) => findOpenDraft(tx, { id }));
  if (open === null) throw new Error("There is no draft.");
  return open;
};
const send = async (
  who: { userId: number },
  { id, text, proposals }: AgentDraftView,
  given: { text?: string; proposal_ids?: number[]; external_id?: string } = {},
) =>
  await as(who, (tx) =>
    sendDraft(tx, id, { text, proposal_ids: proposals.map((one) => one.id), ...given }),
  );
const pause = async (conversationId: number) =>
  await as(ana(), (tx) => setBot(tx, conversationId, { enabled: false }));
const messagesOf = async (conversationId: number) =>
  await fixture.sql<{ content: string; sender_type: string; sender_user_id: number }>(
    `SELECT content, sender_type, sender_user_id FROM messages
      WHERE conversation_id = ? AND direction = 'outbound' ORDER BY id`,
    [conversationId],
  );
const draftsOf = async (conversationId: number) =>
  await fixture.sql(
    `SELECT state, source, edit_distance, decided_by_id FROM agent_drafts
      WHERE conversation_id = ? ORDER BY id`,
    [conversationId],
  );
const appointmentsOf = async (conversationId: number) =>
  await fixture.sql("SELECT status, source FROM appointments WHERE conversation_id = ?", [
    conversationId,
  ]);

/** A turn that ends in a draft. */
async function draft(text = "Hola, ¿en qué te ayudo?", from = freshPhone()): Promise<TurnRef> {
  const turn = await fixture.beginWithReply(text, from);
  expect(await fixture.commit(turn)).toEqual({ state: "drafted" });
  return turn;
}

/** A turn that proposes a booking at an hour. */
async function draftBooking(hour: string, text = "Con gusto."): Promise<AgentDraftView> {
  const turn = await fixture.begin("Soy Ana Torres, quiero una cita");
  const input = { day: "2030-03-05", time: hour, name: "Ana Torres" };
  const calls = [{ callId: "c1", tool: "book_appointment", input }];
  await fixture.answer(turn, { kind: "calls", calls, text: "" });
  const step = { ...turn, seq: 1, position: 0 };
  const called = await fixture.run((tx) => runTurnTool(tx, step));
  expect(called).toMatchObject({ state: "done", code: "proposed", effect: false });
  await fixture.answer(turn, { kind: "reply", text }, 2);
  expect(await fixture.commit(turn, { seq: 2 })).toEqual({ state: "drafted" });
  return await openDraft(turn.conversationId);
}

test("a reply becomes a draft: no message, no event, no pause", async () => {
  const { accountId } = fixture.account;
  const turn = await fixture.beginWithReply("Claro que sí.");
  const { events, commands } = await tracesOf(fixture.database.dataSource, accountId, () =>
    fixture.commit(turn),
  );
  expect([events, commands, await messagesOf(turn.conversationId)]).toEqual([[], [], []]);
  expect(await openDraft(turn.conversationId)).toMatchObject({
    turn_id: turn.turnId,
    source: "automatic",
    text: "Claro que sí.",
    proposals: [],
    fallback: null,
  });
});

test("a draft sent as it is becomes the person's message, and the agent goes on", async () => {
  const from = freshPhone();
  const { conversationId } = await draft("Claro que sí.", from);
  const open = await openDraft(conversationId);
  const { accountId, userId } = fixture.account;
  const { commands } = await tracesOf(fixture.database.dataSource, accountId, () =>
    send(ana(), open),
  );
  expect(commands.map(({ workflow }) => workflow)).toEqual(["sendMessage"]);
  expect(await messagesOf(conversationId)).toEqual([
    { content: "Claro que sí.", sender_type: "user", sender_user_id: userId },
  ]);
  expect(await draftsOf(conversationId)).toEqual([
    { state: "sent", source: "automatic", edit_distance: 0, decided_by_id: userId },
  ]);
  // The next message gets the next draft, because a sent draft does not pause the agent.
  await fixture.write("gracias", from);
  const input = { accountId, conversationId, quietMs: 0 };
  expect(await fixture.run((tx) => beginTurn(tx, input))).toMatchObject({ state: "go" });
});

test("an edited draft keeps the number of changed characters", async () => {
  const { conversationId } = await draft("Abrimos a las nueve.");
  const open = await openDraft(conversationId);
  await send(ana(), open, { text: "Abrimos hoy a las nueve" });
  expect(await draftsOf(conversationId)).toMatchObject([{ state: "edited", edit_distance: 5 }]);
});

test("one message has one draft, however often its turn is asked for", async () => {
  const { conversationId } = await draft();
  const { accountId } = fixture.account;
  const input = { accountId, conversationId, quietMs: 0 };
  expect(await fixture.run((tx) => beginTurn(tx, input))).toEqual({ state: "idle" });
});

test("a newer message of the customer and a reply of a person make a draft stale", async () => {
  const from = freshPhone();
  const first = await draft("Hola.", from);
  await fixture.write("otra cosa", from);
  expect(await fixture.run((tx) => findOpenDraft(tx, { id: first.conversationId }))).toBeNull();
  const { conversationId } = await draft();
  await as(luis, (tx) => sendMessage(tx, conversationId, { type: "text", content: "Hola" }));
  const stale = { state: "stale", edit_distance: null, decided_by_id: null };
  expect(await draftsOf(first.conversationId)).toMatchObject([stale]);
  expect(await draftsOf(conversationId)).toMatchObject([stale]);
});

test("a customer who writes while a person sends the draft: sent before, or refused", async () => {
  for (let round = 0; round < 10; round += 1) {
    const from = freshPhone();
    const { conversationId } = await draft("Hola.", from);
    const open = await openDraft(conversationId);
    const [sent] = await Promise.allSettled([send(ana(), open), fixture.write("espera", from)]);
    const refused = sent.status === "rejected" ? [sent.reason] : [];
    expect(refused).toMatchObject(
      refused.map(() => ({ code: "agent_draft_closed", details: { state: "stale" } })),
    );
    expect(await messagesOf(conversationId)).toHaveLength(1 - refused.length);
  }
});

test("two persons who send the same draft send one message, and a repeat returns it", async () => {
  const { conversationId } = await draft();
  const open = await openDraft(conversationId);
  const both = await Promise.allSettled([send(ana(), open), send(luis, open)]);
  const sent = both.find(({ status }) => status === "fulfilled");
  const refused = both.find(({ status }) => status === "rejected");
  expect(sent).toMatchObject({ value: { created: true } });
  expect(refused).toMatchObject({ reason: { code: "agent_draft_closed" } });
  expect(await messagesOf(conversationId)).toHaveLength(1);
  const winner = both[0]?.status === "fulfilled" ? ana() : luis;
  expect(await send(winner, open)).toMatchObject({ created: false });
  expect(await messagesOf(conversationId)).toHaveLength(1);
});

test("a second text of the person is no repeat of the draft that was sent", async () => {
  const { conversationId } = await draft();
  const open = await openDraft(conversationId);
  await send(ana(), open, { external_id: "first" });
  expect(await send(ana(), open, { external_id: "first" })).toMatchObject({ created: false });
  // To return the first message would say that this text was sent.
  const second = { text: "Te espero a las diez.", external_id: "second" };
  await expect(send(ana(), open, second)).rejects.toMatchObject({
    code: "agent_draft_closed",
    details: { state: "sent" },
  });
  expect(await messagesOf(conversationId)).toHaveLength(1);
});

test("a proposed booking does nothing until a person approves it with the message", async () => {
  const open = await draftBooking("10:00");
  const [{ conversation_id: conversationId } = { conversation_id: 0 }] = await fixture.sql<{
    conversation_id: number;
  }>("SELECT conversation_id FROM agent_drafts WHERE id = ?", [open.id]);
  expect(open.proposals).toMatchObject([
    { tool: "book_appointment", words: "martes 5 de marzo, 10:00, Dr. Lucía Peña" },
  ]);
  expect(await appointmentsOf(conversationId)).toEqual([]);
  await send(ana(), open);
  expect(await appointmentsOf(conversationId)).toEqual([{ status: "confirmed", source: "agente" }]);
  const confirmation = "Cita confirmada: martes 5 de marzo, 10:00, Dr. Lucía Peña";
  expect(await messagesOf(conversationId)).toMatchObject([
    { content: `Con gusto.\n${confirmation}`, sender_type: "user" },
  ]);
  const [call] = await fixture.sql(
    `SELECT code, untold, appointment_id IS NOT NULL AS made, told_message_id IS NOT NULL AS told
       FROM agent_tool_calls WHERE id = ?`,
    [open.proposals[0]?.id],
  );
  expect(call).toEqual({ code: "ok", untold: 0, made: 1, told: 1 });
});

test("a proposal that a person unticks is not made, and the draft counts as edited", async () => {
  const open = await draftBooking("11:00");
  const { row } = await send(ana(), open, { proposal_ids: [] });
  expect(row.content).toBe("Con gusto.");
  expect(await appointmentsOf(row.conversationId)).toEqual([]);
  expect(await draftsOf(row.conversationId)).toMatchObject([{ state: "edited" }]);
});

test("a slot that was taken meanwhile is refused, and nothing is sent", async () => {
  const open = await draftBooking("12:00");
  await fixture.run((tx) =>
    bookAppointment(tx, {
      resourceId,
      startTime: new Date("2030-03-05T12:00:00Z"),
      durationMinutes: 30,
      customer: { contact: { phone: freshPhone(), name: "Eva" } },
      source: "enlace",
    }),
  );
  await expect(send(ana(), open)).rejects.toMatchObject({
    code: "proposal_refused",
    details: { proposal_id: open.proposals[0]?.id, reason: "slot_taken" },
  });
  const { row } = await send(ana(), open, { proposal_ids: [], text: "Esa hora se ocupó." });
  expect(await messagesOf(row.conversationId)).toHaveLength(1);
});

test("a dismissed draft is not sent any more", async () => {
  const { conversationId } = await draft();
  const open = await openDraft(conversationId);
  await as(luis, (tx) => dismissDraft(tx, open.id));
  await as(luis, (tx) => dismissDraft(tx, open.id));
  await expect(send(ana(), open)).rejects.toMatchObject({ code: "agent_draft_closed" });
  expect(await draftsOf(conversationId)).toMatchObject([
    { state: "dismissed", decided_by_id: luis.userId },
  ]);
});

test("a suggestion comes while people have the conversation, and unpauses nothing", async () => {
  await setMode("auto");
  const { conversationId } = await fixture.write("¿abren hoy?");
  await pause(conversationId);
  const { id: turnId } = await as(ana(), (tx) => requestDraft(tx, conversationId));
  const again = await as(luis, (tx) => requestDraft(tx, conversationId));
  expect(again.id).toBe(turnId);
  const { accountId } = fixture.account;
  const turn = { accountId, conversationId, turnId };
  const input = { accountId, conversationId, quietMs: 0 };
  expect(await fixture.run((tx) => beginTurn(tx, input))).toEqual({ state: "go", turnId });
  await fixture.answer(turn, { kind: "reply", text: "Sí, abrimos." });
  expect(await fixture.commit(turn)).toEqual({ state: "drafted" });
  expect(await openDraft(conversationId)).toMatchObject({ source: "requested" });
  const [row] = await fixture.sql("SELECT bot_enabled FROM conversations WHERE id = ?", [
    conversationId,
  ]);
  expect(row).toEqual({ bot_enabled: 0 });
});

test.each([
  ["a pause", async (id: number) => void (await pause(id))],
  [
    "a message of a person",
    async (id: number) =>
      void (await as(luis, (tx) => sendMessage(tx, id, { type: "text", content: "Hola" }))),
  ],
  ["its cancellation", async (id: number) => await as(ana(), (tx) => cancelDraft(tx, id))],
])("%s cuts a suggestion in progress", async (_name, cut) => {
  const { conversationId } = await draft();
  const { id: turnId } = await as(ana(), (tx) => requestDraft(tx, conversationId));
  const turn = { accountId: fixture.account.accountId, conversationId, turnId };
  await fixture.answer(turn, { kind: "reply", text: "Sí, abrimos." });
  const { commands } = await tracesOf(
    fixture.database.dataSource,
    fixture.account.accountId,
    async () => await cut(conversationId),
  );
  expect(commands.map(({ signal }) => signal)).toContain("paused");
  expect(await fixture.commit(turn)).toEqual({ state: "paused" });
  const states = (await draftsOf(conversationId)).map(({ state }) => state);
  expect(states).not.toContain("sent");
  expect(states).toHaveLength(1);
});

test("a signal that comes late leaves a suggestion open, a newer message or a cut ends it", async () => {
  await setMode("auto");
  const from = freshPhone();
  const { conversationId } = await fixture.write("¿abren hoy?", from);
  await pause(conversationId);
  const { accountId } = fixture.account;
  const place = { accountId, conversationId };
  const suggest = async () => (await as(ana(), (tx) => requestDraft(tx, conversationId))).id;
  const end = async (turnId: number, outcome: "paused" | "superseded") =>
    (await fixture.run((tx) => endTurn(tx, { ...place, turnId, outcome }))).state;
  const begin = async () => await fixture.run((tx) => beginTurn(tx, { ...place, quietMs: 0 }));
  const first = await suggest();
  for (const signal of ["paused", "superseded"] as const) {
    expect(await end(first, signal)).toBe("superseded");
    expect(await begin()).toEqual({ state: "go", turnId: first });
  }
  await fixture.write("¿y mañana?", from);
  expect(await end(first, "superseded")).toBe("superseded");
  expect(await begin()).toEqual({ state: "idle" });
  const second = await suggest();
  expect(second).not.toBe(first);
  await as(luis, (tx) => sendMessage(tx, conversationId, { type: "text", content: "Hola" }));
  expect(await end(second, "paused")).toBe("paused");
  expect(await begin()).toEqual({ state: "idle" });
});

test("a further request wakes a suggestion whose run may be lost", async () => {
  const { conversationId } = await draft();
  const { id } = await as(ana(), (tx) => requestDraft(tx, conversationId));
  const { accountId } = fixture.account;
  const commandsOfAnother = async () => {
    const { commands } = await tracesOf(fixture.database.dataSource, accountId, async () => {
      expect((await as(luis, (tx) => requestDraft(tx, conversationId))).id).toBe(id);
    });
    return commands;
  };
  expect(await commandsOfAnother(), "its run is at it").toEqual([]);
  await fixture.sql("UPDATE agent_turns SET created_at = created_at - INTERVAL 2 MINUTE");
  expect(await commandsOfAnother()).toMatchObject([
    { workflow: "agentTurn", signal: "draftRequested" },
  ]);
});

test("a reply of the agent itself makes a suggestion stale", async () => {
  await setMode("auto");
  const { accountId } = fixture.account;
  const { conversationId } = await fixture.write("¿abren hoy?");
  await pause(conversationId);
  const { id } = await as(ana(), (tx) => requestDraft(tx, conversationId));
  const suggested = { accountId, conversationId, turnId: id };
  await fixture.answer(suggested, { kind: "reply", text: "Sí, abrimos." });
  expect(await fixture.commit(suggested)).toEqual({ state: "drafted" });
  await as(ana(), (tx) => setBot(tx, conversationId, { enabled: true }));
  const input = { accountId, conversationId, quietMs: 0 };
  const begun = await fixture.run((tx) => beginTurn(tx, input));
  if (begun.state !== "go") throw new Error(begun.state);
  const turn = { accountId, conversationId, turnId: begun.turnId };
  await fixture.answer(turn, { kind: "reply", text: "Hola, ¿en qué te ayudo?" });
  expect(await fixture.commit(turn)).toEqual({ state: "replied" });
  expect(await draftsOf(conversationId)).toMatchObject([{ state: "stale" }]);
});

test("a cancelled draft of the agent does not come back by itself, but after a pause it does", async () => {
  const from = freshPhone();
  const { accountId, conversationId } = await fixture.begin("hola", from);
  await as(ana(), (tx) => cancelDraft(tx, conversationId));
  const owed = "SELECT owed_since FROM agent_conversations WHERE conversation_id = ?";
  expect(await fixture.sql(owed, [conversationId])).toEqual([{ owed_since: null }]);
  // The signal of the cancellation may begin a run anew.
  const input = { accountId, conversationId, quietMs: 0 };
  const begin = async () => await fixture.run((tx) => beginTurn(tx, input));
  expect(await begin()).toEqual({ state: "idle" });
  await pause(conversationId);
  await as(ana(), (tx) => setBot(tx, conversationId, { enabled: true }));
  expect(await begin()).toMatchObject({ state: "go" });
  await as(ana(), (tx) => cancelDraft(tx, conversationId));
  await fixture.write("otra cosa", from);
  expect(await begin()).toMatchObject({ state: "go" });
});

test("a suggestion is refused where the agent is off or answers by itself", async () => {
  await setMode("auto");
  const { conversationId } = await fixture.write("hola");
  const asking = async () => await as(ana(), (tx) => requestDraft(tx, conversationId));
  await expect(asking()).rejects.toMatchObject({ code: "agent_is_writing" });
  await setMode("off");
  await expect(asking()).rejects.toMatchObject({ code: "agent_is_off" });
});
