import { beforeAll, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(startApiFixture);
let conversationId: number;
/** Ids of the ten messages, oldest first. */
let ids: number[] = [];

async function call(path: string, { cookie }: TestAccount = fixture.account) {
  return await fixture.api.call("GET", `/dashboard/api/conversations/${path}`, { cookie });
}

async function write(text: string): Promise<{ id: number; conversation_id: number }> {
  const body = { channel: "web", from: "places-1", text };
  const { cookie } = fixture.account;
  const answer = await fixture.api.call("POST", "/dashboard/api/sandbox/messages", {
    cookie,
    body,
  });
  expect(answer.status).toBe(201);
  return answer.json.data;
}

/** Ids of a page as places from 0 for the oldest, and its meta with places too. */
async function pageAt(query: string) {
  const { status, json } = await call(`${conversationId}/messages?${query}`);
  expect(status).toBe(200);
  const place = (id: number | null) => (id === null ? null : ids.indexOf(id));
  const { next, previous } = json.meta;
  const rows = json.data.map(({ id }: { id: number }) => place(id));
  return { rows, next: place(next), previous: place(previous) };
}

beforeAll(async () => {
  for (let at = 0; at < 10; at += 1) {
    const text = at === 4 ? "Un CAFÉ, 100% de olla" : `Line ${at}`;
    const { id, conversation_id } = await write(text);
    ids.push(id);
    conversationId = conversation_id;
  }
  ids = ids.toSorted((one, other) => one - other);
  for (const [at, id] of ids.entries()) {
    await fixture.database.dataSource.query("UPDATE messages SET created_at = ? WHERE id = ?", [
      new Date(Date.UTC(2026, 2, 1 + at, 12)),
      id,
    ]);
  }
});

test("a page around a message continues in both directions until both ends", async () => {
  expect(await pageAt(`limit=4&around_id=${ids[5]}`)).toEqual({
    rows: [7, 6, 5, 4],
    next: 4,
    previous: 7,
  });
  expect(await pageAt(`limit=4&after_id=${ids[7]}`)).toEqual({
    rows: [9, 8],
    next: 8,
    previous: null,
  });
  expect(await pageAt(`limit=2&after_id=${ids[6]}`)).toEqual({
    rows: [8, 7],
    next: 7,
    previous: 8,
  });
  expect(await pageAt(`limit=4&before_id=${ids[4]}`)).toEqual({
    rows: [3, 2, 1, 0],
    next: null,
    previous: 3,
  });
  expect(await pageAt("limit=3")).toEqual({ rows: [9, 8, 7], next: 7, previous: null });
});

test("a page of one message knows both of its sides", async () => {
  expect(await pageAt(`limit=1&around_id=${ids[5]}`)).toEqual({ rows: [5], next: 5, previous: 5 });
  expect(await pageAt(`limit=1&around_id=${ids[9]}`)).toEqual({
    rows: [9],
    next: 9,
    previous: null,
  });
});

test("a page around a message that is gone shows the messages beside its place", async () => {
  expect(await pageAt("limit=4&around_id=999999999999")).toEqual({
    rows: [9, 8],
    next: 8,
    previous: null,
  });
});

test.each([
  ["2026-03-05T00:00:00Z", 4],
  ["2026-03-05T12:00:00Z", 4],
  ["2026-03-05T12:00:00.001Z", 5],
  ["2026-03-04T19:00:00-05:00", 4],
  ["2020-01-01T00:00:00Z", 0],
  ["2030-01-01T00:00:00Z", 9],
])("the time %s leads to message %i", async (at, place) => {
  const query = `limit=1&at=${encodeURIComponent(at)}`;
  expect((await pageAt(query)).rows).toEqual([place]);
});

test("a search finds words in any case and with any accents, and takes signs literally", async () => {
  const find = async (q: string) => {
    const { json } = await call(
      `${conversationId}/messages/search?q=${encodeURIComponent(q)}&limit=100`,
    );
    return json.data.map(({ id }: { id: number }) => ids.indexOf(id));
  };
  expect(await find("cafe")).toEqual([4]);
  expect(await find("100%")).toEqual([4]);
  expect(await find("0%e")).toEqual([]);
  expect(await find("LINE")).toEqual([9, 8, 7, 6, 5, 3, 2, 1, 0]);
});

test("a search is paged by id, newest first", async () => {
  const first = await call(`${conversationId}/messages/search?q=line&limit=5`);
  expect(first.json.meta).toEqual({ limit: 5, next: ids[5] });
  const { next } = first.json.meta;
  const second = await call(`${conversationId}/messages/search?q=line&limit=5&before_id=${next}`);
  expect(second.json.data.map(({ id }: { id: number }) => ids.indexOf(id))).toEqual([3, 2, 1, 0]);
  expect(second.json.meta.next).toBeNull();
});

test.each([
  ["messages?around_id=1&before_id=2"],
  ["messages?at=yesterday"],
  ["messages?after_id=0"],
  ["messages/search"],
  ["messages/search?q=%20"],
  [`messages/search?q=${"x".repeat(255)}`],
  ["messages/search?q=a&limit=101"],
])("%s is refused", async (path) => {
  const { status, json } = await call(`${conversationId}/${path}`);
  expect([status, json.error.code]).toEqual([400, "validation_error"]);
});

test("another account finds no conversation, and no words of it", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  for (const path of [
    "messages?around_id=1",
    "messages?at=2026-03-05T00:00:00Z",
    "messages/search?q=line",
  ]) {
    const { status, json } = await call(`${conversationId}/${path}`, other);
    expect([status, json.error.code]).toEqual([404, "conversation_not_found"]);
  }
});

test("a message that was stored late stands at its time", async () => {
  const { id } = await write("Stored late");
  await fixture.database.dataSource.query("UPDATE messages SET created_at = ? WHERE id = ?", [
    new Date(Date.UTC(2026, 2, 3, 18)),
    id,
  ]);
  const late = ids.length;
  ids = [...ids, id];
  const whole = (await pageAt("limit=20")).rows;
  expect(whole).toEqual([9, 8, 7, 6, 5, 4, 3, late, 2, 1, 0]);
  expect(await pageAt(`limit=2&before_id=${ids[3]}`)).toEqual({
    rows: [late, 2],
    next: 2,
    previous: late,
  });
  expect(await pageAt(`limit=2&after_id=${id}`)).toEqual({ rows: [4, 3], next: 3, previous: 4 });
  expect((await pageAt("limit=1&at=2026-03-03T18:00:00Z")).rows).toEqual([late]);
  const found = await call(`${conversationId}/messages/search?q=e&limit=3&before_id=${ids[4]}`);
  expect(found.json.data.map((row: { id: number }) => ids.indexOf(row.id))).toEqual([3, late, 2]);
});
