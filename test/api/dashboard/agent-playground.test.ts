import { beforeEach, expect, test } from "vitest";
import { seedClinic } from "../../../dev/launcher/demo-clinic.ts";
import { startModelStandIn } from "../../../dev/stand-in/model-server.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { receive } from "../../support/conversations.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTeam, outcomeOf, type TestPerson } from "./people-fixture.ts";

const fixture = useFixture(async () => {
  const standIn = await startModelStandIn();
  const api = await startApiFixture({ MODEL_ALLOW_PRIVATE_TARGETS: "true" });
  return {
    ...api,
    standIn,
    async stop() {
      await api.stop();
      await standIn.close();
    },
  };
});
let admin: TestAccount;
let luis: TestPerson;

beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
  await asSystem(fixture.database.dataSource, admin.accountId, (tx) => seedClinic(tx));
});

const call = async (path: string, body: unknown, { cookie } = admin as { cookie: string }) =>
  await fixture.api.call("POST", `/dashboard/api/agent${path}`, { cookie, body });
const say = async (body: object) => {
  const answer = await call("/playground", body);
  expect([answer.status, answer.json.error ?? null]).toEqual([200, null]);
  return answer.json.data;
};
/** Writes one line after the other. @returns the answers. */
const talk = async (given: object, ...texts: string[]) => {
  const answers: Awaited<ReturnType<typeof say>>[] = [];
  for (const text of texts) {
    const trial = answers.at(-1)?.trial;
    answers.push(await say({ ...given, text, ...(trial === undefined ? {} : { trial }) }));
  }
  return answers;
};
const serveBy = async (model: string) => {
  const given = { kind: "openai_compatible", base_url: `${fixture.standIn.url}/v1`, model };
  const answer = await call("/providers", { ...given, api_key: "k", output_price: 2_000_000 });
  expect(answer.status).toBe(201);
  return answer.json.data.id as number;
};
/** Rows and checksum of each table. */
const tablesNow = async () => {
  const tables = await fixture.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
  );
  const names = tables.map(({ name }) => name).filter((name) => name !== "sessions");
  const sums = await fixture.query(`CHECKSUM TABLE ${names.join(", ")}`);
  return { rows: await fixture.count(...names), sums };
};
const toolsOf = (answers: { trace: { calls: { tool: string; code: string }[] }[] }[]) =>
  answers.flatMap(({ trace }) => trace.flatMap(({ calls }) => calls)).map(({ tool }) => tool);

test("a booking in the playground is confirmed, and leaves nothing in any table", async () => {
  const before = await tablesNow();
  const answers = await talk(
    {},
    "Quiero una cita el jueves por la tarde",
    "limpieza",
    "me da igual",
    "la 2",
    "Ana Torres",
    "sí",
  );
  expect(toolsOf(answers)).toEqual(["find_slots", "update_contact", "book_appointment"]);
  const last = answers.at(-1);
  expect(last.messages.join()).toMatch(/Cita confirmada: jueves /u);
  expect(last).toMatchObject({ outcome: "replied", engine: "basic", cost_micros: 0 });
  expect(await tablesNow()).toEqual(before);
});

test("a later line moves the appointment of an earlier one, although its id has changed", async () => {
  const answers = await talk(
    { contact: { name: "Luis Pérez" } },
    "cita para consulta el jueves por la tarde con cualquiera",
    "1",
    "sí",
    "quiero cambiar mi cita",
    "el viernes por la mañana",
    "1",
    "sí",
  );
  expect(toolsOf(answers)).toContain("reschedule_appointment");
  expect(answers.at(-1).messages.join()).toMatch(/viernes/u);
});

test("the draft answers, not the published settings, also while the agent is off", async () => {
  const off = { enabled: false, handover_keywords: ["presupuesto"] };
  const path = "/dashboard/api/agent";
  await fixture.api.call("PATCH", path, { cookie: admin.cookie, body: off });
  const answer = await say({ text: "quiero un presupuesto" });
  expect(answer).toMatchObject({ outcome: "handed_off", reason: "keyword", trace: [] });
  expect(answer.note).toContain("presupuesto");
  const after = await fixture.api.call("GET", path, { cookie: admin.cookie });
  expect(after.json.data).toMatchObject({ enabled: false, differs: true });
});

test("after a handover a person has the conversation, and the agent stays silent", async () => {
  const answers = await talk({}, "quiero hablar con una persona", "¿hola?");
  expect(answers.map(({ outcome }) => outcome)).toEqual(["handed_off", "silent"]);
  expect(answers[1]).toMatchObject({ reason: "person_has_it", messages: [], trace: [] });
});

