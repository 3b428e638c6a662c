import { expect, test } from "vitest";
import { getTurn, presentTurnDetail } from "../../../../core/services/agent/turn-views.ts";
import { readTexts } from "../../../../core/services/agent/tools/customer-words.ts";
import { runTurnTool } from "../../../../core/services/agent/turn-tools.ts";
import { beginTurn, endTurn } from "../../../../core/services/agent/turns.ts";
import { setBot } from "../../../../core/services/conversations/conversations.ts";
import { setUpAgent } from "../../../worker/agent-fixture.ts";
import { handOverTurn } from "../../../../core/services/agent/handover.ts";
import { beginStep, storeFailure, storeOutput } from "../../../../core/services/agent/steps.ts";
import { sendMessage } from "../../../../core/services/conversations/messages.ts";
import type { Principal } from "../../../../core/model/principal.ts";
import { changeState } from "../../../../core/services/conversations/conversation-state.ts";
import { lockConversation } from "../../../../core/services/conversation-records/conversation-records.ts";
import { asSystem, createTestAccount } from "../../../support/accounts.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { startTurnFixture } from "./turn-fixture.ts";

const fixture = useFixture(startTurnFixture);
const usage = { input: 10, cached: 0, output: 5 };

test("a done step answers from its row", async () => {
  const turn = await fixture.begin();
  await fixture.answer(turn, { kind: "reply", text: "Hola" });
  const again = await fixture.run((tx) => beginStep(tx, { ...turn, seq: 1 }));
  expect(again).toEqual({ state: "done", outcome: { state: "reply" } });
});

test("half of a surrogate pair in an answer is replaced, and the answer is stored", async () => {
  const turn = await fixture.begin();
  await fixture.answer(turn, { kind: "reply", text: "Hola \uD83D" });
  expect(await fixture.commit(turn)).toEqual({ state: "replied" });
  expect((await fixture.repliesIn(turn.conversationId)).join()).toContain("Hola \uFFFD");
});

test("a tool that a model made up has no name in the outcome, which Temporal keeps", async () => {
  const turn = await fixture.begin();
  const step = { ...turn, seq: 1 };
  await fixture.run((tx) => beginStep(tx, step));
  const calls = [
    { callId: "a", tool: "call Ana on 555 123", input: {} },
    { callId: "b", tool: "find_slots", input: {} },
  ];
  const output = { kind: "calls" as const, text: "", calls, usage };
  const facts = { output, provider: null, durationMs: 1 };
  expect(await fixture.run((tx) => storeOutput(tx, step, facts))).toEqual({
    state: "calls",
    tools: ["unknown", "find_slots"],
  });
});

/** A program sends options as numbered lines. */
async function offer(from: string, titles: readonly string[]): Promise<number> {
  const { conversationId } = await fixture.write("hola", from);
  const options = titles.map((title) => ({ id: title, title }));
  const interactive = { kind: "buttons" as const, body: "¿Qué deseas?", options };
  const { accountId, apiKeyId } = fixture.account;
  const actor: Principal = { type: "api_key", accountId, apiKeyId, scopes: [] };
  const message = { type: "interactive" as const, interactive };
  await fixture.run((tx) => sendMessage({ ...tx, actor }, conversationId, message));
  return conversationId;
}

test("a typed number of an option reads as the title of the option", async () => {
  await offer("5215500000071", ["Limpieza dental", "Luis Soto"]);
  const place = await fixture.begin("2", "5215500000071");
  const begun = await fixture.run((tx) => beginStep(tx, { ...place, seq: 1 }));
  if (begun.state !== "ask") throw new Error(begun.state);
  expect(begun.context.messages.at(-1)?.text).toBe("Luis Soto");
  const [row] = await fixture.sql("SELECT type, content FROM messages ORDER BY id DESC LIMIT 1");
  expect(row).toEqual({ type: "text", content: "2" });
  const { burst, written } = await fixture.run(async (tx) => {
    const turn = await getTurn(tx, place.turnId);
    const detail = await presentTurnDetail(tx, turn);
    return { burst: detail.burst, written: await readTexts(tx, turn, 0) };
  });
  expect(burst.map(({ text }) => text)).toEqual(["hola", "Luis Soto"]);
  expect(written).toBe("hola\nLuis Soto");
});

