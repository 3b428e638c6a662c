import { expect, test } from "vitest";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { asSystem } from "../support/accounts.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { setUpAgent, startAgentFixture } from "./agent-fixture.ts";

const fixture = useFixture(async () => await startAgentFixture());

test("a customer's message is answered once, and the run ends", async () => {
  const { conversationId } = await fixture.write("hola");
  expect(await fixture.settled(conversationId, 1)).toEqual(["replied"]);
  expect(await fixture.repliesIn(conversationId)).toHaveLength(1);
  const run = fixture.client.workflow.getHandle(`agent-${conversationId}`);
  expect(await run.result()).toEqual({ turns: 1, outcome: "replied" });
});

test("the next message is answered by a further turn under the same workflow id", async () => {
  const from = freshPhone();
  const { conversationId } = await fixture.write("hola", from);
  await fixture.settled(conversationId, 1);
  await fixture.write("gracias", from);
  expect(await fixture.settled(conversationId, 2)).toEqual(["replied", "replied"]);
});

test("a request for a person hands over with one closing text, and the customer still waits", async () => {
  const { conversationId } = await fixture.write("quiero hablar con una persona");
  expect(await fixture.settled(conversationId, 1)).toEqual(["handed_off"]);
  expect(await fixture.repliesIn(conversationId)).toHaveLength(1);
  const [row] = await fixture.sql(
    `SELECT status, bot_enabled, handoff_source, customer_waits_since IS NOT NULL AS waits
       FROM conversations WHERE id = ?`,
    [conversationId],
  );
  expect(row).toEqual({ status: "handed_off", bot_enabled: 0, handoff_source: "agent", waits: 1 });
});

test("a conversation with the agent paused gets no turn", async () => {
  const from = freshPhone();
  const { conversationId } = await fixture.write("hola", from);
  await fixture.settled(conversationId, 1);
  await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
    setBot(tx, conversationId, { enabled: false }),
  );
  await fixture.write("¿sigues ahí?", from);
  await eventually(async () => {
    const rows = await fixture.sql("SELECT 1 FROM outbox WHERE kind = 'request'");
    expect(rows).toEqual([]);
  });
  expect(await fixture.turnsOf(conversationId)).toEqual(["replied"]);
});

test("a burst within the quiet time is answered at once, by one reply", async () => {
  await setUpAgent(fixture.database, fixture.account.accountId, { quiet_seconds: 1 });
  const from = freshPhone();
  const { conversationId } = await fixture.write("hola", from);
  await fixture.write("una pregunta", from);
  await fixture.write("¿abren hoy?", from);
  expect(await fixture.settled(conversationId, 1)).toEqual(["replied"]);
  expect(await fixture.repliesIn(conversationId)).toHaveLength(1);
  await setUpAgent(fixture.database, fixture.account.accountId);
});