test("a channel whose mode is off stays silent", async () => {
  const body = { modes: { instagram: "off" } };
  await fixture.api.call("PATCH", "/dashboard/api/agent", { cookie: admin.cookie, body });
  expect(await say({ text: "hola", channel: "instagram" })).toMatchObject({
    outcome: "silent",
    reason: "channel_off",
  });
});

test("an answer from knowledge names its item, with the score of the search", async () => {
  const answer = await say({ text: "¿Aceptan tarjeta de crédito?" });
  expect(answer.knowledge[0].score).toBeGreaterThanOrEqual(0.6);
  expect(answer.cited).toEqual([answer.knowledge[0].id]);
});

test("times are those of the pretended moment, which is not in the past", async () => {
  const now = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 2, 3, 16)).toISOString();
  const { at, trace } = (
    await talk({ now, contact: { name: "Ana" } }, "cita para consulta mañana con cualquiera")
  )[0];
  expect(at).toBe(now);
  const [first] = trace.flatMap(({ calls }: { calls: object[] }) => calls);
  expect(JSON.stringify(first)).toContain(`${new Date(now).getUTCFullYear()}-03-04`);
  const past = await call("/playground", { text: "hola", now: "2024-03-03T10:00:00Z" });
  expect([past.status, past.json.error.details[0].code]).toEqual([400, "past_time"]);
});

test("a known contact writes in its own conversation, also where a person has it", async () => {
  const from = freshPhone();
  const { dataSource } = fixture.database;
  const { row } = await receive(dataSource, admin.accountId, {
    from,
    name: "Eva",
    content: "hola",
  });
  const body = { enabled: false };
  const path = `/dashboard/api/conversations/${row.conversationId}/bot`;
  const paused = await fixture.api.call("POST", path, { cookie: admin.cookie, body });
  expect(paused.status).toBeLessThan(300);
  const before = await tablesNow();
  const answer = await say({ text: "¿qué horario tienen?", contact_id: row.contactId });
  expect(answer.outcome).toBe("replied");
  expect(await tablesNow()).toEqual(before);
});

test("members without the role and contacts of other accounts are refused", async () => {
  expect(outcomeOf(await call("/playground", { text: "hola" }, luis))).toBe("forbidden_role");
  const other = await createTestAccount(fixture.database.dataSource);
  const { row } = await receive(fixture.database.dataSource, other.accountId, {
    from: freshPhone(),
    content: "hola",
  });
  const answer = await call("/playground", { text: "hola", contact_id: row.contactId });
  expect(outcomeOf(answer)).toBe("contact_not_found");
  const { trial } = await say({ text: "hola" });
  const foreign = await call("/playground", { text: "hola", trial }, other);
  expect(foreign.json.error.details[0].code).toBe("unknown_trial");
});

test("a model answers and acts, with its tokens and its cost", async () => {
  await serveBy("echo");
  const before = await tablesNow();
  const answer = await say({ text: "hola desde la prueba" });
  expect(answer.messages.join()).toContain("hola desde la prueba");
  expect(answer.engine).toBe("openai_compatible");
  expect(answer.output_tokens).toBeGreaterThan(0);
  expect(answer.cost_micros).toBeGreaterThan(0);
  expect(await tablesNow()).toEqual(before);
});

test("a failing provider is named, and the basic agent may be chosen instead", async () => {
  const id = await serveBy("500");
  const before = await tablesNow();
  const failed = await call("/playground", { text: "hola" });
  expect(outcomeOf(failed)).toBe("agent_provider_failed");
  expect(failed.json.error.details).toEqual({
    provider_id: id,
    failure: "unavailable",
    status: 500,
  });
  expect(await tablesNow()).toEqual(before);
  const basic = await say({ text: "hola", provider_id: null });
  expect(basic.engine).toBe("basic");
  const unknown = await call("/playground", { text: "hola", provider_id: id + 1_000 });
  expect(outcomeOf(unknown)).toBe("agent_provider_not_found");
});

test("a text that the guards refuse twice is handed over, and the trace names the guard", async () => {
  await serveBy("false-claim");
  const answer = await say({ text: "quiero una cita" });
  expect(answer).toMatchObject({ outcome: "handed_off", reason: "guard", steps: 2 });
  expect(answer.trace.map(({ guard }: { guard: string }) => guard)).toEqual(["claim", "claim"]);
});

test("an account that tries too often waits", async () => {
  const { limitTrials } = fixture.api.deps;
  for (let n = 0; n < 20; n += 1) limitTrials(String(admin.accountId));
  expect(outcomeOf(await call("/playground", { text: "hola" }))).toBe("rate_limited");
});