test.each([
  ["5215500000072", "Hablar con una persona", "asked_for_a_person"],
  ["5215500000073", "Poner una denuncia", "keyword"],
])("a typed number of an option hands over by the option's title: %s %s", async (...given) => {
  const [from, title, reason] = given;
  const { accountId } = fixture.account;
  await setUpAgent(fixture.database, accountId, { handover_keywords: ["denuncia"] });
  const conversationId = await offer(from, ["Limpieza dental", title]);
  await fixture.write("2", from);
  const begun = await fixture.run((tx) => beginTurn(tx, { accountId, conversationId, quietMs: 0 }));
  expect(begun).toEqual({ state: "handed_off" });
  const [turn] = await fixture.sql("SELECT reason FROM agent_turns ORDER BY id DESC LIMIT 1");
  expect(turn).toEqual({ reason });
});

test("a failure without a provider ends the turn with a person", async () => {
  const turn = await fixture.begin();
  const step = { ...turn, seq: 1 };
  await fixture.run((tx) => beginStep(tx, step));
  const facts = { failure: "unavailable", retryAfterMs: null, provider: null } as const;
  expect(await fixture.run((tx) => storeFailure(tx, step, facts))).toEqual({
    state: "failed",
    failure: "unavailable",
  });
});

test("a conversation that was resolved meanwhile is not handed over", async () => {
  const turn = await fixture.begin();
  await fixture.run(async (tx) => {
    const row = await lockConversation(tx, turn.conversationId);
    await changeState(tx, row, { type: "status", status: "resolved" });
  });
  const given = { ...turn, reason: "ai_error" };
  expect(await fixture.run((tx) => handOverTurn(tx, given))).toEqual({ state: "paused" });
  const [row] = await fixture.sql("SELECT status FROM conversations WHERE id = ?", [
    turn.conversationId,
  ]);
  expect(row).toEqual({ status: "resolved" });
});

test("an answer that comes late changes nothing", async () => {
  const turn = await fixture.begin();
  await fixture.answer(turn, { kind: "reply", text: "Hola" });
  const step = { ...turn, seq: 1 };
  const late = { kind: "reply" as const, text: "Tarde", usage };
  const facts = { output: late, provider: null, durationMs: 1 };
  expect(await fixture.run((tx) => storeOutput(tx, step, facts))).toEqual({ state: "reply" });
  const failure = { failure: "timeout", retryAfterMs: null, provider: null } as const;
  await fixture.run((tx) => storeFailure(tx, step, failure));
  const [counted] = await fixture.sql(
    "SELECT engine, steps, calls, input_tokens, output_tokens FROM agent_turns WHERE id = ?",
    [turn.turnId],
  );
  expect(counted).toEqual({
    engine: "basic",
    steps: 1,
    calls: 0,
    input_tokens: 10,
    output_tokens: 5,
  });
  expect(await fixture.commit(turn)).toEqual({ state: "replied" });
  expect((await fixture.repliesIn(turn.conversationId)).join()).toContain("Hola");
});

test("each step adds its tokens and calls to the turn", async () => {
  const turn = await fixture.begin();
  await fixture.answer(turn, { kind: "calls", text: "", calls: [call("find_slots", {})], usage });
  await fixture.answer(turn, { kind: "reply", text: "Hola", usage }, 2);
  const [row] = await fixture.sql(
    "SELECT steps, calls, input_tokens, output_tokens FROM agent_turns WHERE id = ?",
    [turn.turnId],
  );
  expect(row).toEqual({ steps: 2, calls: 1, input_tokens: 20, output_tokens: 10 });
});

