import { expect, test } from "vitest";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { seedClinic } from "../../dev/launcher/demo-clinic.ts";
import { asSystem } from "../support/accounts.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { payloadsOf } from "../support/worker.ts";
import { workdaysAhead } from "../support/workdays.ts";
import { setUpAgent, startAgentFixture } from "./agent-fixture.ts";

// A booking in the sandbox, whose customers answer options by number, through worker and Temporal.
const fixture = useFixture(async () => {
  const agent = await startAgentFixture();
  const { accountId } = agent.account;
  await asSystem(agent.database.dataSource, accountId, (tx) => seedClinic(tx));
  await setUpAgent(agent.database, accountId);
  return agent;
});

const [day] = workdaysAhead();
const wish = `Quiero una limpieza el ${day} con cualquiera, soy Ana Torres`;

interface Line {
  type: string;
  content: string;
  status: string;
  interactive: { sent_as?: string; id?: string; options: { id: string; title: string }[] } | null;
}

/** Messages of a conversation, oldest first. */
async function linesOf(conversationId: number): Promise<Line[]> {
  const select =
    "SELECT type, content, status, interactive FROM messages WHERE conversation_id = ? ORDER BY id";
  return await fixture.sql<Line>(select, [conversationId]);
}

async function startsIn(conversationId: number): Promise<string[]> {
  const select = "SELECT start_time AS start FROM appointments WHERE conversation_id = ?";
  const rows = await fixture.sql<{ start: Date }>(select, [conversationId]);
  return rows.map(({ start }) => start.toISOString());
}

/** Lets a customer ask for a time. @returns the conversation, and the offer as it was sent. */
async function ask(from: string) {
  const { conversationId } = await fixture.write(wish, from);
  await fixture.settled(conversationId, 1);
  const offer = await eventually(async () => {
    const line = (await linesOf(conversationId)).at(-1);
    if (line?.status !== "sent" && line?.status !== "delivered" && line?.status !== "read")
      throw new Error(`not sent: ${line?.status}`);
    return line;
  });
  return { conversationId, offer };
}

test("the typed number of an offered time books this slot, and Temporal keeps no slot", async () => {
  const from = freshPhone();
  const { conversationId, offer } = await ask(from);
  expect(offer).toMatchObject({ type: "interactive", interactive: { sent_as: "text" } });
  const options = offer.interactive?.options ?? [];
  expect(offer.content.match(/^\d\. /gmu)).toHaveLength(options.length);
  const second = options[1]?.id ?? "";
  await fixture.write("2", from);
  await fixture.settled(conversationId, 2);
  const answer = (await linesOf(conversationId)).find(({ interactive }) => interactive?.id);
  expect(answer).toMatchObject({ type: "text", content: "2", interactive: { id: second } });
  await fixture.write("sí", from);
  await fixture.settled(conversationId, 3);
  expect((await fixture.repliesIn(conversationId)).at(-1)).toContain("Cita confirmada: ");
  expect(await startsIn(conversationId)).toEqual([second.split("/")[1]]);
  const runs = fixture.client.workflow.list();
  for await (const { workflowId, runId } of runs) {
    const history = await fixture.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const written = payloadsOf(history);
    for (const secret of ["slot/", from, "Ana Torres"]) expect(written).not.toContain(secret);
  }
});

test("a pause between the offer and the number leaves the slot free, until the agent is back", async () => {
  const from = freshPhone();
  const { conversationId, offer } = await ask(from);
  const turnOn = async (enabled: boolean) => {
    const { dataSource } = fixture.database;
    await asSystem(dataSource, fixture.account.accountId, (tx) =>
      setBot(tx, conversationId, { enabled }),
    );
  };
  await turnOn(false);
  await fixture.write("1", from);
  await eventually(async () => {
    expect(await fixture.sql("SELECT 1 FROM outbox WHERE kind = 'request'")).toEqual([]);
  });
  expect(await fixture.turnsOf(conversationId)).toEqual(["replied"]);
  expect(await startsIn(conversationId)).toEqual([]);
  await turnOn(true);
  await fixture.settled(conversationId, 2);
  await fixture.write("sí", from);
  await fixture.settled(conversationId, 3);
  const [first] = offer.interactive?.options ?? [];
  expect(await startsIn(conversationId)).toEqual([first?.id.split("/")[1]]);
});
