import { expect, test } from "vitest";
import type { Principal } from "../../../../core/model/principal.ts";
import { findOpenDraft, sendDraft } from "../../../../core/services/agent/drafts.ts";
import {
  setBot,
  setConversationStatus,
} from "../../../../core/services/conversations/conversations.ts";
import { sendMessage } from "../../../../core/services/conversations/messages.ts";
import { seedClinic } from "../../../../dev/launcher/demo-clinic.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { setUpAgent } from "../../../worker/agent-fixture.ts";
import { startTurnFixture, takeTurn, type TurnPlace } from "./turn-fixture.ts";

// The built-in agent with the real tools, where somebody else speaks between its question and the
// customer's "sí".
const fixture = useFixture(async () => {
  const place = await startTurnFixture();
  await place.run((tx) => seedClinic(tx));
  return { place, stop: async () => await place.stop() };
});

const wish = "cita para consulta el jueves por la tarde con cualquiera, soy Luis Pérez";

interface Asked {
  from: string;
  conversationId: number;
}

/** The agent has asked a question of yes or no. The channel has its messages. */
async function ask(...texts: string[]): Promise<Asked> {
  const from = freshPhone();
  let question = "";
  for (const text of texts) question = (await takeTurn(fixture.place, text, from)).said;
  expect(question).toContain("Responde sí o no");
  const conversationId = await findConversation(from);
  await deliver(conversationId);
  return { from, conversationId };
}

async function findConversation(from: string): Promise<number> {
  const [row] = await fixture.place.sql<{ id: number }>(
    "SELECT id FROM conversations WHERE customer_external_id = ?",
    [from],
  );
  return row?.id ?? 0;
}

const askToBook = async () => await ask(wish, "la primera");
const askToCancel = async () => await ask(wish, "la primera", "sí", "cancela mi cita");

const deliver = async (conversationId: number) =>
  await fixture.place.sql("UPDATE messages SET status = 'sent' WHERE conversation_id = ?", [
    conversationId,
  ]);

/** Somebody of the account writes. A person's message pauses the agent. */
async function send(conversationId: number, by: "user" | "api_key" | "system"): Promise<void> {
  const { accountId, apiKeyId, userId } = fixture.place.account;
  const actors: Record<typeof by, Principal> = {
    user: { type: "user", accountId, userId, role: "admin" },
    api_key: { type: "api_key", accountId, apiKeyId, scopes: [] },
    system: { type: "system", accountId },
  };
  const body = { type: "text" as const, content: "Mejor te la paso al viernes, ¿va?" };
  const actor = actors[by];
  await fixture.place.run((tx) => sendMessage({ ...tx, actor }, conversationId, body));
}

const switchTo = async (conversationId: number, enabled: boolean) =>
  await fixture.place.run((tx) => setBot(tx, conversationId, { enabled }));

/** The customer says "sí", the agent is on after that, and answers. */
async function sayYes(
  { from, conversationId }: Asked,
  behind: () => Promise<void> = async () => {},
) {
  const write: TurnPlace["write"] = async (content, sender) => {
    const written = await fixture.place.write(content, sender);
    await behind();
    await switchTo(conversationId, true);
    return written;
  };
  return await takeTurn({ ...fixture.place, write }, "sí", from);
}

const statusesIn = async ({ conversationId }: Asked) => {
  const rows = await fixture.place.sql<{ status: string }>(
    "SELECT status FROM appointments WHERE conversation_id = ? ORDER BY id",
    [conversationId],
  );
  return rows.map(({ status }) => status);
};

const between: [string, (conversationId: number) => Promise<unknown>][] = [
  ["a message of a person", async (id) => await send(id, "user")],
  ["a message of the API", async (id) => await send(id, "api_key")],
  ["a pause", async (id) => await switchTo(id, false)],
  ["a pause that cancels the question", async (id) => await cancelQuestion(id)],
];

const remind = async (id: number) => await send(id, "system");

const resolve = async (id: number) =>
  await fixture.place.run((tx) => setConversationStatus(tx, id, "resolved"));

async function cancelQuestion(id: number): Promise<void> {
  await fixture.place.sql(
    "UPDATE messages SET status = 'queued' WHERE conversation_id = ? ORDER BY id DESC LIMIT 1",
    [id],
  );
  await switchTo(id, false);
}

test.each(between)("a yes behind %s cancels no appointment", async (_name, speak) => {
  const asked = await askToCancel();
  await speak(asked.conversationId);
  const { said, outcome } = await sayYes(asked);
  expect(outcome).toBe("replied");
  expect(said).toMatch(/¿Cancelo tu cita: .+Responde sí o no/u);
  expect(await statusesIn(asked)).toEqual(["confirmed"]);
  await deliver(asked.conversationId);
  expect((await sayYes(asked)).tools).toEqual(["cancel_appointment"]);
});

