import { expect, test } from "vitest";
import { listConversations } from "../../../core/services/read-models/conversation-list.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { whileLocked } from "../../support/database.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let nextPhone = 34_700_000_000;

async function call(
  method: string,
  path: string,
  body?: unknown,
  { cookie }: TestAccount = fixture.account,
): Promise<TestAnswer> {
  return await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
}

/** A customer writes; @returns the conversation's id. */
async function write(
  text = "Hello",
  given: { from?: string; name?: string; channel?: string } = {},
  account = fixture.account,
): Promise<number> {
  const body = { channel: "whatsapp", from: String((nextPhone += 1)), text, ...given };
  const answer = await call("POST", "/sandbox/messages", body, account);
  expect(answer.status).toBe(201);
  return answer.json.data.conversation_id;
}

async function kindsOfNotes(id: number): Promise<string[]> {
  const { json } = await call("GET", `/conversations/${id}/notes`);
  return json.data.map(({ kind }: { kind: string }) => kind);
}

test("a customer's message stands at the top of the inbox, unseen, with who wrote what", async () => {
  await write("older");
  const id = await write("Do you have a table for two?", { name: "Ana Torres" });
  const list = await call("GET", "/conversations?limit=2");
  expect(list.json.meta).toEqual({
    total: expect.any(Number),
    total_at_least: false,
    limit: 2,
    offset: 0,
  });
  expect(list.json.data[0]).toMatchObject({
    id,
    channel: "whatsapp",
    status: "active",
    contact: { name: "Ana Torres" },
    unread_count: 1,
    handoff_at: null,
    last_message: {
      direction: "inbound",
      status: "received",
      sender_type: "contact",
      preview: "Do you have a table for two?",
    },
  });
  expect((await call("GET", `/conversations/${id}`)).json.data).toMatchObject({
    id,
    unread_count: 1,
    contact: { name: "Ana Torres" },
  });
});

test("a search finds the text of recent messages, in its own account and filters", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const found = async (query: string, who = own) => {
    const { json } = await call("GET", `/conversations?${query}`, undefined, who);
    expect(json.meta.total).toBe(json.data.length);
    return json.data.map(({ id }: { id: number }) => id);
  };
  const from = "5215533334444";
  const asked = await write("A table at the café, 100% sure", { from, name: "Eva" }, own);
  const other = await write("Hello", { channel: "web", from: "visitor-9", name: "Table Eva" }, own);
  await write("And a second line", { from, name: "Eva" }, own);
  expect(await found("search=at%20the%20CAFE")).toEqual([asked]);
  expect(await found("search=table")).toEqual([asked, other]);
  expect(await found("search=table&channel=web")).toEqual([other]);
  expect(await found("search=100%25%20sure")).toEqual([asked]);
  expect(await found("search=0%25e")).toEqual([]);
  expect(await found("search=table", await createTestAccount(fixture.database.dataSource))).toEqual(
    [],
  );
});

test("a search that takes too long in messages still finds contacts", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const asked = await write("A table", { name: "Table Eva" }, own);
  await write("A table too", { name: "Max" }, own);
  const { dataSource } = fixture.database;
  await whileLocked(dataSource, "messages", async () => {
    const page = { search: "table", limit: 10, offset: 0 };
    const { rows } = await asSystem(dataSource, own.accountId, (tx) => listConversations(tx, page));
    expect(rows.map(({ id }) => id)).toEqual([asked]);
  });
});

test("the inbox is narrowed by status, channel, assignee, unseen messages and a search", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const on = async (query: string) => {
    const { status, json } = await call("GET", `/conversations?${query}`, undefined, own);
    expect(status).toBe(200);
    expect(json.meta.total).toBe(json.data.length);
    return json.data.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b);
  };
  const ana = await write("a", { from: "5215511112222", name: "Ana_Torres" }, own);
  const web = await write("b", { channel: "web", from: "visitor-7", name: "Benito" }, own);
  await call("POST", `/conversations/${web}/assign`, { user_id: own.userId }, own);
  await call("POST", `/conversations/${ana}/bot`, { enabled: false }, own);
  await call("POST", `/conversations/${ana}/read`, {}, own);
  expect(await on("")).toEqual([ana, web]);
  expect(await on("status=handed_off")).toEqual([ana]);
  expect(await on("channel=web")).toEqual([web]);
  expect(await on("assigned_to=me")).toEqual([web]);
  expect(await on("assigned_to=nobody")).toEqual([ana]);
  expect(await on(`assigned_to=${own.userId}`)).toEqual([web]);
  expect(await on("unread=true")).toEqual([web]);
  expect(await on("search=ana_t")).toEqual([ana]);
  expect(await on("search=1111%202222")).toEqual([ana]);
  expect(await on("search=anaXt")).toEqual([]);
  expect(await on("search=&status=active&channel=web&unread=true")).toEqual([web]);
  expect(await on("open=true")).toEqual([ana, web]);
  await call("PATCH", `/conversations/${web}`, { status: "resolved" }, own);
  expect(await on("open=true")).toEqual([ana]);
  expect(await on("open=true&channel=web")).toEqual([]);
  expect(await on("open=true&assigned_to=me")).toEqual([]);
  expect(await on("open=true&status=resolved")).toEqual([]);
  expect(await on("open=false")).toEqual([ana, web]);
});

