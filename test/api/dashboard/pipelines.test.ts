import { beforeAll, expect, test } from "vitest";
import { createTestAccount } from "../../support/accounts.ts";
import { createBoard, type PipelineAnswer } from "./pipeline-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let board: ReturnType<typeof createBoard>;

beforeAll(async () => {
  board = createBoard(fixture);
});

const namesOf = ({ stages }: PipelineAnswer) => stages.map(({ name }) => name);
const codesOf = (answer: { status: number; json: { error: { details: { code: string }[] } } }) => [
  answer.status,
  answer.json.error.details.map(({ code }) => code),
];

test("an admin makes a pipeline with its stages in order; each step leaves an audit row", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const { call, pipeline } = createBoard(fixture, own);
  const sales = await pipeline(["New", "Won"], { name: "Sales" });
  expect(sales).toMatchObject({ name: "Sales", default: false });
  expect(sales.stages.map(({ name, cards }) => [name, cards])).toEqual([
    ["New", 0],
    ["Won", 0],
  ]);
  const added = await call("POST", `/pipelines/${sales.id}/stages`, { name: "Interested" });
  expect([added.status, namesOf(added.json.data)]).toEqual([201, ["New", "Won", "Interested"]]);
  const [first, won, interested] = added.json.data.stages.map(({ id }: { id: number }) => id);
  const order = { stage_ids: [first, interested, won] };
  const ordered = await call("PUT", `/pipelines/${sales.id}/stages`, order);
  expect(namesOf(ordered.json.data)).toEqual(["New", "Interested", "Won"]);
  const renamed = await call("PATCH", `/stages/${won}`, { name: "Customer" });
  expect(namesOf(renamed.json.data)).toEqual(["New", "Interested", "Customer"]);
  await call("PATCH", `/pipelines/${sales.id}`, { name: "Selling", default: true });
  const deleted = await call("DELETE", `/stages/${interested}`);
  expect([deleted.status, namesOf(deleted.json.data)]).toEqual([200, ["New", "Customer"]]);
  expect((await call("GET", "/pipelines")).json).toMatchObject({
    data: [{ id: sales.id, name: "Selling", default: true }],
    meta: { total: 1, total_at_least: false, limit: 50, offset: 0 },
  });
  expect((await call("DELETE", `/pipelines/${sales.id}`)).status).toBe(200);
  expect((await call("GET", `/pipelines/${sales.id}`)).json.error.code).toBe("pipeline_not_found");
  const audit = await fixture.query<{ action: string }>(
    "SELECT action FROM audit_log WHERE account_id = ? AND actor_id = ? ORDER BY id",
    [own.accountId, own.userId],
  );
  expect(audit.map(({ action }) => action)).toEqual([
    "pipeline.created",
    "stage.created",
    "pipeline.stages_ordered",
    "stage.updated",
    "pipeline.updated",
    "stage.deleted",
    "pipeline.deleted",
  ]);
  const told = await fixture.query<{ kind: string }>(
    "SELECT kind FROM changes WHERE account_id = ? ORDER BY id",
    [own.accountId],
  );
  expect(told.map(({ kind }) => kind)).toEqual(audit.map(() => "pipeline.updated"));
});

test("names are unique, without regard to case and accents: pipelines in the account, stages in the pipeline", async () => {
  const { id, stages } = await board.pipeline(["Día", "Noche"], { name: "Única" });
  for (const [method, path, body] of [
    ["POST", "/pipelines", { name: "unica", stages: ["x"] }],
    ["POST", "/pipelines", { name: "Twice", stages: ["Sí", "si"] }],
    ["PATCH", `/pipelines/${(await board.pipeline()).id}`, { name: "ÚNICA" }],
    ["POST", `/pipelines/${id}/stages`, { name: "dia" }],
    ["PATCH", `/stages/${stages[1]?.id}`, { name: "DÍA" }],
  ] as const) {
    expect(codesOf(await board.call(method, path, body))).toEqual([400, ["name_taken"]]);
  }
  expect((await fixture.query("SELECT 1 FROM pipelines WHERE name = 'Twice'")).length).toBe(0);
  // Another spelling of its own name is no clash, and another account knows nothing of it.
  const renamed = await board.call("PATCH", `/pipelines/${id}`, { name: "ÚNICA" });
  expect(renamed.json.data.name).toBe("ÚNICA");
  const stranger = await createTestAccount(fixture.database.dataSource);
  await createBoard(fixture, stranger).pipeline(["Día"], { name: "Única" });
});

