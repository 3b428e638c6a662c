import { expect, test } from "vitest";
import { messageSendBody } from "../../../../core/model/message.ts";
import { changeState } from "../../../../core/services/conversations/conversation-state.ts";
import { lockConversation } from "../../../../core/services/conversation-records/conversation-records.ts";
import { setBot } from "../../../../core/services/conversations/conversations.ts";
import { sendMessage } from "../../../../core/services/conversations/messages.ts";
import { handOverTurn } from "../../../../core/services/agent/handover.ts";
import { beginTurn, endTurn } from "../../../../core/services/agent/turns.ts";
import { transaction } from "../../../../db/transaction.ts";
import { createTestAccount } from "../../../support/accounts.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { setUpAgent } from "../../../worker/agent-fixture.ts";
import { startTurnFixture } from "./turn-fixture.ts";

const fixture = useFixture(startTurnFixture);

const pause = async (conversationId: number) =>
  await fixture.run((tx) => setBot(tx, conversationId, { enabled: false }));

test("a reply is committed once, however often the step is repeated", async () => {
  const turn = await fixture.beginWithReply();
  expect(await fixture.commit(turn)).toEqual({ state: "replied" });
  expect(await fixture.commit(turn)).toEqual({ state: "replied" });
  expect(await fixture.repliesIn(turn.conversationId)).toHaveLength(1);
  const [row] = await fixture.sql(
    "SELECT message_id IS NOT NULL AS told, outcome, open_conversation_id FROM agent_turns WHERE id = ?",
    [turn.turnId],
  );
  expect(row).toEqual({ told: 1, outcome: "replied", open_conversation_id: null });
});

test("the whole message keeps the channel's length, with the words that the service adds", async () => {
  const long = await fixture.beginWithReply("a".repeat(4_090));
  expect(await fixture.commit(long)).toEqual({ state: "blocked" });
  const turn = await fixture.beginWithReply("a".repeat(4_000));
  expect(await fixture.commit(turn)).toEqual({ state: "replied" });
  const [said = ""] = await fixture.repliesIn(turn.conversationId);
  expect(said.length).toBeGreaterThan(4_010);
});

test("200 pauses race 200 replies: no reply leaves after its pause", async () => {
  const outcomes = { replied: 0, paused: 0 };
  for (let round = 0; round < 10; round += 1) {
    const turns = await Promise.all(
      Array.from({ length: 20 }, async () => await fixture.beginWithReply()),
    );
    await Promise.all(
      turns.map(async (turn, index) => {
        const [first, second] = [() => fixture.commit(turn), () => pause(turn.conversationId)];
        const [commit] =
          index % 2 === 0
            ? await Promise.all([first(), second()])
            : (await Promise.all([second(), first()])).toReversed();
        const { state } = commit as { state: "replied" | "paused" };
        outcomes[state] += 1;
        // A reply before the pause is cancelled by it; after the pause there is none.
        expect(await fixture.repliesIn(turn.conversationId)).toEqual([]);
      }),
    );
  }
  expect(outcomes.replied + outcomes.paused).toBe(200);
  expect(outcomes.replied).toBeGreaterThan(0);
  expect(outcomes.paused).toBeGreaterThan(0);
});

test("a newer message of the customer supersedes the reply, unless it is allowed", async () => {
  const from = freshPhone();
  const turn = await fixture.beginWithReply("uno", from);
  await fixture.write("otra cosa", from);
  expect(await fixture.commit(turn)).toEqual({ state: "superseded" });
  const other = await fixture.beginWithReply("dos", freshPhone());
  expect(await fixture.commit(other, { allowNewer: true })).toEqual({ state: "replied" });
});