test.each([
  "status=open",
  "channel=web_widget",
  "assigned_to=someone",
  "unread=1",
  "open=1",
  "limit=0",
])("%s is refused with 400", async (query) => {
  const answer = await call("GET", `/conversations?${query}`);
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
});

test("a person's reply goes out under their name, clears what was unseen and pauses the agent", async () => {
  const id = await write();
  const answer = await call("POST", `/conversations/${id}/messages`, { content: "Yes, at eight." });
  expect(answer.status).toBe(201);
  expect(answer.json.data).toMatchObject({
    status: "queued",
    sender_type: "user",
    sender_user_id: fixture.account.userId,
    sent_by_bot: false,
  });
  expect((await call("GET", `/conversations/${id}`)).json.data).toMatchObject({
    status: "handed_off",
    bot_enabled: false,
    unread_count: 0,
    handoff: { reason: "human_reply", source: "panel", actor_user_id: fixture.account.userId },
  });
});

test("an account may let people write without pausing the agent", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  await fixture.query("UPDATE accounts SET settings = ? WHERE id = ?", [
    JSON.stringify({ pause_on_human_reply: false }),
    own.accountId,
  ]);
  const id = await write("Hello", {}, own);
  await call("POST", `/conversations/${id}/messages`, { content: "Hi" }, own);
  expect((await call("GET", `/conversations/${id}`, undefined, own)).json.data).toMatchObject({
    status: "active",
    bot_enabled: true,
  });
});

test("pausing, taking up again and closing leave their notes, with the reason", async () => {
  const id = await write();
  await call("POST", `/conversations/${id}/bot`, { enabled: false, reason: "asked for a person" });
  await call("POST", `/conversations/${id}/bot`, { enabled: true });
  const closed = await call("PATCH", `/conversations/${id}`, { status: "resolved" });
  expect(closed.json.data).toMatchObject({ status: "resolved", bot_enabled: true, handoff: null });
  expect(await kindsOfNotes(id)).toEqual(["status_changed", "bot_enabled", "handed_off"]);
  const { json } = await call("GET", `/conversations/${id}/notes`);
  expect(json.data[2]).toMatchObject({
    text: "asked for a person",
    params: { from: "active", to: "handed_off" },
    user_id: fixture.account.userId,
  });
});

test("a conversation is assigned to members of its account alone, and doing it again changes nothing", async () => {
  const id = await write();
  const stranger = await createTestAccount(fixture.database.dataSource);
  const refused = await call("POST", `/conversations/${id}/assign`, { user_id: stranger.userId });
  expect(refused.json.error.details).toEqual([
    {
      path: "body.user_id",
      code: "unknown_user",
      message: "Name a member of this account, or null.",
    },
  ]);
  const { userId } = fixture.account;
  for (let time = 0; time < 2; time += 1) {
    const { json } = await call("POST", `/conversations/${id}/assign`, { user_id: userId });
    expect(json.data.assigned_to_user_id).toBe(userId);
  }
  await call("POST", `/conversations/${id}/assign`, { user_id: null });
  expect(await kindsOfNotes(id)).toEqual(["assigned", "assigned"]);
});

test("notes are for the account's people: no message, no event", async () => {
  const id = await write();
  const before = await fixture.count("messages", "events");
  const note = await call("POST", `/conversations/${id}/notes`, { text: "Prefers the terrace" });
  expect(note.status).toBe(201);
  expect(note.json.data).toMatchObject({ kind: "note", text: "Prefers the terrace" });
  expect(await fixture.count("messages", "events")).toEqual(before);
  const empty = await call("POST", `/conversations/${id}/notes`, { text: "  " });
  expect(empty.status).toBe(400);
});

