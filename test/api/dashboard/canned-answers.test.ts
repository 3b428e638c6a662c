import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { addMember, createTeam, outcomeOf, type TestPerson } from "./people-fixture.ts";

const fixture = useFixture(startApiFixture);
let admin: TestAccount;
let luis: TestPerson;
let eva: TestPerson;

beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
  eva = await addMember(fixture, admin);
});

type Who = Pick<TestPerson, "cookie">;
const call = async (method: string, path: string, { cookie }: Who, body?: unknown) =>
  await fixture.api.call(method, `/dashboard/api/canned-answers${path}`, { cookie, body });
const create = async (who: Who, body: object) => {
  const answer = await call("POST", "", who, { text: "Hola {{contact.name}}", ...body });
  expect(answer.status).toBe(201);
  return answer.json.data;
};
const shortcuts = async (who: Who, query = "") => {
  const { json } = await call("GET", query, who);
  expect(json.meta.total).toBe(json.data.length);
  return json.data.map(({ shortcut }: { shortcut: string }) => shortcut);
};

test("a personal one is its owner's, a shared one is everybody's", async () => {
  const own = await create(luis, { shortcut: "saludo" });
  const shared = await create(admin, { shortcut: "horario", shared: true, locale: "es" });
  expect(own).toStrictEqual({
    id: expect.any(Number),
    shortcut: "saludo",
    text: "Hola {{contact.name}}",
    locale: null,
    shared: false,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(shared).toMatchObject({ shared: true, locale: "es" });
  expect(await shortcuts(luis)).toEqual(["horario", "saludo"]);
  expect(await shortcuts(eva)).toEqual(["horario"]);
  expect(await shortcuts(luis, "?shared=false")).toEqual(["saludo"]);
  expect(await shortcuts(luis, "?shared=true")).toEqual(["horario"]);
  expect((await call("GET", `/${shared.id}`, eva)).json.data).toEqual(shared);
});

test("one of another person or account is unknown to read, change and delete", async () => {
  const stranger = await createTestAccount(fixture.database.dataSource);
  const own = await create(luis, { shortcut: "mine" });
  const shared = await create(admin, { shortcut: "ours", shared: true });
  const tries: [Who, number][] = [
    [eva, own.id],
    [admin, own.id],
    [stranger, own.id],
    [stranger, shared.id],
  ];
  for (const [who, id] of tries) {
    for (const [method, body] of [["GET"], ["PATCH", { text: "x" }], ["DELETE"]] as const) {
      const answer = await call(method, `/${id}`, who, body);
      expect([answer.status, outcomeOf(answer)]).toEqual([404, "canned_answer_not_found"]);
    }
  }
  expect(await shortcuts(stranger)).toEqual([]);
  expect(await shortcuts(luis)).toEqual(["mine", "ours"]);
});

test("only an admin shares, changes what is shared, and deletes it", async () => {
  const own = await create(luis, { shortcut: "mine" });
  const shared = await create(admin, { shortcut: "ours", shared: true });
  const refused = [
    await call("POST", "", luis, { shortcut: "x", text: "x", shared: true }),
    await call("PATCH", `/${own.id}`, luis, { shared: true }),
    await call("PATCH", `/${shared.id}`, luis, { text: "x" }),
    await call("DELETE", `/${shared.id}`, luis),
  ];
  for (const answer of refused)
    expect([answer.status, outcomeOf(answer)]).toEqual([403, "forbidden_role"]);
  const taken = await call("PATCH", `/${shared.id}`, admin, { shared: false, text: "Mine now" });
  expect(taken.json.data).toMatchObject({ shared: false, text: "Mine now" });
  expect(await shortcuts(luis)).toEqual(["mine"]);
  expect((await call("DELETE", `/${own.id}`, luis)).json.data).toEqual({ id: own.id });
  expect(await shortcuts(luis)).toEqual([]);
  const audit = await fixture.query<{ action: string }>(
    "SELECT action FROM audit_log WHERE account_id = ? AND target_type = 'canned_answer' ORDER BY id",
    [admin.accountId],
  );
  expect(audit.map(({ action }) => action)).toEqual([
    "canned_answer.created",
    "canned_answer.updated",
  ]);
});

test("a shortcut is one owner's once, in any case; accents make another", async () => {
  await create(luis, { shortcut: "Café" });
  const taken = await call("POST", "", luis, { shortcut: "CAFE\u0301", text: "x" });
  expect([taken.status, taken.json.error.details]).toMatchObject([
    400,
    [{ path: "body.shortcut", code: "shortcut_taken" }],
  ]);
  await create(luis, { shortcut: "cafe" });
  await create(eva, { shortcut: "café" });
  const shared = await create(admin, { shortcut: "café", shared: true });
  await create(admin, { shortcut: "otro", shared: true });
  const renamed = await call("PATCH", `/${shared.id}`, admin, { shortcut: "OTRO" });
  expect(renamed.json.error.details).toMatchObject([{ code: "shortcut_taken" }]);
  expect((await call("PATCH", `/${shared.id}`, admin, { shortcut: "CAFÉ" })).status).toBe(200);
});

test("of many who save one shortcut at once, one does", async () => {
  const answers = await Promise.all(
    Array.from(
      { length: 8 },
      async () => await call("POST", "", luis, { shortcut: "a", text: "x" }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array(7).fill(400),
  ]);
});

test("a search lists shortcuts that begin with it, then texts that contain it", async () => {
  await create(luis, { shortcut: "zeta", text: "El número de cuenta", locale: "es" });
  await create(luis, { shortcut: "cuenta", text: "IBAN", locale: "es" });
  await create(luis, { shortcut: "descuento", text: "10% off", locale: "en" });
  await create(admin, { shortcut: "cuéntame", text: "Tell me", shared: true });
  expect(await shortcuts(luis, "?search=CUENTA")).toEqual(["cuenta", "cuéntame", "zeta"]);
  expect(await shortcuts(luis, "?search=0%25%20o")).toEqual(["descuento"]);
  expect(await shortcuts(luis, "?search=_")).toEqual([]);
  expect(await shortcuts(luis, "?locale=en")).toEqual(["cuéntame", "descuento"]);
  expect(await shortcuts(luis, "?locale=es&search=cuenta")).toEqual(["cuenta", "cuéntame", "zeta"]);
  const page = await call("GET", "?limit=1&offset=1", luis);
  expect([page.json.data[0].shortcut, page.json.meta]).toEqual([
    "cuéntame",
    { total: 4, total_at_least: false, limit: 1, offset: 1 },
  ]);
});

test("an unknown variable is refused with the list of those there are", async () => {
  const answer = await call("POST", "", luis, { shortcut: "a", text: "Hi {{contact.age}}" });
  expect([answer.status, answer.json.error.details]).toEqual([
    400,
    [
      {
        path: "body.text",
        code: "unknown_variable",
        message: expect.stringMatching(/\{\{contact\.age\}\}.*\{\{contact\.first_name\}\}/),
      },
    ],
  ]);
});

test.each([
  { shortcut: "" },
  { shortcut: "two words" },
  { shortcut: "a/b" },
  { shortcut: "x".repeat(41) },
  { shortcut: "a", text: "" },
  { shortcut: "a", text: "x".repeat(4097) },
  { shortcut: "a", locale: "fr" },
  { shortcut: "a", colour: "red" },
])("%j is no canned answer", async (body) => {
  const answer = await call("POST", "", luis, { text: "x", ...body });
  expect([answer.status, outcomeOf(answer)]).toEqual([400, "validation_error"]);
  expect(await shortcuts(luis)).toEqual([]);
});

test("the longest ones are kept whole, and open Dashboards hear of each change", async () => {
  const text = "ñ".repeat(4096);
  const { id } = await create(luis, { shortcut: "é".repeat(40), text });
  expect((await call("GET", `/${id}`, luis)).json.data).toMatchObject({ text });
  expect((await call("PATCH", `/${id}`, luis, {})).status).toBe(200);
  await call("DELETE", `/${id}`, luis);
  const changes = await fixture.query(
    "SELECT kind FROM changes WHERE account_id = ? AND kind = 'canned_answer.updated'",
    [admin.accountId],
  );
  expect(changes).toHaveLength(2);
});
