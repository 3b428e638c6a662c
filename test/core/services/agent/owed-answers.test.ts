import { expect, test } from "vitest";
import { handOverTurn } from "../../../../core/services/agent/handover.ts";
import { beginTurn } from "../../../../core/services/agent/turns.ts";
import { lockConversation } from "../../../../core/services/conversations/conversation-records.ts";
import { setBot } from "../../../../core/services/conversations/conversations.ts";
import { returnToAgent } from "../../../../core/services/conversations/handoffs.ts";
import { setOtherAppAnswers } from "../../../../core/services/conversations/other-app.ts";
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

test("the agent answers after its return what a cancelled reply left unanswered", async () => {
  const turn = await fixture.beginWithReply();
  const { conversationId } = turn;
  expect(await fixture.commit(turn)).toEqual({ state: "replied" });
  await fixture.run((tx) => setBot(tx, conversationId, { enabled: false }));
  expect(await fixture.repliesIn(conversationId)).toEqual([]);
  await fixture.sql("DELETE FROM outbox");
  expect(await giveBack(conversationId)).toEqual({ state: "returned" });
  const woken = "SELECT 1 FROM outbox WHERE command->>'$.workflow' = 'agentTurn'";
  expect(await fixture.sql(woken)).toHaveLength(1);
  expect(await begin(conversationId)).toMatchObject({ state: "go" });
});
