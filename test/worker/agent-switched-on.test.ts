import { expect, test } from "vitest";
import { messageSendBody } from "../../core/model/message.ts";
import { setBot, setConversationStatus } from "../../core/services/conversations/conversations.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { setUpAgent, startAgentFixture } from "./agent-fixture.ts";

const fixture = useFixture(async () => await startAgentFixture());

async function asPerson<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const { accountId, userId } = fixture.account;
  const actor = { type: "user", accountId, userId, role: "admin" } as const;
  return await transaction(fixture.database.dataSource, { actor }, work);
}

const switchTo = async (id: number, enabled: boolean) =>
  await asPerson(async (tx) => await setBot(tx, id, { enabled }));
const say = async (id: number, content: string) =>
  await asPerson(async (tx) => await sendMessage(tx, id, messageSendBody.parse({ content })));

/** Waits until the worker has carried every request to Temporal. */
async function relayed(): Promise<void> {
  await eventually(async () => {
    expect(await fixture.sql("SELECT 1 FROM outbox WHERE kind = 'request'")).toEqual([]);
  });
}

/** Waits until the channel has the agent's message, which a pause then no longer cancels. */
async function sent(id: number): Promise<void> {
  const open =
    "SELECT 1 FROM messages WHERE conversation_id = ? AND status IN ('queued', 'sending')";
  await eventually(async () => expect(await fixture.sql(open, [id])).toEqual([]));
}

/** A conversation whose agent has answered, and is paused since. */
async function openPaused(): Promise<{ from: string; conversationId: number }> {
  const from = freshPhone();
  const { conversationId } = await fixture.write("hola", from);
  await fixture.settled(conversationId, 1);
  await sent(conversationId);
  await switchTo(conversationId, false);
  return { from, conversationId };
}

test("switched on by a person, the agent answers the customer's last message", async () => {
  const { from, conversationId } = await openPaused();
  await fixture.write("¿sigues ahí?", from);
  await switchTo(conversationId, true);
  await switchTo(conversationId, true);
  expect(await fixture.settled(conversationId, 2)).toEqual(["replied", "replied"]);
  await relayed();
  expect(await fixture.turnsOf(conversationId)).toHaveLength(2);
});

test("a message whose reply the pause has cancelled is answered anew", async () => {
  const { conversationId } = await openPaused();
  const ids = "sender_type = 'ai' AND conversation_id = ?";
  await fixture.sql(`UPDATE messages SET status = 'cancelled' WHERE ${ids}`, [conversationId]);
  await switchTo(conversationId, true);
  expect(await fixture.settled(conversationId, 2)).toEqual(["replied", "replied"]);
});

test("the agent stays silent where a person or the agent has spoken last", async () => {
  const answered = await openPaused();
  await switchTo(answered.conversationId, true);
  const byPerson = await openPaused();
  await fixture.write("¿sigues ahí?", byPerson.from);
  await say(byPerson.conversationId, "Sí, aquí estoy.");
  await switchTo(byPerson.conversationId, true);
  const handedOver = await fixture.write("quiero hablar con una persona");
  await fixture.settled(handedOver.conversationId, 1);
  await switchTo(handedOver.conversationId, true);
  await relayed();
  expect(await fixture.turnsOf(answered.conversationId)).toEqual(["replied"]);
  expect(await fixture.turnsOf(byPerson.conversationId)).toEqual(["replied"]);
  expect(await fixture.turnsOf(handedOver.conversationId)).toEqual(["handed_off"]);
});

test("a resolved conversation stays resolved and silent", async () => {
  const { from, conversationId } = await openPaused();
  await fixture.write("gracias, ya no", from);
  await asPerson(async (tx) => await setConversationStatus(tx, conversationId, "resolved"));
  await switchTo(conversationId, true);
  await relayed();
  expect(await fixture.turnsOf(conversationId)).toEqual(["replied"]);
});

test("a switch and a customer's message at once give one answer", async () => {
  await setUpAgent(fixture.database, fixture.account.accountId, { quiet_seconds: 1 });
  const open = await Promise.all(Array.from({ length: 6 }, async () => await openPaused()));
  await Promise.all(
    open.flatMap(({ from, conversationId }, index) => {
      const both = [() => fixture.write("¿y mañana?", from), () => switchTo(conversationId, true)];
      return (index % 2 === 0 ? both : both.toReversed()).map(async (act) => await act());
    }),
  );
  for (const { conversationId } of open) {
    expect(await fixture.settled(conversationId, 2)).toEqual(["replied", "replied"]);
  }
  await relayed();
  for (const { conversationId } of open) {
    expect(await fixture.turnsOf(conversationId)).toHaveLength(2);
    expect(await fixture.repliesIn(conversationId)).toHaveLength(2);
  }
  await setUpAgent(fixture.database, fixture.account.accountId);
});
