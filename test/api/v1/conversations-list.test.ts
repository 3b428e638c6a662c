import { beforeAll, expect, test } from "vitest";
import { restChannels } from "../../../core/model/channels.ts";
import { conversationStatuses } from "../../../core/model/conversation.ts";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { receive } from "../../support/conversations.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
const started = 1_700_000_000_000;

interface Row {
  id: number;
  contact_id: number;
  channel: string;
  status: string;
  last_message_at: string;
}

beforeAll(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  for (let index = 0; index < 120; index += 1) {
    // Every channel meets every status; ten moments, out of order, so that ids must decide.
    await insertConversation(account.accountId, {
      contact_id: 1 + (index % 6),
      channel: restChannels[index % 4],
      status: conversationStatuses[Math.floor(index / 4) % 4],
      sort_at: new Date(started + ((index * 7) % 10)),
    });
  }
});

async function insertConversation(accountId: number, row: Record<string, unknown>) {
  return await insertRow(fixture, "conversations", {
    account_id: accountId,
    contact_id: 1,
    channel_account_id: 1,
    channel: "whatsapp",
    status: "active",
    bot_enabled: 1,
    sort_at: new Date(started),
    ...row,
  });
}

const list = async (query: string, apiKey = account.apiKey) =>
  await fixture.api.call("GET", `/api/v1/conversations?${query}`, { apiKey });

const rowsOf = async (query: string) => {
  const { status, json } = await list(query);
  expect(status).toBe(200);
  return { rows: json.data as Row[], meta: json.meta as { total: number } };
};

test("a row has exactly the contract's eight fields", async () => {
  const { apiKey } = fixture.account;
  const opened = await fixture.api.call("POST", "/api/v1/conversations", {
    apiKey,
    body: { phone: freshPhone(), initial_message: "Hola" },
  });
  const { id, contact_id, created_at, initial_message } = opened.json.data;
  const answer = await list("", apiKey);
  expect(answer.json).toStrictEqual({
    success: true,
    data: [
      {
        id,
        contact_id,
        channel: "whatsapp",
        status: "active",
        bot_enabled: true,
        assigned_to_user_id: null,
        last_message_at: initial_message.created_at,
        created_at,
      },
    ],
    meta: { total: 1, limit: 50, offset: 0 },
  });
  expect(Object.keys(answer.json.data[0])).toEqual(
    "id contact_id channel status bot_enabled assigned_to_user_id last_message_at created_at".split(
      " ",
    ),
  );
});

test("an account without conversations reads an empty list", async () => {
  const empty = await createTestAccount(fixture.database.dataSource);
  expect((await list("", empty.apiKey)).json).toStrictEqual({
    success: true,
    data: [],
    meta: { total: 0, limit: 50, offset: 0 },
  });
});

test("the newest message is first, then the newest conversation, and pages together are the list", async () => {
  const { rows: first, meta } = await rowsOf("limit=100");
  const { rows: rest } = await rowsOf("limit=100&offset=100");
  expect(meta).toStrictEqual({ total: 120, limit: 100, offset: 0 });
  const all = [...first, ...rest];
  expect(new Set(all.map(({ id }) => id)).size).toBe(120);
  expect(all).toEqual(
    all.toSorted((a, b) => b.last_message_at.localeCompare(a.last_message_at) || b.id - a.id),
  );
  const walked: Row[] = [];
  for (let offset = 0; offset < 130; offset += 11) {
    const page = await rowsOf(`limit=11&offset=${offset}`);
    expect(page.meta).toStrictEqual({ total: 120, limit: 11, offset });
    walked.push(...page.rows);
  }
  expect(walked).toEqual(all);
  expect((await rowsOf("")).rows).toEqual(all.slice(0, 50));
  expect(await rowsOf("offset=1000000000")).toEqual({
    rows: [],
    meta: { total: 120, limit: 50, offset: 1_000_000_000 },
  });
});

