import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createRefreshPage } from "../../../activities/refresh-page.ts";
import { createPageReader } from "../../../activities/pages/page-reader.ts";
import type { ActivityDeps } from "../../../activities/deps.ts";
import { createLog } from "../../../core/log.ts";
import { maxSourceBytes } from "../../../core/model/knowledge.ts";
import type { RefreshPageInput } from "../../../core/model/workflow/knowledge-refresh.ts";
import { listLateRuns } from "../../../core/services/operations/lost-runs.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { startPageServer, type PageServer } from "../../support/pages.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTeam, outcomeOf, type TestPerson } from "./people-fixture.ts";

const fixture = useFixture(startApiFixture);
let admin: TestAccount;
let luis: TestPerson;
let page: PageServer;

beforeAll(async () => {
  page = await startPageServer("");
});
afterAll(() => page.close());
beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
  Object.assign(page, { body: open("Sí, de 9 a 18.") + card, status: 200 });
});

const open = (answer: string) => `<h2>¿Abren el lunes?</h2><p>${answer}</p>`;
const card = "<h2>¿Aceptan tarjeta?</h2><p>Sí, todas.</p>";

type Who = Pick<TestPerson, "cookie">;
const call = async (method: string, path: string, body?: unknown, { cookie }: Who = admin) =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
const dataOf = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, path, body);
  expect([path, answer.json.error ?? null]).toEqual([path, null]);
  return answer.json.data;
};

/** The steps as the worker has them, with the product's setting for private targets. */
const steps = () =>
  createRefreshPage({
    dataSource: fixture.database.dataSource,
    pages: createPageReader({ policy: { allowPrivate: true, ownHosts: [] } }),
    log: createLog("worker", "silent"),
  } as ActivityDeps);

/** Commands of runs that are requested for the account's pages, oldest first. */
const requested = async (): Promise<RefreshPageInput[]> => {
  const rows = await fixture.query<{ command: { workflow: string; input: RefreshPageInput } }>(
    "SELECT command FROM outbox WHERE account_id = ? AND kind = 'request' ORDER BY id",
    [admin.accountId],
  );
  return rows
    .filter(({ command }) => command.workflow === "refreshPage")
    .map(({ command }) => command.input);
};
/** Makes the newest run that was requested. */
const run = async () => {
  const input = (await requested()).at(-1);
  if (input === undefined) throw new Error("no run was requested");
  return await steps().refreshPage(input);
};
const addPage = async () =>
  await dataOf("POST", "/knowledge-sources", { kind: "page", url: page.url, language: "es" });
const refresh = async (id: number) => {
  await dataOf("POST", `/knowledge-sources/${id}/refresh`);
  return await run();
};
const items = async (state: string) => {
  const rows = await dataOf("GET", `/knowledge-items?state=${state}`);
  return rows.toSorted((one: { id: number }, other: { id: number }) => one.id - other.id);
};
const decide = async (state: string, rows: { id: number }[]) =>
  await dataOf("POST", "/knowledge-items/bulk", { ids: rows.map(({ id }) => id), state });
const search = async (text: string) => {
  const hits = await dataOf("POST", "/knowledge/search", { text, language: "es" });
  return hits.map(({ answer }: { answer: string }) => answer);
};

test("a page becomes suggestions, which answer once they are approved", async () => {
  const source = await addPage();
  expect(source).toStrictEqual({
    id: expect.any(Number),
    kind: "page",
    location: page.url,
    language: "es",
    state: "reading",
    failure: null,
    questions: 0,
    suggestions: 0,
    fetched_at: null,
    created_at: expect.any(String),
  });
  expect(await run()).toEqual({ state: "ready", suggested: 2 });
  expect(await dataOf("GET", "/knowledge-sources")).toMatchObject([
    { id: source.id, state: "ready", questions: 2, suggestions: 2, fetched_at: expect.any(String) },
  ]);
  const suggested = await items("suggested");
  expect(suggested).toMatchObject([
    {
      question: "¿Abren el lunes?",
      answer: "Sí, de 9 a 18.",
      source_id: source.id,
      replaces: null,
    },
    { question: "¿Aceptan tarjeta?", answer: "Sí, todas.", language: "es" },
  ]);
  expect(await search("abren el lunes")).toEqual([]);
  expect(await decide("approved", suggested)).toHaveLength(2);
  expect(await search("abren el lunes")).toEqual(["Sí, de 9 a 18."]);
});

