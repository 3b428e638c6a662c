import { expect, test } from "vitest";
import { beginTurn } from "../../../../core/services/agent/turns.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { receive, type Incoming } from "../../../support/conversations.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { startTurnFixture } from "./turn-fixture.ts";

const fixture = useFixture(startTurnFixture);

async function writeOn(channel: Incoming["channel"], from: string): Promise<number> {
  const { accountId } = fixture.account;
  const { row } = await receive(fixture.database.dataSource, accountId, {
    channel,
    from,
    content: "hola",
  });
  return row.conversationId;
}

/** A customer writes. @returns the state of the turn that begins */
async function begin(channel: Incoming["channel"], from: string) {
  const { accountId } = fixture.account;
  const conversationId = await writeOn(channel, from);
  const input = { accountId, conversationId, quietMs: 0 };
  const { state } = await fixture.run(async (tx) => await beginTurn(tx, input));
  return { state, conversationId };
}

/** Ends the open turn of a conversation, as one that has cost so many tokens. */
async function spend(conversationId: number, tokens: number, at = new Date()): Promise<void> {
  await fixture.sql(
    `UPDATE agent_turns SET outcome = 'superseded', open_conversation_id = NULL, engine = 'openai',
            input_tokens = ?, output_tokens = 1000, created_at = ?, finished_at = ?
      WHERE open_conversation_id = ?`,
    [tokens - 1_000, at, at, conversationId],
  );
}

test("a visitor's conversation is handed over once it has cost 200,000 tokens in a day, also without replies", async () => {
  const from = `v_${freshPhone()}`;
  const { conversationId } = await begin("web", from);
  await spend(conversationId, 190_000);
  expect((await begin("web", from)).state).toBe("go");
  await spend(conversationId, 10_000);
  expect((await begin("web", from)).state).toBe("handed_off");
  expect(await fixture.repliesIn(conversationId)).toEqual([
    expect.stringContaining("una persona de nuestro equipo"),
  ]);
  const [turn] = await fixture.sql(
    "SELECT reason FROM agent_turns WHERE conversation_id = ? ORDER BY id DESC LIMIT 1",
    [conversationId],
  );
  expect(turn).toEqual({ reason: "limits" });
  expect((await begin("web", `v_${freshPhone()}`)).state).toBe("go");
});

test("tokens of yesterday and those of other channels do not count", async () => {
  const visitor = `v_${freshPhone()}`;
  const { conversationId } = await begin("web", visitor);
  await spend(conversationId, 500_000, new Date(Date.now() - 25 * 3_600_000));
  expect((await begin("web", visitor)).state).toBe("go");
  const phone = freshPhone();
  const other = await begin("whatsapp", phone);
  await spend(other.conversationId, 500_000);
  expect((await begin("whatsapp", phone)).state).toBe("go");
});
