import { expect, test } from "vitest";
import { burstOf } from "../../../../core/agent/basic/reading.ts";
import type { Principal } from "../../../../core/model/principal.ts";
import { handOverTurn } from "../../../../core/services/agent/handover.ts";
import { beginStep } from "../../../../core/services/agent/steps.ts";
import { requestDraft } from "../../../../core/services/agent/suggestions.ts";
import { beginTurn } from "../../../../core/services/agent/turns.ts";
import { lockConversation } from "../../../../core/services/conversation-records/conversation-records.ts";
import { setBot } from "../../../../core/services/conversations/conversations.ts";
import {
  beginSend,
  endUnknownSend,
  recordMessageStatus,
} from "../../../../core/services/conversations/message-sending.ts";
import { sendMessage } from "../../../../core/services/conversations/messages.ts";
import { returnToAgent } from "../../../../core/services/conversations/handoffs.ts";
import { setOtherAppAnswers } from "../../../../core/services/conversations/other-app.ts";
import { noPace } from "../../../support/conversations.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { startTurnFixture } from "./turn-fixture.ts";

const fixture = useFixture(startTurnFixture);

const begin = async (conversationId: number) => {
  const { accountId } = fixture.account;
  return await fixture.run((tx) => beginTurn(tx, { accountId, conversationId, quietMs: 0 }));
};

const setOther = async (conversationId: number, answers: boolean) =>
  await fixture.run(async (tx) => {
    await setOtherAppAnswers(tx, await lockConversation(tx, conversationId), answers);
  });

test("another app that takes over before a turn begins has the customer to itself", async () => {
  const { conversationId } = await fixture.write("hola");
  await setOther(conversationId, true);
  expect(await begin(conversationId)).toEqual({ state: "idle" });
  await setOther(conversationId, false);
  expect(await begin(conversationId)).toMatchObject({ state: "go" });
});

const epochOf = async (conversationId: number) => {
  const [row] = await fixture.sql<{ epoch: number }>(
    "SELECT bot_epoch AS epoch FROM conversations WHERE id = ?",
    [conversationId],
  );
  return row?.epoch ?? 0;
};

const giveBack = async (conversationId: number) => {
  const { accountId } = fixture.account;
  const input = { accountId, conversationId, epoch: await epochOf(conversationId), silenceMs: 0 };
  return await fixture.run((tx) => returnToAgent(tx, input));
};

test("a message for which the agent called a person leads to no second call", async () => {
  const turn = await fixture.begin();
  const { conversationId } = turn;
  const reason = "ai_timeout";
  expect(await fixture.run((tx) => handOverTurn(tx, { ...turn, reason }))).toEqual({
    state: "handed_off",
  });
  await fixture.sql("UPDATE messages SET status = 'failed' WHERE sender_type = 'ai'");
  expect(await giveBack(conversationId)).toEqual({ state: "returned" });
  expect(await begin(conversationId)).toEqual({ state: "idle" });
});

const countWakeups = async () => {
  const woken = "SELECT 1 FROM outbox WHERE command->>'$.workflow' = 'agentTurn'";
  return (await fixture.sql(woken)).length;
};

test("the agent answers after its return what a cancelled reply left unanswered", async () => {
  const turn = await fixture.beginWithReply();
  const { conversationId } = turn;
  expect(await fixture.commit(turn)).toEqual({ state: "replied" });
  await fixture.run((tx) => setBot(tx, conversationId, { enabled: false }));
  expect(await fixture.repliesIn(conversationId)).toEqual([]);
  await fixture.sql("DELETE FROM outbox");
  expect(await giveBack(conversationId)).toEqual({ state: "returned" });
  expect(await countWakeups()).toBe(1);
  expect(await begin(conversationId)).toMatchObject({ state: "go" });
});

/** The messages that a step sees, each with its speaker. */
const seenBy = async (conversationId: number, turnId: number) => {
  const step = { accountId: fixture.account.accountId, conversationId, turnId, seq: 1 };
  const asked = await fixture.run((tx) => beginStep(tx, step));
  if (asked.state !== "ask") throw new Error(asked.state);
  return asked.context.messages.map(({ speaker, text }) => `${speaker}: ${text}`);
};

/** Somebody of the account writes a message, which waits for its channel. @returns its id. */
const send = async (conversationId: number, by: "user" | "api_key" | "system") => {
  const { accountId, apiKeyId, userId } = fixture.account;
  const actors: Record<typeof by, Principal> = {
    user: { type: "user", accountId, userId, role: "admin" },
    api_key: { type: "api_key", accountId, apiKeyId, scopes: [] },
    system: { type: "system", accountId },
  };
  const actor = actors[by];
  const { row } = await fixture.run((tx) =>
    sendMessage({ ...tx, actor }, conversationId, { type: "text", content: "Hola" }),
  );
  return row.id;
};

const endAs = async (messageId: number, status: string) =>
  await fixture.sql("UPDATE messages SET status = ? WHERE id = ?", [status, messageId]);