test("an unchanged page suggests nothing, and a changed answer shows both until it is approved", async () => {
  const { id } = await addPage();
  await run();
  const [first, second] = await items("suggested");
  await decide("approved", [first]);
  await decide("archived", [second]);
  expect(await refresh(id)).toEqual({ state: "ready", suggested: 0 });
  page.body = open("Ya no.") + card;
  expect(await refresh(id)).toEqual({ state: "ready", suggested: 1 });
  const [update, ...others] = await items("suggested");
  expect(others).toEqual([]);
  expect(update).toMatchObject({
    answer: "Ya no.",
    replaces: { id: first.id, question: first.question, answer: first.answer },
  });
  expect(await search("abren el lunes")).toEqual([first.answer]);
  // The page takes its change back, and makes it again.
  page.body = open(first.answer) + card;
  expect(await refresh(id)).toEqual({ state: "ready", suggested: 0 });
  expect(await items("suggested")).toEqual([]);
  page.body = open("Ya no.") + card;
  await refresh(id);
  const [again] = await items("suggested");
  expect(again).toMatchObject({ answer: "Ya no.", replaces: { id: first.id } });
  await decide("approved", [again]);
  expect(await search("abren el lunes")).toEqual(["Ya no."]);
  expect((await dataOf("GET", `/knowledge-items/${first.id}`)).state).toBe("archived");
  // The page says again what it said at first.
  page.body = open("Sí, de 9 a 18.") + card;
  await refresh(id);
  expect(await items("suggested")).toMatchObject([
    { answer: "Sí, de 9 a 18.", replaces: { id: again.id } },
  ]);
});

test("a suggestion follows its page until a person edits it", async () => {
  const { id } = await addPage();
  await run();
  const [, second] = await items("suggested");
  await dataOf("PATCH", `/knowledge-items/${second.id}`, { answer: "Sí, también AMEX." });
  page.body = `${open("De 9 a 20.")}<h2>¿Facturan?</h2><p>Sí.</p>`;
  await refresh(id);
  expect(await items("suggested")).toMatchObject([
    { question: "¿Abren el lunes?", answer: "De 9 a 20." },
    { id: second.id, answer: "Sí, también AMEX." },
    { question: "¿Facturan?", answer: "Sí." },
  ]);
  page.body = card;
  await refresh(id);
  // A suggestion goes with its question; a text of a person stays.
  expect(await items("suggested")).toMatchObject([{ id: second.id }]);
});

test("two reads at once make one set of suggestions", async () => {
  await addPage();
  const [input] = await requested();
  if (input === undefined) throw new Error("no run was requested");
  const outcomes = await Promise.all([1, 2, 3].map(() => steps().refreshPage(input)));
  expect(outcomes.map(({ state }) => state).toSorted()).toEqual(["over", "over", "ready"]);
  expect(await items("suggested")).toHaveLength(2);
});

test("a read under way serves for a further request, and a stale run reads nothing", async () => {
  const { id } = await addPage();
  const again = await Promise.all(
    [1, 2].map(() => call("POST", `/knowledge-sources/${id}/refresh`)),
  );
  expect(again.map(({ json }) => json.data.state)).toEqual(["reading", "reading"]);
  expect(await requested()).toHaveLength(1);
  await run();
  await Promise.all([1, 2].map(() => call("POST", `/knowledge-sources/${id}/refresh`)));
  const inputs = await requested();
  expect(inputs.map((input) => input.run)).toEqual([1, 2]);
  expect(await steps().refreshPage(inputs[0] as RefreshPageInput)).toEqual({ state: "over" });
});

test("a page that fails keeps its items, and says why", async () => {
  const { id } = await addPage();
  await run();
  page.status = 404;
  expect(await refresh(id)).toEqual({ state: "failed", code: "not_found" });
  expect(await dataOf("GET", "/knowledge-sources")).toMatchObject([
    { state: "failed", failure: "not_found", questions: 2, suggestions: 2 },
  ]);
  Object.assign(page, { status: 200, body: "<nav>Inicio</nav>" });
  expect(await refresh(id)).toEqual({ state: "failed", code: "nothing_found" });
  expect(await items("suggested")).toHaveLength(2);
  page.body = Array.from({ length: 501 }, (_, n) => `<h2>Pregunta ${n}</h2><p>${n}</p>`).join("");
  expect(await refresh(id)).toEqual({ state: "failed", code: "too_many_questions" });
});

test("pages are read again after a day, and a lost run is found", async () => {
  const { id } = await addPage();
  await run();
  await steps().requestDuePages();
  expect(await requested()).toHaveLength(1);
  await fixture.query(
    "UPDATE knowledge_sources SET due_at = due_at - INTERVAL 1 DAY WHERE id = ?",
    [id],
  );
  await Promise.all([steps().requestDuePages(), steps().requestDuePages()]);
  expect((await requested()).map((input) => input.run)).toEqual([1, 2]);
  await fixture.query(
    "UPDATE knowledge_sources SET requested_at = requested_at - INTERVAL 1 HOUR WHERE id = ?",
    [id],
  );
  const late = await asSystem(fixture.database.dataSource, 0, (tx) =>
    listLateRuns(tx, "knowledge", { after: id - 1, limit: 1 }),
  );
  expect(late).toMatchObject([{ id, command: { workflowId: `knowledge-page-${id}-2` } }]);
});

