import { beforeEach, expect, test } from "vitest";
import { seedClinic } from "../../../dev/launcher/demo-clinic.ts";
import {
  brokenResult,
  findQueuedCase,
  storeResult,
} from "../../../core/services/agent/case-runs.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { createAgentTalk } from "../../support/agent.ts";
import { runQueuedCases } from "../../support/agent-cases.ts";
import { setUpAgent } from "../../worker/agent-fixture.ts";
import { beginTestTurn } from "../../dashboard/agent-turns.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTeam, outcomeOf, type TestPerson } from "./people-fixture.ts";

const fixture = useFixture(startApiFixture);
let admin: TestAccount;
let luis: TestPerson;

beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
  await asSystem(fixture.database.dataSource, admin.accountId, (tx) => seedClinic(tx));
});

const call = async (
  method: string,
  path: string,
  body?: unknown,
  { cookie } = admin as TestPerson,
) => await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
const add = async (lines: string[], expected: object) => {
  const answer = await call("POST", "/agent-cases", { lines, expected });
  expect([answer.status, answer.json.error ?? null]).toEqual([201, null]);
  return answer.json.data;
};
const runQueued = async () => {
  await runQueuedCases(fixture.database, fixture.api, admin.accountId);
};
const list = async () => (await call("GET", "/agent-cases")).json.data;

test("cases run with the draft, and each says where it differs", async () => {
  await add(["quiero hablar con una persona"], { outcome: "handed_off" });
  await add(["¿Aceptan tarjeta de crédito?"], { outcome: "silent", tool: "book_appointment" });
  const book = [
    "cita para consulta el jueves por la tarde con cualquiera, soy Luis Pérez",
    "1",
    "sí",
  ];
  await add(book, { tool: "book_appointment", outcome: "replied" });
  const run = await call("POST", "/agent-cases/run");
  expect(run.json.data).toEqual({ queued: 3 });
  expect((await list()).map(({ queued }: { queued: boolean }) => queued)).toEqual([
    true,
    true,
    true,
  ]);
  const appointments = await fixture.count("appointments", "messages", "events");
  await runQueued();
  expect(await fixture.count("appointments", "messages", "events")).toEqual(appointments);
  const [third, second, first] = await list();
  expect(first).toMatchObject({ state: "passed", queued: false, stale: false });
  expect(second).toMatchObject({ state: "failed", result: { outcome: "replied" } });
  expect(second.result.differences).toEqual(["outcome", "tool"]);
  expect(third.result).toMatchObject({ differences: [] });
  expect(third.result.tools).toContain("book_appointment");
  expect((await call("GET", "/agent")).json.data.cases).toEqual({ total: 3, failed: 1, unrun: 0 });
});

test("a changed draft makes results stale, and a changed case has none", async () => {
  const { id } = await add(["hola"], { outcome: "replied" });
  await call("POST", "/agent-cases/run");
  await runQueued();
  await call("PATCH", "/agent", { handover_keywords: ["hola"] });
  expect((await list())[0]).toMatchObject({ state: "passed", stale: true });
  expect((await call("GET", "/agent")).json.data.cases).toEqual({ total: 1, failed: 0, unrun: 1 });
  await call("POST", "/agent-cases/run");
  await runQueued();
  expect((await list())[0]).toMatchObject({ state: "failed", result: { reason: "keyword" } });
  const changed = await call("PATCH", `/agent-cases/${id}`, {
    expected: { outcome: "handed_off" },
  });
  expect(changed.json.data).toMatchObject({ state: "new", result: null });
  expect((await call("DELETE", `/agent-cases/${id}`)).status).toBe(200);
  expect(await list()).toEqual([]);
});

test("a draft that changes during a run is tried too, where people asked for it meanwhile", async () => {
  await add(["hola"], { outcome: "handed_off" });
  await call("POST", "/agent-cases/run");
  const { dataSource } = fixture.database;
  const claimed = await asSystem(dataSource, admin.accountId, findQueuedCase);
  if (claimed === null) throw new Error("No case is queued.");
  await call("PATCH", "/agent", { handover_keywords: ["hola"] });
  expect((await call("POST", "/agent-cases/run")).json.data).toEqual({ queued: 1 });
  const old = brokenResult(claimed);
  await asSystem(dataSource, admin.accountId, (tx) => storeResult(tx, claimed, old));
  expect((await list())[0]).toMatchObject({ state: "failed", stale: true, queued: true });
  await runQueued();
  expect((await list())[0]).toMatchObject({ state: "passed", stale: false, queued: false });
});

test("a case of a turn has no phone, email or name of the customer", async () => {
  const talk = await createAgentTalk(fixture.database.dataSource, admin.accountId, {
    text: "Soy Ana Torres, 55 1234 5678, ana@example.com, quiero una nota",
    name: "Ana Torres",
  });
  await talk.call("add_note", { text: "x" });
  await talk.reply("Claro");
  const made = await call("POST", `/agent-turns/${talk.turn.id}/case`);
  expect(made.json.data).toMatchObject({ expected: { outcome: "replied", tool: "add_note" } });
  const [line] = made.json.data.lines;
  expect(line).toContain("quiero una nota");
  for (const personal of ["Ana", "Torres", "1234", "ana@"]) expect(line).not.toContain(personal);
});

test("a case of a turn is made where its length ends within a character", async () => {
  const text = `${"x".repeat(3_999)}🦷 ¿qué es?`;
  const talk = await createAgentTalk(fixture.database.dataSource, admin.accountId, { text });
  await talk.reply("Un diente");
  const made = await call("POST", `/agent-turns/${talk.turn.id}/case`);
  expect([made.status, made.json.data?.lines]).toEqual([201, [`${"x".repeat(3_999)}\uFFFD`]]);
});

test("a case of a turn expects the item that the reply cited, by its mark or by its answer", async () => {
  const { accountId } = admin;
  const { database } = fixture;
  await setUpAgent(database, accountId, { strict: false });
  const items = (await call("GET", "/knowledge-items?limit=50")).json.data as {
    id: number;
    question: string;
    answer: string;
  }[];
  const parking = items.find(({ question }) => question === "Is there parking?");
  if (parking === undefined) throw new Error("The clinic has no parking.");
  const expectation = { item_id: parking.id };
  for (const reply of [`You park behind the building. [k${parking.id}]`, parking.answer]) {
    const given = { text: "Is there parking?", name: "Ana Ruiz" };
    const turn = await beginTestTurn(database, accountId, given);
    await turn.reply(reply);
    const made = await call("POST", `/agent-turns/${turn.turnId}/case`);
    expect(made.json.data).toMatchObject({
      expected: expectation,
      item_question: parking.question,
    });
  }
  await call("DELETE", `/knowledge-items/${parking.id}`);
  expect((await list())[0]).toMatchObject({ expected: expectation, item_question: null });
});

test("members without the role read only, and other accounts see nothing", async () => {
  const { id } = await add(["hola"], { outcome: "replied" });
  expect((await call("GET", "/agent-cases", undefined, luis)).json.data).toHaveLength(1);
  const body = { lines: ["hola"], expected: { outcome: "replied" } };
  expect(outcomeOf(await call("POST", "/agent-cases", body, luis))).toBe("forbidden_role");
  const other = await createTestAccount(fixture.database.dataSource);
  const foreign = await fixture.api.call("DELETE", `/dashboard/api/agent-cases/${id}`, {
    cookie: other.cookie,
  });
  expect(outcomeOf(foreign)).toBe("agent_case_not_found");
  const nothing = await call("POST", "/agent-cases", { lines: ["hola"], expected: {} });
  expect(nothing.status).toBe(400);
});