test.each([
  ["body.name", { name: " ", stages: ["x"] }],
  ["body.name", { name: "x".repeat(201), stages: ["x"] }],
  ["body.stages", { name: "p", stages: [] }],
  ["body.stages", { name: "p", stages: Array.from({ length: 31 }, (_, i) => `s${i}`) }],
  ["body.stages.0", { name: "p", stages: [""] }],
  ["body.color", { name: "p", stages: ["x"], color: "red" }],
])("%s is refused: %j", async (path, body) => {
  const { status, json } = await board.call("POST", "/pipelines", body);
  expect([status, json.error.details[0].path]).toEqual([400, path]);
});

test("an account has at most 20 pipelines, and a pipeline at most 30 stages, also at once", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const { call, pipeline } = createBoard(fixture, own);
  const full = Array.from({ length: 28 }, (_, index) => `Stage ${index}`);
  const { id } = await pipeline(full);
  const many = await Promise.all(
    Array.from({ length: 22 }, (_, index) =>
      call("POST", "/pipelines", { name: `p${index}`, stages: ["x"] }),
    ),
  );
  expect(many.filter(({ status }) => status === 201)).toHaveLength(19);
  const refused = many.filter(({ status }) => status !== 201);
  expect(refused.map(codesOf)).toEqual(refused.map(() => [400, ["too_many_pipelines"]]));
  const stages = await Promise.all(
    ["a", "b", "c", "d"].map((name) => call("POST", `/pipelines/${id}/stages`, { name })),
  );
  expect(stages.filter(({ status }) => status === 201)).toHaveLength(2);
  const beyond = stages.filter(({ status }) => status !== 201);
  expect(beyond.map(codesOf)).toEqual(beyond.map(() => [400, ["too_many_stages"]]));
});

test("one pipeline at most is the default one", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const { call, pipeline } = createBoard(fixture, own);
  const [one, two] = [await pipeline(["x"], { default: true }), await pipeline(["x"])];
  await Promise.all(
    [one, two].map(({ id }) => call("PATCH", `/pipelines/${id}`, { default: true })),
  );
  const list = async () =>
    (await call("GET", "/pipelines")).json.data.filter((row: PipelineAnswer) => row.default);
  const [only, ...more] = await list();
  expect(more).toEqual([]);
  await call("PATCH", `/pipelines/${only.id}`, { default: false });
  expect(await list()).toEqual([]);
});

test.each([
  ["a stage left out", (ids: number[]) => ids.slice(1)],
  ["a stage twice", (ids: number[]) => [ids[0], ids[0], ids[1]]],
  ["an unknown stage", (ids: number[]) => [...ids.slice(1), 999_999]],
])("an order with %s is refused", async (_, change) => {
  const { id, ids, stages } = await board.pipeline();
  const answer = await board.call("PUT", `/pipelines/${id}/stages`, { stage_ids: change(ids) });
  expect(codesOf(answer)).toEqual([400, ["not_every_stage"]]);
  const now = (await board.call("GET", `/pipelines/${id}`)).json.data;
  expect(namesOf(now)).toEqual(stages.map(({ name }) => name));
});

test("a stage with contacts in it is not deleted, nor is the last one", async () => {
  const { id, ids } = await board.pipeline(["New", "Won"]);
  const customer = await board.customer();
  await board.move(customer, ids[0]);
  const refused = await board.call("DELETE", `/stages/${ids[0]}`);
  expect([refused.status, refused.json.error]).toEqual([
    409,
    expect.objectContaining({ code: "stage_not_empty", details: { cards: 1 } }),
  ]);
  expect((await board.call("DELETE", `/stages/${ids[1]}`)).status).toBe(200);
  const last = await board.call("DELETE", `/stages/${ids[0]}`);
  expect([last.status, last.json.error.code]).toEqual([409, "last_stage"]);
  expect(await board.stageOf(customer)).toMatchObject({ pipeline_id: id, stage_id: ids[0] });
});