test.each([
  ["file:///etc/passwd", "insecure_scheme"],
  ["no url", "invalid_url"],
  ["http://user:pass@example.com/", "credentials_in_url"],
  ["http://169.254.169.254/latest", "blocked_destination"],
])("an address that is no page is refused: %s", async (url, code) => {
  const answer = await call("POST", "/knowledge-sources", { kind: "page", url, language: "es" });
  expect(answer.json.error.details).toMatchObject([{ path: "body.url", code }]);
});

test("a page is added once, whatever comes after its #", async () => {
  await addPage();
  const body = { kind: "page", url: `${page.url}#horario`, language: "es" };
  const answer = await call("POST", "/knowledge-sources", body);
  expect(answer.json.error.details).toMatchObject([{ code: "already_added" }]);
});

const file = (content: string, name = "dudas.csv") => ({
  kind: "file",
  name,
  content,
  language: "es",
});

test("a file becomes suggestions, and a file of its name takes its place", async () => {
  const source = await dataOf("POST", "/knowledge-sources", file("¿Abren?,Sí\n¿Facturan?,No"));
  expect(source).toMatchObject({ state: "ready", questions: 2, suggestions: 2 });
  const [first, second] = await items("suggested");
  await decide("approved", [first]);
  const again = await dataOf("POST", "/knowledge-sources", file("¿Abren?,Ya no\n¿Envían?,Sí"));
  expect(again).toMatchObject({ id: source.id, questions: 2, suggestions: 2 });
  expect(await items("suggested")).toMatchObject([
    { answer: "Ya no", replaces: { id: first.id } },
    { question: "¿Envían?" },
  ]);
  expect((await call("GET", `/knowledge-items/${second.id}`)).status).toBe(404);
  const refused = await call("POST", `/knowledge-sources/${source.id}/refresh`);
  expect(refused.json.error.details).toMatchObject([{ code: "not_a_page" }]);
});

test.each([
  ["another kind", file("x", "dudas.pdf"), "unknown_kind"],
  ["an empty file", file("", "dudas.txt"), "nothing_found"],
  ["broken CSV", file('a,"b'), "not_csv"],
  ["more than 2 MiB", file("ñ".repeat(maxSourceBytes / 2 + 1), "dudas.txt"), "too_big"],
])("a bad file is refused with its reason, and leaves nothing: %s", async (_, body, code) => {
  const answer = await call("POST", "/knowledge-sources", body);
  expect(answer.json.error.details).toMatchObject([{ path: "body.content", code }]);
  expect(await dataOf("GET", "/knowledge-sources")).toEqual([]);
});

test("a deleted source takes its suggestions along, and approved items stay", async () => {
  const { id } = await addPage();
  await run();
  const [first] = await items("suggested");
  await decide("approved", [first]);
  await dataOf("DELETE", `/knowledge-sources/${id}`);
  expect(await items("suggested")).toEqual([]);
  expect(await items("approved")).toMatchObject([{ id: first.id, source_id: null }]);
  expect(await dataOf("GET", "/knowledge-sources")).toEqual([]);
  expect(await run()).toEqual({ state: "over" });
});

test("agents see sources and decide nothing, and another account sees none", async () => {
  const { id } = await addPage();
  await run();
  const [first] = await items("suggested");
  expect((await call("GET", "/knowledge-sources", undefined, luis)).json.data).toHaveLength(1);
  const bulk = { ids: [first.id], state: "approved" };
  const tries: [string, string, object?][] = [
    ["POST", `/knowledge-sources/${id}/refresh`],
    ["DELETE", `/knowledge-sources/${id}`],
    ["POST", "/knowledge-items/bulk", bulk],
  ];
  for (const [method, path, body] of tries) {
    expect(outcomeOf(await call(method, path, body, luis))).toBe("forbidden_role");
  }
  const stranger = await createTestAccount(fixture.database.dataSource);
  expect((await call("GET", "/knowledge-sources", undefined, stranger)).json.data).toEqual([]);
  for (const [method, path] of tries.slice(0, 2)) {
    expect((await call(method, path, undefined, stranger)).status).toBe(404);
  }
  expect((await call("POST", "/knowledge-items/bulk", bulk, stranger)).json.data).toEqual([]);
  expect(await items("suggested")).toHaveLength(2);
});

test("the audit log names kinds, and no address and no text", async () => {
  const { id } = await addPage();
  await run();
  await dataOf("DELETE", `/knowledge-sources/${id}`);
  const rows = await fixture.query(
    "SELECT action, details FROM audit_log WHERE account_id = ? AND target_type = 'knowledge_source' ORDER BY id",
    [admin.accountId],
  );
  expect(rows).toEqual([
    { action: "knowledge_source.created", details: { kind: "page" } },
    { action: "knowledge_source.deleted", details: { kind: "page" } },
  ]);
});