test("an answer is dropped where the account is another one, or the turn was erased", async () => {
  const turn = await fixture.begin();
  const step = { ...turn, seq: 1 };
  await fixture.run((tx) => beginStep(tx, step));
  const output = { kind: "reply" as const, text: "Hola", usage };
  const facts = { output, provider: null, durationMs: 1 };
  const dropped = { state: "failed", failure: "paused" };
  const { dataSource } = fixture.database;
  const other = await createTestAccount(dataSource);
  const foreign = await asSystem(dataSource, other.accountId, (tx) => storeOutput(tx, step, facts));
  expect(foreign).toEqual(dropped);
  const state = "SELECT state FROM agent_steps WHERE turn_id = ?";
  expect(await fixture.sql(state, [turn.turnId])).toEqual([{ state: "running" }]);
  await fixture.sql("DELETE FROM agent_steps WHERE turn_id = ?", [turn.turnId]);
  await fixture.sql("DELETE FROM agent_turns WHERE id = ?", [turn.turnId]);
  expect(await fixture.run((tx) => storeOutput(tx, step, facts))).toEqual(dropped);
});

test("a late signal of a pause ends no turn that MySQL knows as good", async () => {
  const turn = await fixture.begin();
  const ended = await fixture.run((tx) => endTurn(tx, { ...turn, outcome: "paused" }));
  expect(ended).toEqual({ state: "superseded" });
  const [row] = await fixture.sql<{ owed: number }>(
    "SELECT owed_since IS NOT NULL AS owed FROM agent_conversations WHERE conversation_id = ?",
    [turn.conversationId],
  );
  expect(row).toEqual({ owed: 1 });
});

test("a closing text of the model passes the guards, or ours is sent", async () => {
  const turn = await fixture.begin();
  const input = { reason: "asks", message: "Tu cita quedó agendada." };
  await fixture.answer(turn, { kind: "calls", text: "", calls: [call("hand_off", input)] });
  const { accountId, conversationId, turnId } = turn;
  await fixture.run((tx) => runTurnTool(tx, { ...turn, seq: 1, position: 0 }));
  const given = { accountId, conversationId, turnId, reason: "agent_decided" };
  expect(await fixture.run((tx) => handOverTurn(tx, given))).toEqual({ state: "handed_off" });
  const said = (await fixture.repliesIn(conversationId)).join();
  expect(said).not.toContain("agendada");
  expect(said).not.toBe("");
});

test("a pause that cancels a confirmation leaves its effect untold", async () => {
  const turn = await fixture.begin();
  await fixture.answer(turn, { kind: "reply", text: "Listo." });
  await fixture.sql(
    `INSERT INTO agent_tool_calls (account_id, turn_id, conversation_id, contact_id, seq, position,
       call_id, tool, code, untold, appointment_id)
     SELECT account_id, id, conversation_id, contact_id, 9, 0, 'c', 'add_note', 'ok', FALSE, NULL
       FROM agent_turns WHERE id = ?`,
    [turn.turnId],
  );
  await fixture.commit(turn);
  await fixture.sql(
    `UPDATE agent_tool_calls c JOIN agent_turns t ON t.id = c.turn_id
        SET c.told_message_id = t.message_id WHERE t.id = ?`,
    [turn.turnId],
  );
  await fixture.run((tx) => setBot(tx, turn.conversationId, { enabled: false }));
  const [row] = await fixture.sql(
    "SELECT untold, told_message_id FROM agent_tool_calls WHERE turn_id = ?",
    [turn.turnId],
  );
  expect(row).toEqual({ untold: 1, told_message_id: null });
});

test("a keyword is found beside a comma and at the end of a line", async () => {
  await setUpAgent(fixture.database, fixture.account.accountId, {
    handover_keywords: ["denuncia"],
  });
  const { conversationId } = await fixture.write("quiero poner una denuncia.\ngracias");
  const { accountId } = fixture.account;
  const begun = await fixture.run((tx) => beginTurn(tx, { accountId, conversationId, quietMs: 0 }));
  expect(begun).toEqual({ state: "handed_off" });
});

function call(tool: string, input: unknown) {
  return { callId: "c1", tool, input };
}