test("a person who answers meanwhile drops the reply, also where the agent stays on", async () => {
  const turn = await fixture.beginWithReply();
  const { accountId, userId } = fixture.account;
  await fixture.sql("UPDATE accounts SET settings = ? WHERE id = ?", [
    JSON.stringify({ pause_on_human_reply: false }),
    accountId,
  ]);
  const actor = { type: "user", accountId, userId, role: "admin" } as const;
  await transaction(fixture.database.dataSource, { actor }, (tx) =>
    sendMessage(tx, turn.conversationId, messageSendBody.parse({ content: "Yo me encargo." })),
  );
  expect(await fixture.commit(turn)).toEqual({ state: "paused" });
  expect(await fixture.repliesIn(turn.conversationId)).toEqual([]);
  const given = { ...turn, reason: "ai_error" };
  expect(await fixture.run((tx) => handOverTurn(tx, given))).toEqual({ state: "paused" });
  await fixture.sql("UPDATE accounts SET settings = '{}' WHERE id = ?", [accountId]);
});

test("a conversation that was resolved meanwhile gets no reply", async () => {
  const turn = await fixture.beginWithReply();
  await fixture.run(async (tx) => {
    const row = await lockConversation(tx, turn.conversationId);
    await changeState(tx, row, { type: "status", status: "resolved" });
  });
  expect(await fixture.commit(turn)).toEqual({ state: "paused" });
});

test("a closed window leaves the reply unsent and says why", async () => {
  const turn = await fixture.beginWithReply();
  await fixture.sql(
    "UPDATE conversations SET last_customer_message_at = NOW() - INTERVAL 25 HOUR WHERE id = ?",
    [turn.conversationId],
  );
  await fixture.sql(
    "UPDATE channel_accounts SET driver = 'whatsapp' WHERE account_id = ? AND channel = 'whatsapp'",
    [fixture.account.accountId],
  );
  const outcome = await fixture.commit(turn);
  await fixture.sql("UPDATE channel_accounts SET driver = 'sandbox'");
  expect(outcome).toEqual({ state: "silent" });
  const [row] = await fixture.sql("SELECT reason FROM agent_turns WHERE id = ?", [turn.turnId]);
  expect(row).toEqual({ reason: "messaging_window_closed" });
});

test("a begun turn is begun once, and a lost one is taken up", async () => {
  const turn = await fixture.begin();
  const { accountId, conversationId, turnId } = turn;
  const again = await fixture.run((tx) => beginTurn(tx, { accountId, conversationId, quietMs: 0 }));
  expect(again).toEqual({ state: "go", turnId });
  await fixture.run((tx) => endTurn(tx, { ...turn, outcome: "superseded" }));
  const next = await fixture.run((tx) => beginTurn(tx, { accountId, conversationId, quietMs: 0 }));
  expect(next).toMatchObject({ state: "go" });
  expect(next).not.toMatchObject({ turnId });
});

test("handing over pauses first, then sends one text with the new epoch", async () => {
  const turn = await fixture.begin();
  const { conversationId } = turn;
  const given = { ...turn, reason: "ai_timeout" };
  expect(await fixture.run((tx) => handOverTurn(tx, given))).toEqual({ state: "handed_off" });
  expect(await fixture.run((tx) => handOverTurn(tx, given))).toEqual({ state: "handed_off" });
  expect(await fixture.repliesIn(conversationId)).toHaveLength(1);
  const [row] = await fixture.sql(
    `SELECT c.status, c.bot_enabled AS bot, c.bot_epoch = m.bot_epoch AS sameEpoch,
            c.customer_waits_since IS NOT NULL AS waits
       FROM conversations c JOIN messages m ON m.conversation_id = c.id AND m.sender_type = 'ai'
      WHERE c.id = ?`,
    [conversationId],
  );
  expect(row).toEqual({ status: "handed_off", bot: 0, sameEpoch: 1, waits: 1 });
});

test("another account's turn cannot be committed", async () => {
  const turn = await fixture.beginWithReply();
  const other = await createTestAccount(fixture.database.dataSource);
  await setUpAgent(fixture.database, other.accountId);
  const foreign = { ...turn, seq: 1, allowNewer: false };
  const { commitReply } = await import("../../../../core/services/agent/reply.ts");
  const actor = { type: "system", accountId: other.accountId } as const;
  const outcome = await transaction(fixture.database.dataSource, { actor }, (tx) =>
    commitReply(tx, foreign),
  );
  expect(outcome).toEqual({ state: "paused" });
  expect(await fixture.repliesIn(turn.conversationId)).toEqual([]);
});