test.each(["failed", "cancelled"])(
  "a message of the API that is queued answers the customer, and a %s one does not",
  async (status) => {
    const { conversationId } = await fixture.write("hola");
    const messageId = await send(conversationId, "api_key");
    expect(await begin(conversationId)).toEqual({ state: "idle" });
    await endAs(messageId, status);
    expect(await begin(conversationId)).toMatchObject({ state: "go" });
  },
);

test("a message of the API that fails wakes the agent, which took it for the answer", async () => {
  const { conversationId } = await fixture.write("hola");
  const messageId = await send(conversationId, "api_key");
  expect(await begin(conversationId)).toEqual({ state: "idle" });
  await fixture.sql("DELETE FROM outbox");
  await fixture.run((tx) => recordMessageStatus(tx, messageId, "failed"));
  expect(await countWakeups()).toBe(1);
  expect(await begin(conversationId)).toMatchObject({ state: "go" });
});

test("a message of the API that may have arrived wakes no agent", async () => {
  const { conversationId } = await fixture.write("hola");
  const messageId = await send(conversationId, "api_key");
  await fixture.sql("DELETE FROM outbox");
  const input = { accountId: fixture.account.accountId, messageId };
  expect(await fixture.run((tx) => beginSend(tx, input, noPace))).toMatchObject({ go: true });
  await fixture.run((tx) => endUnknownSend(tx, input));
  expect(await countWakeups()).toBe(0);
});

test("a message of the API that fails wakes no agent that has answered the customer", async () => {
  const turn = await fixture.beginWithReply();
  expect(await fixture.commit(turn)).toEqual({ state: "replied" });
  const messageId = await send(turn.conversationId, "api_key");
  await fixture.sql("DELETE FROM outbox");
  await fixture.run((tx) => recordMessageStatus(tx, messageId, "failed"));
  expect(await countWakeups()).toBe(0);
});

test("the agent that is switched on answers after a person's reply that failed", async () => {
  const { conversationId } = await fixture.write("hola");
  await endAs(await send(conversationId, "user"), "failed");
  expect(await begin(conversationId)).toEqual({ state: "idle" });
  await fixture.run((tx) => setBot(tx, conversationId, { enabled: true }));
  expect(await begin(conversationId)).toMatchObject({ state: "go" });
});

test("a turn goes on after a message of the API has failed, and not beside a queued one", async () => {
  const queued = await fixture.beginWithReply();
  await send(queued.conversationId, "api_key");
  expect(await fixture.commit(queued)).toEqual({ state: "paused" });
  const failed = await fixture.beginWithReply();
  await endAs(await send(failed.conversationId, "api_key"), "failed");
  expect(await fixture.commit(failed)).toEqual({ state: "replied" });
});

const switchTo = async (conversationId: number, enabled: boolean) =>
  await fixture.run((tx) => setBot(tx, conversationId, { enabled }));

test("a wish for a person that a person has answered hands over no second time", async () => {
  const from = freshPhone();
  const { conversationId } = await fixture.write("hola", from);
  await switchTo(conversationId, false);
  await fixture.write("quiero hablar con una persona", from);
  await send(conversationId, "user");
  await switchTo(conversationId, true);
  await fixture.write("gracias, ¿abren hoy?", from);
  expect(await begin(conversationId)).toMatchObject({ state: "go" });
});

test.each([
  ["user", "¿abren hoy?"],
  ["api_key", "¿abren hoy?"],
  ["system", "hola\n¿abren hoy?"],
] as const)("after a message of %s a turn answers: %s", async (by, burst) => {
  const from = freshPhone();
  const { accountId } = fixture.account;
  const { conversationId } = await fixture.write("hola", from);
  await send(conversationId, by);
  await fixture.write("¿abren hoy?", from);
  await switchTo(conversationId, true);
  const begun = await begin(conversationId);
  if (begun.state !== "go") throw new Error(begun.state);
  const step = { accountId, conversationId, turnId: begun.turnId, seq: 1 };
  const asked = await fixture.run((tx) => beginStep(tx, step));
  expect(asked.state === "ask" && burstOf(asked.context)).toBe(burst);
});

test("a reply that newer messages overtook stands before them in the next turn", async () => {
  const from = freshPhone();
  const turn = await fixture.beginWithReply("Abrimos a las nueve.", from);
  const { conversationId } = turn;
  await fixture.write("¿y el sábado?", from);
  expect(await fixture.commit(turn, { allowNewer: true })).toEqual({ state: "replied" });
  const begun = await begin(conversationId);
  if (begun.state !== "go") throw new Error(begun.state);
  expect(await seenBy(conversationId, begun.turnId)).toEqual([
    "customer: hola",
    expect.stringMatching(/^agent: .*Abrimos a las nueve\.$/su),
    "customer: ¿y el sábado?",
  ]);
});

test("a suggestion knows the message that a colleague has written meanwhile", async () => {
  const { conversationId } = await fixture.write("¿abren hoy?");
  await send(conversationId, "user");
  const { accountId, userId } = fixture.account;
  const actor: Principal = { type: "user", accountId, userId, role: "admin" };
  const { id } = await fixture.run((tx) => requestDraft({ ...tx, actor }, conversationId));
  expect(await seenBy(conversationId, id)).toEqual(["customer: ¿abren hoy?", "person: Hola"]);
});
