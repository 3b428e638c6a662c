import { beforeAll, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { receive, tracesOf } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let agent: TestAccount;

beforeAll(async () => {
  agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
});

const call = async (
  method: string,
  path: string,
  body?: unknown,
  account = agent,
): Promise<TestAnswer> =>
  await fixture.api.call(method, `/dashboard/api/contacts${path}`, {
    cookie: account.cookie,
    body,
  });
const traced = async (work: () => Promise<TestAnswer>) =>
  await tracesOf(fixture.database.dataSource, agent.accountId, work);
const make = async (body: object): Promise<number> => (await call("POST", "", body)).json.data.id;
const setTags = async (id: number, tags: unknown) => await call("PUT", `/${id}/tags`, { tags });

const card = {
  id: expect.any(Number),
  name: "Ana",
  phone: "5215512345678",
  email: "ana@example.com",
  whatsapp_id: null,
  tags: ["VIP", "Zürich", "Álamo"],
  created_at: expect.any(String),
  updated_at: expect.any(String),
  has_name: true,
  instagram_id: null,
  facebook_id: null,
  source: "panel",
  identities: [],
  stages: [],
  conversations: [],
};

test("a contact made in the Dashboard is one event from `panel`, with its tags in their order", async () => {
  const { result, events } = await traced(() =>
    call("POST", "", {
      phone: "+52 1 55 1234 5678",
      email: "ANA@example.com ",
      name: "Ana",
      tags: ["VIP", " Zürich ", "vip", "Álamo"],
    }),
  );
  expect([result.status, result.json.data]).toStrictEqual([201, card]);
  expect(events).toMatchObject([
    { type: "contact.created", data: { source: "panel", tags: ["VIP", "Zürich", "Álamo"] } },
  ]);
  const again = await traced(() =>
    call("POST", "", { email: "ana@example.com", name: "Ana María", tags: ["nuevo", "ZÜRICH"] }),
  );
  expect([again.result.status, again.result.json.data.tags]).toEqual([
    200,
    ["VIP", "Zürich", "Álamo", "nuevo"],
  ]);
  expect(again.events).toMatchObject([
    {
      type: "contact.updated",
      data: {
        source: "panel",
        changed_fields: ["name", "tags"],
        previous_values: { name: "Ana", tags: ["VIP", "Zürich", "Álamo"] },
      },
    },
  ]);
  const same = await traced(() => call("POST", "", { email: "ana@example.com", tags: ["vip"] }));
  expect([same.result.status, same.events]).toEqual([200, []]);
});

test("a contact is read with its identities and conversations, the newest first", async () => {
  const { dataSource } = fixture.database;
  const first = await receive(dataSource, agent.accountId, { from: "5215500000001" });
  await receive(dataSource, agent.accountId, { from: "17841", channel: "instagram", name: "I" });
  const id = first.row.contactId;
  const [other] = await fixture.query<{ id: number }>(
    "SELECT contact_id AS id FROM contact_identities WHERE external_id = '17841'",
  );
  await call("POST", `/${other?.id}/merge`, { into_contact_id: id });
  const read = await call("GET", `/${id}`);
  expect(read.status).toBe(200);
  expect(read.json.data).toMatchObject({
    name: "I",
    has_name: true,
    source: "conversation",
    whatsapp_id: "5215500000001",
    instagram_id: "17841",
    facebook_id: null,
    identities: [
      { channel: "instagram", external_id: "17841" },
      { channel: "whatsapp", external_id: "5215500000001" },
    ],
    conversations: [
      { channel: "instagram", status: "active", last_message_at: expect.any(String) },
      { id: first.row.conversationId, channel: "whatsapp", status: "active" },
    ],
  });
});

test("a visitor without a name shows something else, and the card says so", async () => {
  const id = await make({ email: "noname@example.com" });
  expect((await call("GET", `/${id}`)).json.data).toMatchObject({
    name: "noname@example.com",
    has_name: false,
  });
});

test("the list is searched, narrowed by a tag in any case, and paged", async () => {
  const account = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const add = async (name: string, tags: string[]) =>
    await call("POST", "", { email: `${name}@list.example`, name, tags }, account);
  await add("uno", ["Rojo"]);
  await add("dos", ["ROJO", "azul"]);
  await add("tres", ["rójo"]);
  const list = async (query: string) => {
    const { json } = await call("GET", `?${query}`, undefined, account);
    return [json.data.map(({ name }: { name: string }) => name), json.meta];
  };
  expect(await list("tag=rojo")).toEqual([
    ["dos", "uno"],
    { total: 2, total_at_least: false, limit: 50, offset: 0 },
  ]);
  expect(await list("tag=R%C3%93JO")).toEqual([
    ["tres"],
    { total: 1, total_at_least: false, limit: 50, offset: 0 },
  ]);
  expect(await list("tag=rojo&search=uno")).toEqual([
    ["uno"],
    { total: 1, total_at_least: false, limit: 50, offset: 0 },
  ]);
  expect(await list("limit=1&offset=1")).toEqual([
    ["dos"],
    { total: 3, total_at_least: false, limit: 1, offset: 1 },
  ]);
  expect(await list("tag=red")).toEqual([
    [],
    { total: 0, total_at_least: false, limit: 50, offset: 0 },
  ]);
  expect(await list("search=")).toMatchObject([["tres", "dos", "uno"], { total: 3 }]);
});

test("a change is told with source `panel` and what it replaced", async () => {
  const id = await make({ phone: "34600100001", name: "Old" });
  const { result, events } = await traced(() =>
    call("PATCH", `/${id}`, { name: "New", phone: null, email: "new@example.com" }),
  );
  expect([result.status, result.json.data.name]).toEqual([200, "New"]);
  expect(events).toMatchObject([
    {
      type: "contact.updated",
      data: {
        source: "panel",
        changed_fields: ["email", "name", "phone"],
        previous_values: { email: null, name: "Old", phone: "34600100001" },
      },
    },
  ]);
  const refused = await call("PATCH", `/${id}`, { email: null });
  expect([refused.status, refused.json.error.code]).toEqual([422, "contact_needs_identifier"]);
});

test("tags: case folds, accents count, spelling and order of those that stay stay", async () => {
  const id = await make({ email: "tags@example.com", tags: ["Beta", "alfa"] });
  const steps: [sent: string[], stored: string[]][] = [
    [
      ["ALFA", "beta"],
      ["Beta", "alfa"],
    ],
    [
      ["zeta", "Beta", "ALFA", "Zeta", "álfa"],
      ["Beta", "alfa", "zeta", "álfa"],
    ],
    [["álfa"], ["álfa"]],
    [[], []],
  ];
  for (const [sent, stored] of steps) {
    const { status, json } = await setTags(id, sent);
    expect([status, json.data.tags]).toEqual([200, stored]);
    expect((await call("GET", `/${id}`)).json.data.tags).toEqual(stored);
  }
});

test("changed tags are one event with what was there before, unchanged ones are none", async () => {
  const id = await make({ email: "tag-events@example.com", tags: ["a"] });
  const changed = await traced(() => setTags(id, ["b", "c"]));
  expect(changed.events).toMatchObject([
    {
      type: "contact.updated",
      data: { changed_fields: ["tags"], previous_values: { tags: ["a"] }, tags: ["b", "c"] },
    },
  ]);
  expect((await traced(() => setTags(id, ["C", "b"]))).events).toEqual([]);
});

const many = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);