test("a stage is emptied into another one of its pipeline, in order, with an event for each", async () => {
  const { id, ids } = await board.pipeline();
  const customers = [await board.customer(), await board.customer(), await board.customer()];
  for (const customer of customers) await board.move(customer, ids[0]);
  const there = await board.customer();
  await board.move(there, ids[1]);
  const before = await fixture.count("events");
  const answer = await board.call("POST", `/stages/${ids[0]}/empty`, { stage_id: ids[1] });
  expect(answer.json.data).toEqual({ moved: 3, left: 0 });
  const order = [...customers.toReversed(), there].map(({ contactId }) => contactId);
  expect(await board.column(ids[1])).toEqual(order);
  expect((await fixture.count("events"))["events"]).toBe(Number(before["events"]) + 3);
  expect((await board.call("DELETE", `/stages/${ids[0]}`)).json.data.stages).toMatchObject([
    { id: ids[1], cards: 4 },
    { id: ids[2], cards: 0 },
  ]);
  const elsewhere = await board.pipeline();
  for (const stageId of [elsewhere.ids[0], ids[1], 999_999]) {
    const wrong = await board.call("POST", `/stages/${ids[1]}/empty`, { stage_id: stageId });
    expect(codesOf(wrong)).toEqual([400, ["unknown_stage"]]);
  }
  expect((await board.call("GET", `/pipelines/${id}`)).json.data.stages[0].cards).toBe(4);
});

test("a stage of more than 100 contacts is emptied call by call", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const { call, pipeline, customer, move, column } = createBoard(fixture, own);
  const { ids } = await pipeline();
  const customers = [];
  for (let index = 0; index < 103; index += 1) customers.push(await customer());
  for (const one of customers) await move(one, ids[0]);
  const empty = async () =>
    (await call("POST", `/stages/${ids[0]}/empty`, { stage_id: ids[2] })).json.data;
  expect(await empty()).toEqual({ moved: 100, left: 3 });
  expect(await empty()).toEqual({ moved: 3, left: 0 });
  expect(await empty()).toEqual({ moved: 0, left: 0 });
  const top = customers.toReversed().map(({ contactId }) => contactId);
  expect(await column(ids[2])).toEqual(top.slice(0, 100));
});

test("a pipeline goes with its cards, and nobody's conversation shows it any more", async () => {
  const [old, other] = [await board.pipeline(), await board.pipeline()];
  const customer = await board.customer();
  await board.move(customer, other.ids[1]);
  await board.move(customer, old.ids[0]);
  // More than one statement deletes.
  await fixture.query(
    `INSERT INTO contact_stages (account_id, contact_id, pipeline_id, stage_id, conversation_id, place, moved_at)
     SELECT ?, 900000 + a.i * 200 + b.i, ?, ?, 1, a.i * 200 + b.i, NOW(3) FROM
       (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT i FROM n) a,
       (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT i FROM n) b`,
    [fixture.account.accountId, old.id, old.ids[1]],
  );
  const before = await fixture.count("events");
  expect((await board.call("DELETE", `/pipelines/${old.id}`)).status).toBe(200);
  expect(await board.stageOf(customer)).toMatchObject({ stage_id: other.ids[1] });
  expect(await fixture.count("events")).toEqual(before);
  const left = await fixture.query("SELECT 1 FROM contact_stages WHERE pipeline_id = ?", [old.id]);
  expect(left).toEqual([]);
});

test("the stage that a booking moves to is one of the account, and none once it is deleted", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const { call, pipeline } = createBoard(fixture, own);
  const foreign = await board.pipeline();
  const setTo = async (id: number | undefined | null) =>
    await call("PATCH", "/account", { settings: { booking_stage_id: id } });
  expect(codesOf(await setTo(foreign.ids[0]))).toEqual([400, ["unknown_stage"]]);
  const { id, ids } = await pipeline();
  const setting = async () => (await call("GET", "/account")).json.data.settings.booking_stage_id;
  expect((await setTo(ids[1])).status).toBe(200);
  await call("DELETE", `/stages/${ids[0]}`);
  expect(await setting()).toBe(ids[1]);
  await call("DELETE", `/stages/${ids[1]}`);
  expect(await setting()).toBeNull();
  await setTo(ids[2]);
  await call("DELETE", `/pipelines/${id}`);
  expect(await setting()).toBeNull();
});
