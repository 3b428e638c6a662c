import { expect, test } from "vitest";
import { insertRow } from "../../../core/services/sql.ts";
import { AgentToolCall, AgentTurn } from "../../../db/entities/agent-turn.ts";
import { KnowledgeGap } from "../../../db/entities/knowledge.ts";
import type { Message } from "../../../db/entities/message.ts";
import { asSystem, createTestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { receive, tracesOf } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  await fixture.api.call(method, `/dashboard/api/contacts${path}`, {
    cookie: fixture.account.cookie,
    body,
  });
const make = async (body: object): Promise<number> => (await call("POST", "", body)).json.data.id;
const merge = async (id: number, into: number) =>
  await call("POST", `/${id}/merge`, { into_contact_id: into });
const traced = async (work: () => Promise<TestAnswer>) =>
  await tracesOf(fixture.database.dataSource, fixture.account.accountId, work);
const write = async (from: string) =>
  (await receive(fixture.database.dataSource, fixture.account.accountId, { from })).row;
/** A turn of the agent with a call and a gap. @returns its id. */
const addTurn = async ({ contactId, conversationId }: Message): Promise<number> =>
  await asSystem(fixture.database.dataSource, fixture.account.accountId, async (tx) => {
    const ids = { accountId: fixture.account.accountId, contactId, conversationId };
    const facts = { epoch: 0, watermark: 1, settingsNumber: 1, mode: "live" as const };
    const turnId = await insertRow(tx, AgentTurn, { ...ids, ...facts, engine: "basic" });
    const call = { seq: 1, position: 0, callId: "c", tool: "add_note", code: "ok" };
    await insertRow(tx, AgentToolCall, { ...ids, turnId, ...call });
    await insertRow(tx, KnowledgeGap, { ...ids, turnId, question: "q", language: "en" });
    return turnId;
  });

test("the winner gets identities, tags, conversations, messages and what it lacks", async () => {
  const message = await write("34600200001");
  const loser = message.contactId;
  await call("PUT", `/${loser}/tags`, { tags: ["vip", "madrid"] });
  await call("PATCH", `/${loser}`, { name: "Loser", email: "loser@example.com" });
  const winner = await make({ email: "winner@example.com", tags: ["VIP"] });
  const turnId = await addTurn(message);
  const { result, events } = await traced(() => merge(loser, winner));
  expect(result.status).toBe(200);
  expect(result.json.data).toMatchObject({
    id: winner,
    name: "Loser",
    phone: "34600200001",
    email: "winner@example.com",
    whatsapp_id: "34600200001",
    tags: ["VIP", "vip", "madrid"].filter((tag) => tag !== "vip"),
    conversations: [{ id: message.conversationId }],
  });
  expect(events).toMatchObject([
    {
      type: "contact.updated",
      data: {
        contact_id: winner,
        source: "panel",
        conversation_id: message.conversationId,
        changed_fields: ["name", "phone", "tags", "whatsapp_id"],
        previous_values: { name: null, phone: null, tags: ["VIP"], whatsapp_id: null },
      },
    },
  ]);
  const [row] = await fixture.query(
    "SELECT name, phone, phone_key, email, merged_into_id FROM contacts WHERE id = ?",
    [loser],
  );
  expect(row).toEqual({
    name: null,
    phone: null,
    phone_key: null,
    email: null,
    merged_into_id: winner,
  });
  const owners = await fixture.query("SELECT DISTINCT contact_id FROM messages WHERE id = ?", [
    message.id,
  ]);
  expect(owners).toEqual([{ contact_id: winner }]);
  const turns = await fixture.query("SELECT contact_id FROM agent_turns WHERE id = ?", [turnId]);
  const calls = await fixture.query("SELECT contact_id FROM agent_tool_calls WHERE turn_id = ?", [
    turnId,
  ]);
  const gaps = await fixture.query("SELECT contact_id FROM knowledge_gaps WHERE turn_id = ?", [
    turnId,
  ]);
  expect([turns, calls, gaps]).toEqual(Array(3).fill([{ contact_id: winner }]));
  // The customer goes on writing in the same conversation, which is the winner's now.
  expect(await write("34600200001")).toMatchObject({
    contactId: winner,
    conversationId: message.conversationId,
  });
});

test("the loser is unknown and names the winner, also after the winner was merged itself", async () => {
  const [first, second, third] = [
    await make({ email: "chain1@example.com" }),
    await make({ email: "chain2@example.com" }),
    await make({ email: "chain3@example.com" }),
  ];
  await merge(first, second);
  await merge(second, third);
  for (const id of [first, second]) {
    for (const answer of [
      await call("GET", `/${id}`),
      await call("PATCH", `/${id}`, { name: "x" }),
      await call("PUT", `/${id}/tags`, { tags: ["x"] }),
      await merge(id, third),
    ]) {
      expect([answer.status, answer.json.error]).toEqual([
        404,
        expect.objectContaining({ code: "contact_not_found", details: { merged_into: third } }),
      ]);
    }
  }
  // What the losers were known by is free again, unless the winner took it over.
  const anew = await call("POST", "", { email: "chain1@example.com" });
  expect(anew.status).toBe(201);
});

test("a merge that gives the winner nothing is no event", async () => {
  const winner = await make({ email: "full@example.com", phone: "34600200010", name: "Full" });
  const loser = await make({ email: "empty@example.com", phone: "34600200011", name: "Empty" });
  const { result, events } = await traced(() => merge(loser, winner));
  expect([result.status, events]).toEqual([200, []]);
});

test("a contact is merged into another one of its own account, or not at all", async () => {
  const id = await make({ email: "alone@example.com" });
  const gone = await make({ email: "gone@example.com" });
  await merge(gone, await make({ email: "taker@example.com" }));
  const stranger = await createTestAccount(fixture.database.dataSource);
  const foreign = await fixture.api.call("POST", "/dashboard/api/contacts", {
    cookie: stranger.cookie,
    body: { email: "stranger@example.com" },
  });
  for (const [into, code] of [
    [id, "same_contact"],
    [999_999, "unknown_contact"],
    [gone, "unknown_contact"],
    [foreign.json.data.id, "unknown_contact"],
  ]) {
    const { status, json } = await merge(id, into);
    expect([status, json.error.details]).toEqual([
      400,
      [{ path: "body.into_contact_id", code, message: expect.any(String) }],
    ]);
  }
  expect((await call("GET", `/${id}`)).status).toBe(200);
});

test("two that merge into each other: one wins, and a message that comes meanwhile is not lost", async () => {
  for (let round = 0; round < 5; round += 1) {
    const phones = [`3460030000${round}`, `3460031000${round}`];
    const [one, two] = [await write(String(phones[0])), await write(String(phones[1]))];
    const [first, second] = await Promise.all([
      merge(one.contactId, two.contactId),
      merge(two.contactId, one.contactId),
      ...phones.map(write),
    ]);
    const statuses = [(first as TestAnswer).status, (second as TestAnswer).status];
    expect([
      [200, 400],
      [200, 404],
      [400, 200],
      [404, 200],
    ]).toContainEqual(statuses);
    const winner = statuses[0] === 200 ? two.contactId : one.contactId;
    const rows = await fixture.query(
      "SELECT contact_id, COUNT(*) AS n FROM messages WHERE conversation_id IN (?, ?) GROUP BY 1",
      [one.conversationId, two.conversationId],
    );
    expect(rows.map(({ contact_id, n }) => [contact_id, Number(n)])).toEqual([[winner, 4]]);
  }
});
