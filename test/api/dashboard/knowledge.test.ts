import { beforeEach, expect, test } from "vitest";
import { insertRow } from "../../../core/services/sql.ts";
import { KnowledgeGap } from "../../../db/entities/knowledge.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { receive } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTeam, outcomeOf, type TestPerson } from "./people-fixture.ts";

const fixture = useFixture(startApiFixture);
let admin: TestAccount;
let luis: TestPerson;

beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
});

type Who = Pick<TestPerson, "cookie">;
const call = async (method: string, path: string, { cookie }: Who, body?: unknown) =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
const parking = {
  question: "¿Tienen estacionamiento?",
  answer: "Sí, gratis frente al consultorio.",
  language: "es",
};
const create = async (who: Who, body: object = {}) => {
  const answer = await call("POST", "/knowledge-items", who, { ...parking, ...body });
  expect([answer.status, answer.json.error ?? null]).toEqual([201, null]);
  return answer.json.data;
};
const search = async (text: string, language = "es") => {
  const { json } = await call("POST", "/knowledge/search", luis, { text, language });
  return json.data.map(({ id }: { id: number }) => id);
};
let turns = 1_000_000 + process.pid * 1_000;
/** A customer asks what no item answers. @returns gap and conversation. */
const ask = async (question: string, language: "en" | "es" = "es") => {
  const { accountId } = admin;
  const { row } = await receive(fixture.database.dataSource, accountId, { from: freshPhone() });
  const { conversationId, contactId } = row;
  const id = await asSystem(fixture.database.dataSource, accountId, (tx) =>
    insertRow(tx, KnowledgeGap, {
      accountId,
      conversationId,
      contactId,
      turnId: (turns += 1),
      question,
      language,
      createdAt: tx.now,
    }),
  );
  return { id, conversationId };
};
const gaps = async (query = "") => (await call("GET", `/knowledge-gaps${query}`, luis)).json;

