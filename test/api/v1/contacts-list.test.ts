import { beforeAll, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let other: TestAccount;

beforeAll(async () => {
  other = await createTestAccount(fixture.database.dataSource);
});

async function insertContact(accountId: number, row: Record<string, unknown>): Promise<void> {
  await insertRow(fixture, "contacts", { account_id: accountId, source: "api", ...row });
}

const list = async (query: string, apiKey = fixture.account.apiKey) =>
  await fixture.api.call("GET", `/api/v1/contacts?${query}`, { apiKey });

const names = async (search: string): Promise<string[]> => {
  const answer = await list(`search=${encodeURIComponent(search)}`);
  expect(answer.status).toBe(200);
  const found = (answer.json.data as { name: string }[]).map(({ name }) => name);
  expect(answer.json.meta).toStrictEqual({ total: found.length, limit: 50, offset: 0 });
  return found.toSorted();
};

test("an account without contacts reads an empty list", async () => {
  const empty = await createTestAccount(fixture.database.dataSource);
  expect((await list("", empty.apiKey)).json).toStrictEqual({
    success: true,
    data: [],
    meta: { total: 0, limit: 50, offset: 0 },
  });
});

test("search takes %, _, \\ and quotes for themselves", async () => {
  const account = fixture.account.accountId;
  const rows = [
    "100% Ana",
    "snake_case",
    "back\\slash",
    "O'Brien",
    "' OR 1=1 -- ",
    "plain",
    "x_y%z\\",
  ];
  for (const name of rows)
    await insertContact(account, { name, email: `${Math.random()}@example.com` });
  expect(await names("%")).toEqual(["100% Ana", "x_y%z\\"]);
  expect(await names("_")).toEqual(["snake_case", "x_y%z\\"]);
  expect(await names("\\")).toEqual(["back\\slash", "x_y%z\\"]);
  expect(await names("%z\\")).toEqual(["x_y%z\\"]);
  expect(await names("' OR 1=1")).toEqual(["' OR 1=1 -- "]);
  expect(await names("'")).toEqual(["' OR 1=1 -- ", "O'Brien"]);
  expect(await names('"')).toEqual([]);
  expect(await names("\u0000")).toEqual([]);
});

test("search finds names without regard to case and accents, and parts of emails", async () => {
  const account = fixture.account.accountId;
  await insertContact(account, { name: "José Núñez", email: "pepe@example.org" });
  await insertContact(account, {
    name: "日本 太郎 😀",
    phone: "819012345678",
    phone_key: "819012345678",
  });
  expect(await names("jose nunez")).toEqual(["José Núñez"]);
  expect(await names("  JOSÉ ")).toEqual(["José Núñez"]);
  expect(await names("PEPE@example.ORG")).toEqual(["José Núñez"]);
  expect(await names("太郎")).toEqual(["日本 太郎 😀"]);
  expect(await names("😀")).toEqual(["日本 太郎 😀"]);
});

test("search finds a phone however it is written, and plain text never matches a phone", async () => {
  const account = fixture.account.accountId;
  await insertContact(account, {
    name: "By Phone",
    phone: "5215587654321",
    phone_key: "525587654321",
  });
  for (const text of [
    "+52 1 55 8765-4321",
    "(5215) 5876.54321",
    "558765",
    "7654321",
    "525587654321",
    "005215587654321",
    "52155\u20118765\u20114321",
  ]) {
    expect(await names(text)).toEqual(["By Phone"]);
  }
  expect(await names("8765x")).toEqual([]);
});

test("the newest come first, those of the same millisecond by id, and every page together is the list", async () => {
  const walked = await createTestAccount(fixture.database.dataSource);
  for (let index = 0; index < 25; index += 1) {
    // Five moments, out of order, five contacts each.
    const created_at = new Date(1_700_000_000_000 + ((index * 3) % 5));
    await insertContact(walked.accountId, {
      name: `n${index}`,
      email: `w${index}@x.co`,
      created_at,
    });
  }
  const whole = await list("limit=100", walked.apiKey);
  const all = whole.json.data as { id: number; created_at: string }[];
  expect(all).toEqual(
    all.toSorted((a, b) => b.created_at.localeCompare(a.created_at) || b.id - a.id),
  );
  const seen: number[] = [];
  for (let offset = 0; offset < 28; offset += 7) {
    const page = await list(`limit=7&offset=${offset}`, walked.apiKey);
    expect(page.json.meta).toStrictEqual({ total: 25, limit: 7, offset });
    seen.push(...(page.json.data as { id: number }[]).map(({ id }) => id));
  }
  expect(seen).toEqual(all.map(({ id }) => id));
  const beyond = await list("offset=1000000000", walked.apiKey);
  expect(beyond.json).toStrictEqual({
    success: true,
    data: [],
    meta: { total: 25, limit: 50, offset: 1_000_000_000 },
  });
});

test("the default is 50 rows, the most is 100, and total counts what the filter matches", async () => {
  const many = await createTestAccount(fixture.database.dataSource);
  for (let index = 0; index < 120; index += 1) {
    const name = index % 2 === 0 ? "even" : "odd";
    await insertContact(many.accountId, { name, email: `m${index}@x.co` });
  }
  const sizes = await Promise.all(
    ["", "limit=100", "limit=1", "search=odd&limit=10"].map(async (query) => {
      const answer = await list(query, many.apiKey);
      return [answer.json.data.length, answer.json.meta.total];
    }),
  );
  expect(sizes).toEqual([
    [50, 120],
    [100, 120],
    [1, 120],
    [10, 60],
  ]);
});

test("the loser of a merge is in no list and its 404 names the winner", async () => {
  const { accountId, apiKey } = fixture.account;
  const winner = await fixture.api.call("POST", "/api/v1/contacts", {
    apiKey,
    body: { email: "win@x.co" },
  });
  const merged_into_id = Number(winner.json.data.id);
  await insertContact(accountId, { name: "Merged Loser", merged_into_id });
  expect(await names("Merged Loser")).toEqual([]);
  const [row] = await fixture.query<{ id: number }>(
    "SELECT id FROM contacts WHERE name = 'Merged Loser'",
  );
  for (const method of ["GET", "PATCH"]) {
    const path = `/api/v1/contacts/${Number(row?.id)}`;
    const answer = await fixture.api.call(method, path, {
      apiKey,
      ...(method === "PATCH" ? { body: {} } : {}),
    });
    expect([answer.status, answer.json.error.details]).toEqual([
      404,
      { merged_into: merged_into_id },
    ]);
  }
  const foreign = await fixture.api.call("GET", `/api/v1/contacts/${Number(row?.id)}`, {
    apiKey: other.apiKey,
  });
  expect([foreign.status, foreign.json.error.details]).toEqual([404, null]);
});

test("rows and total come from one snapshot while contacts are being added", async () => {
  const busy = await createTestAccount(fixture.database.dataSource);
  const writes = Array.from({ length: 40 }, (_, index) =>
    fixture.api.call("POST", "/api/v1/contacts", {
      apiKey: busy.apiKey,
      body: { email: `b${index}@x.co` },
    }),
  );
  const reads = Array.from({ length: 20 }, () => list("limit=100", busy.apiKey));
  for (const answer of await Promise.all(reads)) {
    expect(answer.json.data).toHaveLength(answer.json.meta.total);
  }
  await Promise.all(writes);
});