test("a contact holds 100 tags; the same ones in another case do not count twice", async () => {
  const id = await make({ email: "hundred@example.com" });
  const hundred = many(100);
  const stored = await setTags(id, [...hundred, ...hundred.map((tag) => tag.toUpperCase())]);
  expect(stored.json.data.tags).toEqual(hundred);
  const refusals = [
    await setTags(id, many(101)),
    await call("POST", "", { email: "hundred@example.com", name: "New", tags: ["one more"] }),
  ];
  for (const { status, json } of refusals) {
    expect([status, json.error.details]).toEqual([
      400,
      [{ path: "body.tags", code: "too_many_tags", message: expect.any(String) }],
    ]);
  }
  const read = await call("GET", `/${id}`);
  expect([read.json.data.tags, read.json.data.has_name]).toEqual([hundred, false]);
});

test("tags that are set at once end as one of the sets, and each change is one event", async () => {
  const id = await make({ email: "race@example.com" });
  const sets = many(10).map((tag) => [tag, "shared"]);
  const { events } = await tracesOf(fixture.database.dataSource, agent.accountId, async () => {
    const answers = await Promise.all(sets.map((tags) => setTags(id, tags)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });
  expect(events).toHaveLength(10);
  let before: string[] = [];
  for (const { data } of events) {
    expect(new Set(data.previous_values.tags)).toEqual(new Set(before));
    before = data.tags;
  }
  const { tags } = (await call("GET", `/${id}`)).json.data;
  expect(sets.map((set) => new Set(set))).toContainEqual(new Set(tags));
});

test("two that add a tag at once both do", async () => {
  const id = await make({ email: "adds@example.com" });
  const add = async (tag: string) =>
    await call("POST", "", { email: "adds@example.com", tags: [tag] });
  await Promise.all(many(10).map(add));
  expect((await call("GET", `/${id}`)).json.data.tags.toSorted()).toEqual(many(10).toSorted());
});

test.each<[string, string, unknown, string]>([
  ["POST", "", {}, "body"],
  ["POST", "", { phone: "123" }, "body.phone"],
  ["POST", "", { phone: "34600100002", tags: [""] }, "body.tags.0"],
  ["POST", "", { phone: "34600100002", tags: "vip" }, "body.tags"],
  ["POST", "", { phone: "34600100002", source: "api" }, "body.source"],
  ["PATCH", "/1", { name: "" }, "body.name"],
  ["PUT", "/1/tags", {}, "body.tags"],
  ["PUT", "/1/tags", { tags: ["ok", "x".repeat(51)] }, "body.tags.1"],
  ["PUT", "/1/tags", { tags: [1] }, "body.tags.0"],
  ["POST", "/1/merge", {}, "body.into_contact_id"],
  ["GET", "?limit=101", undefined, "query.limit"],
  ["GET", "?tag=", undefined, "query.tag"],
])("%s %s with %j is 400 at %s", async (method, path, body, at) => {
  const { status, json } = await call(method, path, body);
  expect([status, json.error.code, json.error.details[0].path]).toEqual([
    400,
    "validation_error",
    at,
  ]);
});

test.each<[string, string, object?]>([
  ["GET", ""],
  ["PATCH", "", { name: "x" }],
  ["PUT", "/tags", { tags: ["x"] }],
  ["POST", "/merge", { into_contact_id: 1 }],
])(
  "%s /contacts/:id%s of another account reads like an unknown one",
  async (method, path, body) => {
    const foreign = await make({ email: `foreign${Math.random()}@example.com` });
    const stranger = await createTestAccount(fixture.database.dataSource);
    for (const id of [foreign, 999_999]) {
      const { status, json } = await call(method, `/${id}${path}`, body, stranger);
      expect([status, json.error.code]).toEqual([404, "contact_not_found"]);
    }
    expect((await call("GET", `/${foreign}`)).json.data.tags).toEqual([]);
  },
);

test("phone and email of two contacts are 409 here too", async () => {
  await make({ phone: "34600100010" });
  await make({ email: "conflict@example.com" });
  const body = { phone: "34600100010", email: "conflict@example.com", tags: ["x"] };
  const { status, json } = await call("POST", "", body);
  expect([status, json.error.code]).toEqual([409, "contact_conflict"]);
});

test("live views learn of a new contact and of every change, and of nothing else", async () => {
  const email = "live@example.com";
  const id = await make({ email });
  const changes = async () =>
    await fixture.query("SELECT kind FROM changes WHERE contact_id = ? ORDER BY id", [id]);
  expect(await changes()).toEqual([{ kind: "contact.updated" }]);
  await call("PATCH", `/${id}`, { name: "Live" });
  await setTags(id, ["x"]);
  await setTags(id, ["X"]);
  await call("POST", "", { email });
  expect(await changes()).toHaveLength(3);
});