test("an agent proposes, an admin approves, and only approved items answer", async () => {
  const item = await create(luis, { phrasings: ["¿Dónde puedo dejar el coche?"] });
  expect(item).toStrictEqual({
    id: expect.any(Number),
    ...parking,
    phrasings: ["¿Dónde puedo dejar el coche?"],
    state: "suggested",
    valid_until: null,
    source_id: null,
    replaces: null,
    created_by_user_id: luis.userId,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(await search("tienen estacionamiento")).toEqual([]);
  const approve = { state: "approved" };
  expect(outcomeOf(await call("PATCH", `/knowledge-items/${item.id}`, luis, approve))).toBe(
    "forbidden_role",
  );
  const done = await call("PATCH", `/knowledge-items/${item.id}`, admin, approve);
  expect(done.json.data.state).toBe("approved");
  expect(await search("tienen estacionamiento")).toEqual([item.id]);
  expect(await search("dónde puedo dejar el coche")).toEqual([item.id]);
  expect(await search("tienen estacionamiento", "en")).toEqual([]);
  const answer = await call("POST", "/knowledge/search", luis, {
    text: parking.question,
    language: "es",
  });
  expect(answer.json.data).toMatchObject([{ id: item.id, answer: parking.answer, score: 1 }]);
});

test("the search follows each change at once: a new text, an end, an archive, a deletion", async () => {
  const { id } = await create(admin, { state: "approved" });
  const patch = async (body: object) => await call("PATCH", `/knowledge-items/${id}`, admin, body);
  expect(await search("estacionamiento")).toEqual([id]);
  await patch({ question: "¿Aceptan tarjeta?" });
  expect([await search("estacionamiento"), await search("aceptan tarjeta")]).toEqual([[], [id]]);
  await patch({ valid_until: "2020-01-01T00:00:00Z" });
  expect(await search("aceptan tarjeta")).toEqual([]);
  await patch({ valid_until: null });
  expect(await search("aceptan tarjeta")).toEqual([id]);
  await patch({ state: "archived" });
  expect(await search("aceptan tarjeta")).toEqual([]);
  await patch({ state: "approved" });
  await call("DELETE", `/knowledge-items/${id}`, admin);
  expect(await search("aceptan tarjeta")).toEqual([]);
});

test("an agent neither writes nor changes nor deletes what customers get", async () => {
  const approved = await create(admin, { state: "approved" });
  const direct = await call("POST", "/knowledge-items", luis, { ...parking, state: "approved" });
  expect(outcomeOf(direct)).toBe("forbidden_role");
  const path = `/knowledge-items/${approved.id}`;
  expect(outcomeOf(await call("PATCH", path, luis, { answer: "No." }))).toBe("forbidden_role");
  expect(outcomeOf(await call("DELETE", path, luis))).toBe("forbidden_role");
  expect((await call("GET", path, luis)).json.data).toEqual(approved);
  const own = await create(luis);
  const changed = await call("PATCH", `/knowledge-items/${own.id}`, luis, { answer: "No." });
  expect(changed.json.data.answer).toBe("No.");
  expect((await call("DELETE", `/knowledge-items/${own.id}`, luis)).json.data).toEqual({
    id: own.id,
  });
});

test("the list has filters and pages, and a search takes its text as it is", async () => {
  const one = await create(admin, { state: "approved" });
  const two = await create(luis, {
    question: "100% refund?",
    answer: "Within a week.",
    language: "en",
  });
  const ids = async (query: string) => {
    const { json } = await call("GET", `/knowledge-items${query}`, luis);
    return [json.data.map(({ id }: { id: number }) => id), json.meta.total];
  };
  expect(await ids("")).toEqual([[two.id, one.id], 2]);
  expect(await ids("?limit=1")).toEqual([[two.id], 2]);
  expect(await ids("?state=approved")).toEqual([[one.id], 1]);
  expect(await ids("?language=en")).toEqual([[two.id], 1]);
  expect(await ids("?q=consultorio")).toEqual([[one.id], 1]);
  expect(await ids("?q=100%25")).toEqual([[two.id], 1]);
  expect(await ids("?q=%25")).toEqual([[two.id], 1]);
});

test("equal questions are one gap, which is dismissed or answered at once", async () => {
  await ask("¿Abren el domingo?");
  const newest = await ask("¿abren el domingo?");
  const other = await ask("Do you open on Sundays?", "en");
  expect((await gaps()).data).toMatchObject([
    { id: other.id, times: 1, draft: null, item_id: null },
    { id: newest.id, times: 2, conversation_id: newest.conversationId },
  ]);
  expect((await gaps()).meta.total).toBe(2);
  expect((await gaps("?language=en")).data).toHaveLength(1);
  expect((await call("POST", `/knowledge-gaps/${other.id}/dismiss`, luis)).json.data).toEqual({
    id: other.id,
  });
  const again = await call("POST", `/knowledge-gaps/${other.id}/dismiss`, luis);
  expect(outcomeOf(again)).toBe("knowledge_gap_not_found");
  const item = await create(luis, { question: "¿Abren el domingo?", gap_id: newest.id });
  expect((await gaps()).data).toMatchObject([{ id: newest.id, item_id: item.id }]);
  await call("PATCH", `/knowledge-items/${item.id}`, admin, { state: "approved" });
  expect((await gaps()).data).toEqual([]);
});

test("a gap comes with a person's answer, and opens again when its suggestion is deleted", async () => {
  const { id, conversationId } = await ask("¿Abren el domingo?");
  const reply = { content: "No, solo de lunes a sábado." };
  await call("POST", `/conversations/${conversationId}/messages`, luis, reply);
  expect((await gaps()).data).toMatchObject([{ id, draft: reply.content }]);
  const item = await create(luis, { gap_id: id });
  await call("DELETE", `/knowledge-items/${item.id}`, luis);
  expect((await gaps()).data).toMatchObject([{ id, item_id: null }]);
});

test("the newest reply to one of the equal questions is the draft, without personal data", async () => {
  const older = await ask("¿Abren el domingo?");
  const newest = await ask("¿Abren el domingo?");
  const content = "Hola Ana, no abrimos. Escribe a luis@clinica.mx o al 55 1234 5678.";
  await fixture.query(
    "UPDATE contacts c JOIN conversations v ON v.contact_id = c.id SET c.name = 'Ana Ruiz' WHERE v.id = ?",
    [older.conversationId],
  );
  await call("POST", `/conversations/${older.conversationId}/messages`, luis, { content });
  expect((await gaps()).data).toMatchObject([
    {
      id: newest.id,
      times: 2,
      draft: "Hola •••, no abrimos. Escribe a ••• o al •••.",
    },
  ]);
});

test("another account sees no item and no gap, and finds nothing", async () => {
  const item = await create(admin, { state: "approved" });
  const gap = await ask("¿Abren el domingo?");
  const stranger = await createTestAccount(fixture.database.dataSource);
  expect((await call("GET", "/knowledge-items", stranger)).json.data).toEqual([]);
  expect((await call("GET", "/knowledge-gaps", stranger)).json.data).toEqual([]);
  const found = { text: parking.question, language: "es" };
  expect((await call("POST", "/knowledge/search", stranger, found)).json.data).toEqual([]);
  const path = `/knowledge-items/${item.id}`;
  const tries: [string, string, object?][] = [
    ["GET", path],
    ["PATCH", path, { answer: "x" }],
    ["DELETE", path],
    ["POST", `/knowledge-gaps/${gap.id}/dismiss`],
    ["POST", "/knowledge-items", { ...parking, gap_id: gap.id }],
  ];
  for (const [method, where, body] of tries) {
    expect((await call(method, where, stranger, body)).status).toBe(404);
  }
});

test("the audit log names state and fields, and no text", async () => {
  const item = await create(admin, { state: "approved" });
  await call("PATCH", `/knowledge-items/${item.id}`, admin, { answer: "Ya no." });
  await call("DELETE", `/knowledge-items/${item.id}`, admin);
  const rows = await fixture.query<{ action: string; details: unknown }>(
    "SELECT action, details FROM audit_log WHERE account_id = ? AND target_type = 'knowledge_item' ORDER BY id",
    [admin.accountId],
  );
  expect(rows).toEqual([
    { action: "knowledge_item.created", details: { state: "approved" } },
    { action: "knowledge_item.updated", details: { state: "approved", fields: ["answer"] } },
    { action: "knowledge_item.deleted", details: { state: "approved" } },
  ]);
});