test.each(between)("a yes behind %s books no appointment", async (_name, speak) => {
  const asked = await askToBook();
  await speak(asked.conversationId);
  const { said, outcome } = await sayYes(asked);
  expect(outcome).toBe("replied");
  expect(said).toMatch(/¿Agendo .+Responde sí o no/u);
  expect(await statusesIn(asked)).toEqual([]);
  await deliver(asked.conversationId);
  expect((await sayYes(asked)).tools).toEqual(["book_appointment"]);
});

test("a yes behind a reminder asks again whether to book", async () => {
  const asked = await askToBook();
  await remind(asked.conversationId);
  expect((await sayYes(asked)).said).toMatch(/¿Agendo .+Responde sí o no/u);
  expect(await statusesIn(asked)).toEqual([]);
});

test.each([
  ["a cancellation behind a reminder, which it answers", askToCancel, remind, ["confirmed"]],
  ["a cancellation behind the end of the conversation", askToCancel, resolve, ["confirmed"]],
  ["a booking behind the end of the conversation", askToBook, resolve, []],
] as const)("a yes asks no more about %s", async (_name, ask, speak, statuses) => {
  const asked = await ask();
  await speak(asked.conversationId);
  const { said, tools } = await sayYes(asked);
  expect(tools).toEqual([]);
  expect(said).not.toContain("Responde sí o no");
  expect(await statusesIn(asked)).toEqual(statuses);
});

test("a question of the day before is not asked again", async () => {
  const asked = await askToCancel();
  await send(asked.conversationId, "system");
  await fixture.place.sql(
    "UPDATE messages SET created_at = created_at - INTERVAL 1 DAY WHERE conversation_id = ?",
    [asked.conversationId],
  );
  expect((await sayYes(asked)).said).not.toContain("Responde sí o no");
});

test.each([
  ["booking", [wish], "la primera", []],
  ["cancellation", [wish, "la primera", "sí"], "cancela mi cita", ["confirmed"]],
] as const)(
  "a yes that the question of a %s overtook is asked again",
  async (_name, before, last, statuses) => {
    const from = freshPhone();
    for (const text of before) await takeTurn(fixture.place, text, from);
    // After three restarts a reply is committed beside newer messages.
    const commit: TurnPlace["commit"] = async (turn, given) => {
      await fixture.place.write("sí", from);
      return await fixture.place.commit(turn, { ...given, allowNewer: true });
    };
    const { said } = await takeTurn({ ...fixture.place, commit }, last, from);
    expect(said).toContain("Responde sí o no");
    const conversationId = await findConversation(from);
    await deliver(conversationId);
    const written = { conversationId, messageId: 0 };
    const write: TurnPlace["write"] = async () => await Promise.resolve(written);
    const next = await takeTurn({ ...fixture.place, write }, "", from);
    expect(next).toMatchObject({ outcome: "replied", tools: [] });
    expect(next.said).toContain("Responde sí o no");
    expect(await statusesIn({ from, conversationId })).toEqual(statuses);
  },
);

test("a reminder behind the yes takes nothing from it", async () => {
  const asked = await askToCancel();
  const answer = await sayYes(asked, async () => await send(asked.conversationId, "system"));
  expect(answer.tools).toEqual(["cancel_appointment"]);
  expect(await statusesIn(asked)).toEqual(["cancelled"]);
});

test("the dialogue goes on from a draft that a person has sent", async () => {
  const { database, account } = fixture.place;
  const { accountId, userId } = account;
  await setUpAgent(database, accountId, { modes: { whatsapp: "draft" } });
  const from = freshPhone();
  const { conversationId: id } = await fixture.place.write("hola", from);
  const draftOf = async (text: string) => {
    expect(await takeTurn(fixture.place, text, from)).toMatchObject({ outcome: "drafted" });
    return await fixture.place.run((tx) => findOpenDraft(tx, { id }));
  };
  const open = await draftOf("una consulta el jueves por la tarde, soy Luis Pérez");
  expect(open?.text).toContain("¿Con quién");
  const actor: Principal = { type: "user", accountId, userId, role: "admin" };
  const approval = { text: open?.text ?? "", proposal_ids: [] };
  await fixture.place.run((tx) => sendDraft({ ...tx, actor }, open?.id ?? 0, approval));
  expect((await draftOf("me da igual"))?.text).toContain("Tengo estos horarios");
  await setUpAgent(database, accountId);
});