test("each filter and all of them together give what matches, and its exact total", async () => {
  const { rows: first } = await rowsOf("limit=100");
  const all = [...first, ...(await rowsOf("limit=100&offset=100")).rows];
  const filters = (["", ...conversationStatuses] as const).flatMap((status) =>
    ["", ...restChannels].flatMap((channel) =>
      ["", "1", "6", "7"].map((contact) => ({ status, channel, contact_id: contact })),
    ),
  );
  for (const filter of filters) {
    const sent = Object.entries(filter).filter(([, value]) => value !== "");
    const matching = all.filter((row) =>
      sent.every(([name, value]) => String(row[name as keyof Row]) === value),
    );
    const query = new URLSearchParams(sent).toString();
    const { rows, meta } = await rowsOf(`${query}&limit=100`);
    expect([query, rows]).toEqual([query, matching.slice(0, 100)]);
    expect([query, meta.total]).toEqual([query, matching.length]);
    const page = await rowsOf(`${query}&limit=2&offset=1`);
    expect([query, page.rows]).toEqual([query, matching.slice(1, 3)]);
    expect([query, page.meta.total]).toEqual([query, matching.length]);
  }
});

test.each([
  ["status=open", "query.status"],
  ["status=", "query.status"],
  ["status=active&status=waiting", "query.status"],
  ["channel=web_widget", "query.channel"],
  ["channel=WHATSAPP", "query.channel"],
  ["channel=web&channel=facebook", "query.channel"],
  ["contact_id=0", "query.contact_id"],
  ["contact_id=-1", "query.contact_id"],
  ["contact_id=abc", "query.contact_id"],
  ["contact_id=", "query.contact_id"],
  ["contact_id=1&contact_id=2", "query.contact_id"],
  ["limit=0", "query.limit"],
  ["limit=101", "query.limit"],
  ["limit=", "query.limit"],
  ["offset=-1", "query.offset"],
  ["offset=x", "query.offset"],
])("the query %s is refused for %s", async (query, path) => {
  const answer = await list(query);
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  expect(answer.json.error.details).toMatchObject([{ path }]);
});

test("every wrong parameter is listed, and those of the Dashboard are unknown here", async () => {
  const answer = await list("status=x&channel=y&contact_id=z&limit=0&offset=-1");
  const details = answer.json.error.details as { path: string }[];
  expect(details.map(({ path }) => path).toSorted()).toEqual([
    "query.channel",
    "query.contact_id",
    "query.limit",
    "query.offset",
    "query.status",
  ]);
  const { meta } = await rowsOf("assigned_to_user_id=1&unread=true&search=x");
  expect(meta.total).toBe(120);
});

test("another account's conversations and contacts are in no list", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const id = await insertConversation(other.accountId, { contact_id: 99 });
  expect((await rowsOf("contact_id=99")).rows).toEqual([]);
  expect((await rowsOf("limit=1")).meta.total).toBe(120);
  const own = await list("", other.apiKey);
  expect((own.json.data as Row[]).map((row) => row.id)).toEqual([id]);
  expect((await list("contact_id=1", other.apiKey)).json.meta.total).toBe(0);
});

test("a message brings its conversation to the top, a status does not", async () => {
  const { dataSource } = fixture.database;
  const busy = await createTestAccount(dataSource);
  const [first, second] = [freshPhone(), freshPhone()];
  const one = (await receive(dataSource, busy.accountId, { from: first })).row;
  const two = (await receive(dataSource, busy.accountId, { from: second })).row;
  const top = async () => (await list("limit=1", busy.apiKey)).json.data[0];
  expect((await top()).id).toBe(two.conversationId);
  const status = { apiKey: busy.apiKey, body: { status: "waiting" } };
  await fixture.api.call("PATCH", `/api/v1/conversations/${one.conversationId}`, status);
  expect((await top()).id).toBe(two.conversationId);
  const { row } = await receive(dataSource, busy.accountId, { from: first });
  expect(await top()).toMatchObject({
    id: one.conversationId,
    last_message_at: row.createdAt.toISOString(),
  });
});

test("rows and total come from one snapshot while conversations are being opened", async () => {
  const busy = await createTestAccount(fixture.database.dataSource);
  const writes = Array.from({ length: 40 }, () =>
    fixture.api.call("POST", "/api/v1/conversations", {
      apiKey: busy.apiKey,
      body: { phone: freshPhone() },
    }),
  );
  const reads = Array.from({ length: 20 }, () => list("limit=100", busy.apiKey));
  for (const answer of await Promise.all(reads)) {
    expect(answer.json.data).toHaveLength(answer.json.meta.total);
  }
  const statuses = (await Promise.all(writes)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201]));
});