test("a note that is sent again under its id is no second one", async () => {
  const id = await write();
  const send = (text: string) =>
    call("POST", `/conversations/${id}/notes`, { text, external_id: "n-1" });
  const [first, ...others] = (
    await Promise.all([send("Once"), send("Once"), send("Once")])
  ).toSorted((one, other) => other.status - one.status);
  expect([first?.status, ...others.map(({ status }) => status)]).toEqual([201, 200, 200]);
  for (const { json } of others) expect(json.data).toEqual(first?.json.data);
  expect(await kindsOfNotes(id)).toEqual(["note"]);
  const elsewhere = await write("Hello", { from: "5215599990000" });
  const same = { text: "Once", external_id: "n-1" };
  expect((await call("POST", `/conversations/${elsewhere}/notes`, same)).status).toBe(201);
  const odd = await call("POST", `/conversations/${id}/notes`, { text: "x", external_id: "a b" });
  expect(odd.json.error.details).toMatchObject([{ path: "body.external_id" }]);
});

test("messages page back in time to the first one", async () => {
  const from = "5215533334444";
  const id = await write("1", { from });
  for (const text of ["2", "3", "4", "5"]) await write(text, { from });
  const texts: string[] = [];
  let before = "";
  for (;;) {
    const { json } = await call("GET", `/conversations/${id}/messages?limit=2${before}`);
    expect(json.meta.total).toBe(5);
    texts.push(...json.data.map(({ content }: { content: string }) => content));
    if (json.meta.next === null) break;
    before = `&before_id=${json.meta.next}`;
  }
  expect(texts).toEqual(["5", "4", "3", "2", "1"]);
});

const onOne = [
  ["GET", "", undefined],
  ["PATCH", "", { status: "active" }],
  ["GET", "/messages", undefined],
  ["POST", "/messages", { content: "x" }],
  ["GET", "/notes", undefined],
  ["POST", "/notes", { text: "x" }],
  ["POST", "/bot", { enabled: true }],
  ["POST", "/assign", { user_id: null }],
  ["POST", "/read", {}],
] as const;

test.each(onOne)(
  "%s /conversations/:id%s of another account reads as unknown and changes nothing",
  async (method, path, body) => {
    const id = await write();
    const stranger = await createTestAccount(fixture.database.dataSource);
    const before = await checksum(fixture);
    const headers = { "X-Request-Id": "fixed" };
    const [foreign, unknown] = await Promise.all(
      [id, 987_654_321].map((one) =>
        fixture.api.call(method, `/dashboard/api/conversations/${one}${path}`, {
          cookie: stranger.cookie,
          headers,
          body,
        }),
      ),
    );
    expect(foreign?.status).toBe(404);
    expect(foreign?.text).toBe(unknown?.text);
    expect(await checksum(fixture)).toBe(before);
  },
);

test("the sandbox takes a phone on WhatsApp and any word elsewhere, and stays in its account", async () => {
  const refused = await call("POST", "/sandbox/messages", {
    channel: "whatsapp",
    from: "ana",
    text: "x",
  });
  expect(refused.json.error.details[0]).toMatchObject({ path: "body.from", code: "invalid_phone" });
  const spelled = await call("POST", "/sandbox/messages", {
    channel: "web_widget",
    from: "ana",
    text: "x",
  });
  expect(spelled.status).toBe(400);
  await fixture.query(
    "UPDATE channel_accounts SET driver = 'other' WHERE account_id = ? AND channel = 'facebook'",
    [fixture.account.accountId],
  );
  const gone = await call("POST", "/sandbox/messages", {
    channel: "facebook",
    from: "a",
    text: "x",
  });
  expect([gone.status, gone.json.error.code]).toEqual([422, "channel_not_connected"]);
});

test("every change of a conversation that live views learn of names its contact", async () => {
  const id = await write();
  await call("POST", `/conversations/${id}/bot`, { enabled: false });
  await call("POST", `/conversations/${id}/assign`, { user_id: fixture.account.userId });
  await call("POST", `/conversations/${id}/notes`, { text: "Call back." });
  const { json } = await call("GET", `/conversations/${id}`);
  const changes = await fixture.query<{ kind: string; contact_id: number | null }>(
    "SELECT kind, contact_id FROM changes WHERE conversation_id = ?",
    [id],
  );
  const told = changes.filter(({ kind }) => !kind.startsWith("notification"));
  expect(new Set(told.map(({ kind }) => kind))).toContain("note.created");
  expect(new Set(told.map((one) => one.contact_id))).toEqual(new Set([json.data.contact_id]));
});
