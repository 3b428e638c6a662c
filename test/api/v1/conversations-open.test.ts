import { expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import {
  connectWhatsApp,
  disconnectWhatsApp,
  receive,
  tracesOf,
} from "../../support/conversations.ts";
import { connectWithTemplates } from "../../support/templates.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { samples } from "../../core/channels/meta/template-samples.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(startApiFixture);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

type Account = Pick<TestAccount, "accountId" | "apiKey">;

const call = async (method: string, path: string, body?: unknown, account?: Account) =>
  await fixture.api.call(method, `/api/v1${path}`, {
    apiKey: (account ?? fixture.account).apiKey,
    body,
  });
const open = async (body: object, account?: Account) =>
  await call("POST", "/conversations", body, account);
const traces = async <T>(work: () => Promise<T>, account: Account = fixture.account) =>
  await tracesOf(fixture.database.dataSource, account.accountId, work);

/** An account whose WhatsApp number has a window. */
async function accountWithWindow(): Promise<TestAccount> {
  const account = await createTestAccount(fixture.database.dataSource);
  await connectWhatsApp(fixture.database.dataSource, account.accountId);
  return account;
}

test("a new phone gets a contact and a conversation, made known in that order", async () => {
  const phone = freshPhone();
  const done = await traces(() => open({ phone: `+${phone}`, name: " Ana " }));
  const { status, json } = done.result;
  expect(status).toBe(201);
  const { id, contact_id, contact } = json.data;
  const read = await call("GET", `/conversations/${id}`);
  expect(json.data).toStrictEqual({ ...read.json.data, created: true, initial_message: null });
  expect(contact).toMatchObject({ id: contact_id, name: "Ana", phone, whatsapp_id: phone });
  const at = json.data.created_at;
  expect(done.events).toStrictEqual([
    {
      type: "contact.created",
      data: {
        contact_id,
        name: "Ana",
        phone,
        email: null,
        channel: "whatsapp",
        instagram_id: null,
        facebook_id: null,
        tags: [],
        created_at: at,
        updated_at: at,
        source: "api",
        conversation_id: id,
        whatsapp_id: phone,
      },
      at,
    },
    {
      type: "conversation.created",
      data: {
        conversation_id: id,
        contact_id,
        channel: "whatsapp",
        status: "active",
        bot_enabled: true,
        assigned_to_user_id: null,
        source: "api",
        created_at: at,
      },
      at,
    },
  ]);
  expect(done.commands).toEqual([]);
});

test("a contact without conversation gets its first one, and keeps the name it has", async () => {
  const phone = freshPhone();
  const contact = await call("POST", "/contacts", { phone, name: "Ana" });
  const done = await traces(() => open({ phone, name: "Somebody else" }));
  expect(done.result.status).toBe(201);
  expect(done.result.json.data.contact).toEqual({
    ...contact.json.data,
    whatsapp_id: phone,
    updated_at: done.result.json.data.created_at,
  });
  expect(done.events.map(({ type }) => type)).toEqual(["conversation.created", "contact.updated"]);
});

test("a contact without a name does not get one either: a name is for new contacts", async () => {
  const phone = freshPhone();
  await call("POST", "/contacts", { phone });
  expect((await open({ phone, name: "Ana" })).json.data.contact.name).toBe(phone);
});

test("a new conversation has the AI agent where the channel has it by default", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  await fixture.query("UPDATE channel_accounts SET bot_default = 0 WHERE account_id = ?", [
    account.accountId,
  ]);
  const done = await traces(() => open({ phone: freshPhone() }, account), account);
  expect(done.result.json.data).toMatchObject({ status: "active", bot_enabled: false });
  expect(done.events[1]?.data).toMatchObject({ status: "active", bot_enabled: false });
});

test.each([
  ["active", "active"],
  ["waiting", "active"],
  ["resolved", "active"],
  ["handed_off", "handed_off"],
])("a conversation that is %s is used again and is %s", async (before, after) => {
  const phone = freshPhone();
  const { id } = (await open({ phone })).json.data;
  if (before === "handed_off") await call("POST", `/conversations/${id}/bot`, { enabled: false });
  else await call("PATCH", `/conversations/${id}`, { status: before });
  const rows = await fixture.count("contacts", "conversations");
  const again = await open({ phone });
  expect([again.status, again.json.data.id]).toEqual([200, id]);
  expect(again.json.data).toMatchObject({ status: after, created: false, initial_message: null });
  expect(await fixture.count("contacts", "conversations")).toEqual(rows);
});

test("of several conversations the newest one is used", async () => {
  const phone = freshPhone();
  const first = (await open({ phone })).json.data;
  await fixture.query(
    `INSERT INTO conversations (account_id, contact_id, channel_account_id, channel,
                                customer_external_id, status, bot_enabled, sort_at)
     SELECT account_id, contact_id, channel_account_id, channel, customer_external_id, 'resolved', 1,
            sort_at - INTERVAL 1 DAY
       FROM conversations WHERE id = ?`,
    [first.id],
  );
  const again = (await open({ phone })).json.data;
  expect(again.id).toBeGreaterThan(first.id);
  expect(again.status).toBe("active");
});

test.each([
  ["5215511113333", "525511113333", "Mexico's 1 after 52"],
  ["5491144446666", "541144446666", "Argentina's 9 after 54"],
  ["5511987650000", "551187650000", "Brazil's ninth digit"],
])("%s and %s reach one conversation (%s)", async (first, second) => {
  const made = await open({ phone: first });
  const again = await open({ phone: second });
  expect([made.status, again.status]).toEqual([201, 200]);
  expect(again.json.data.id).toBe(made.json.data.id);
  expect(again.json.data.contact.phone).toBe(first);
});

test("the phone that WhatsApp knows a contact by finds it, also after its own phone has changed", async () => {
  const phone = freshPhone();
  const { dataSource } = fixture.database;
  const { row } = await receive(dataSource, fixture.account.accountId, { from: phone });
  await call("PATCH", `/contacts/${row.contactId}`, { phone: freshPhone() });
  const again = await open({ phone });
  expect([again.status, again.json.data.id]).toEqual([200, row.conversationId]);
});

test("a national variant of the phone that WhatsApp knows a contact by finds it too", async () => {
  const { dataSource } = fixture.database;
  const { row } = await receive(dataSource, fixture.account.accountId, { from: "5215511114444" });
  await call("PATCH", `/contacts/${row.contactId}`, { phone: freshPhone() });
  const again = await open({ phone: "525511114444" });
  expect([again.status, again.json.data.id]).toEqual([200, row.conversationId]);
});

test("of a merged contact the conversation with the phone is used, and the newer one keeps its phone", async () => {
  const [older, newer] = [freshPhone(), freshPhone()];
  const first = (await open({ phone: older })).json.data;
  const second = (await open({ phone: newer })).json.data;
  const merged = await fixture.api.call(
    "POST",
    `/dashboard/api/contacts/${first.contact_id}/merge`,
    { cookie: fixture.account.cookie, body: { into_contact_id: second.contact_id } },
  );
  expect(merged.status).toBe(200);
  expect((await open({ phone: older })).json.data.id).toBe(first.id);
  expect((await open({ phone: newer })).json.data.id).toBe(second.id);
  const sql = "SELECT customer_external_id AS phone FROM conversations WHERE id IN (?) ORDER BY id";
  const rows = await fixture.query(sql, [[first.id, second.id]]);
  expect(rows).toEqual([{ phone: older }, { phone: newer }]);
});

test("a phone that has not written has no open window, though the contact wrote from another one", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  await connectWithTemplates(fixture.database.dataSource, account.accountId, [samples.greeting]);
  const from = freshPhone();
  const { row } = await receive(fixture.database.dataSource, account.accountId, { from });
  const phone = freshPhone();
  await call("PATCH", `/contacts/${row.contactId}`, { phone }, account);
  const body = { initial_message: "Hola", template: { name: "hi", language: "es_MX" } };
  const same = await open({ ...body, phone: from }, account);
  expect(same.json.data.initial_message.type).toBe("text");
  const other = await open({ ...body, phone }, account);
  expect(other.json.data).toMatchObject({
    id: row.conversationId,
    messaging_window: { open: false },
    initial_message: { type: "template" },
  });
});

test("a phone keeps its open window while the conversation is with another one", async () => {
  const { dataSource } = fixture.database;
  const account = await accountWithWindow();
  const [first, second] = [freshPhone(), freshPhone()];
  const { row } = await receive(dataSource, account.accountId, { from: first });
  await call("PATCH", `/contacts/${row.contactId}`, { phone: second }, account);
  const windowOf = async (phone: string) => {
    const { json } = await open({ phone }, account);
    expect(json.data.id).toBe(row.conversationId);
    return json.data.messaging_window;
  };
  const before = await windowOf(first);
  expect(before).toMatchObject({ open: true });
  expect(await windowOf(second)).toMatchObject({ open: false, expires_at: null });
  expect(await windowOf(first)).toEqual(before);
  // The second phone writes, which opens a window of its own.
  await receive(dataSource, account.accountId, { from: second });
  expect(await windowOf(second)).toMatchObject({ open: true });
  expect(await windowOf(first)).toEqual(before);
});

test("a conversation that is opened again owes no answer from before it was resolved", async () => {
  const phone = freshPhone();
  const { row } = await receive(fixture.database.dataSource, fixture.account.accountId, {
    from: phone,
  });
  const path = `/conversations/${row.conversationId}`;
  await call("PATCH", path, { status: "resolved" });
  expect((await open({ phone })).json.data).toMatchObject({ id: row.conversationId });
  const sql = "SELECT status, customer_waits_since FROM conversations WHERE id = ?";
  const rows = await fixture.query(sql, [row.conversationId]);
  expect(rows).toEqual([{ status: "active", customer_waits_since: null }]);
});

test("an initial message outdates the draft of the agent", async () => {
  const phone = freshPhone();
  const { id, contact_id } = (await open({ phone })).json.data;
  await fixture.query(
    `INSERT INTO agent_drafts SET account_id = ?, conversation_id = ?, open_conversation_id = ?,
        contact_id = ?, turn_id = ?, source = 'automatic', text = 'Hi', proposals = '[]',
        state = 'open'`,
    [fixture.account.accountId, id, id, contact_id, id],
  );
  const stateOf = async () =>
    await fixture.query("SELECT state FROM agent_drafts WHERE conversation_id = ?", [id]);
  await open({ phone });
  expect(await stateOf()).toEqual([{ state: "open" }]);
  await open({ phone, initial_message: "Your order is ready" });
  expect(await stateOf()).toEqual([{ state: "stale" }]);
});

test("a conversation on another channel is left alone", async () => {
  const phone = freshPhone();
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const visit = await receive(dataSource, accountId, { channel: "web", from: `visitor-${phone}` });
  await call("PATCH", `/contacts/${visit.row.contactId}`, { phone });
  const opened = await open({ phone });
  expect(opened.status).toBe(201);
  expect(opened.json.data).toMatchObject({ contact_id: visit.row.contactId, channel: "whatsapp" });
});

test("an initial message is recorded, asked to be sent and shown", async () => {
  const phone = freshPhone();
  for (const status of [201, 200]) {
    const done = await traces(() => open({ phone, initial_message: "Hola, ¿en qué ayudo?" }));
    const { json } = done.result;
    expect(done.result.status).toBe(status);
    const message = json.data.initial_message;
    expect(message).toMatchObject({
      conversation_id: json.data.id,
      contact_id: json.data.contact_id,
      direction: "outbound",
      type: "text",
      content: "Hola, ¿en qué ayudo?",
      sender_type: "api",
      status: "queued",
      error: null,
      created_at: timestamp,
      sent_at: null,
    });
    expect(json.data.last_message_at).toBe(message.created_at);
    expect(done.commands.map(({ workflowId }) => workflowId)).toEqual([`message-${message.id}`]);
    // It is known as sent once the channel has it.
    expect(done.events.filter(({ type }) => type.startsWith("message."))).toEqual([]);
    const list = await call("GET", `/conversations/${json.data.id}/messages?limit=1`);
    expect(list.json.data).toEqual([message]);
  }
});

test("a text that the window forbids becomes a failed message, and opening succeeds", async () => {
  const account = await accountWithWindow();
  const phone = freshPhone();
  for (const status of [201, 200]) {
    const done = await traces(() => open({ phone, initial_message: "Hola" }, account), account);
    expect(done.result.status).toBe(status);
    const { data } = done.result.json;
    expect(data.messaging_window).toEqual({
      open: false,
      expires_at: null,
      human_expires_at: null,
    });
    expect(data.initial_message).toMatchObject({
      content: "Hola",
      status: "failed",
      error: { code: "messaging_window_closed", provider_code: null },
      sent_at: null,
    });
    expect(done.commands).toEqual([]);
  }
});

test("a template goes in place of the text where the window is closed, the text where it is open", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  await connectWithTemplates(fixture.database.dataSource, account.accountId, [samples.greeting]);
  const phone = freshPhone();
  const body = { phone, initial_message: "Hola", template: { name: "hi", language: "es_MX" } };
  const closed = await traces(() => open(body, account), account);
  const sent = closed.result.json.data.initial_message;
  const content = "Hola de la clínica";
  expect(sent).toMatchObject({ type: "template", content, status: "queued", error: null });
  expect(closed.commands.map(({ workflowId }) => workflowId)).toEqual([`message-${sent.id}`]);
  const [row] = await fixture.query("SELECT template FROM messages WHERE id = ?", [sent.id]);
  expect(row).toEqual({ template: { ...body.template, params: [] } });

  await receive(fixture.database.dataSource, account.accountId, { from: phone });
  const opened = await open(body, account);
  expect(opened.json.data.messaging_window).toEqual({
    open: true,
    expires_at: timestamp,
    human_expires_at: null,
  });
  expect(opened.json.data.initial_message).toMatchObject({ type: "text", status: "queued" });

  const alone = await open({ phone, template: body.template }, account);
  expect(alone.json.data.initial_message).toMatchObject({ type: "template", status: "queued" });
});

test("without a WhatsApp number it is 422 and nothing is written", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  await disconnectWhatsApp(fixture.database.dataSource, account.accountId);
  const phone = freshPhone();
  const before = await fixture.count("contacts", "conversations", "events", "outbox", "changes");
  const answer = await open({ phone, initial_message: "Hola" }, account);
  expect([answer.status, answer.json.error.code]).toEqual([422, "channel_not_connected"]);
  expect(await fixture.count("contacts", "conversations", "events", "outbox", "changes")).toEqual(
    before,
  );
});

test("20 calls at once for a new phone make one contact and one conversation", async () => {
  const phone = freshPhone();
  const before = await fixture.count("contacts", "conversations", "messages");
  const done = await traces(() =>
    Promise.all(Array.from({ length: 20 }, () => open({ phone, initial_message: "Hola" }))),
  );
  const statuses = done.result.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
  expect(done.events.map(({ type }) => type)).toEqual(["contact.created", "conversation.created"]);
  expect(new Set(done.result.map(({ json }) => json.data.id)).size).toBe(1);
  expect(await fixture.count("contacts", "conversations", "messages")).toEqual({
    contacts: Number(before["contacts"]) + 1,
    conversations: Number(before["conversations"]) + 1,
    messages: Number(before["messages"]) + 20,
  });
});

test("20 calls at once for a contact without conversation make one conversation", async () => {
  const phone = freshPhone();
  await call("POST", "/contacts", { phone });
  const done = await traces(() => Promise.all(Array.from({ length: 20 }, () => open({ phone }))));
  const statuses = done.result.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
  expect(done.events.map(({ type }) => type)).toEqual(["conversation.created", "contact.updated"]);
  expect(new Set(done.result.map(({ json }) => json.data.id)).size).toBe(1);
});

test("two accounts hold conversations with the same phone without ever meeting", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const phone = freshPhone();
  const mine = (await open({ phone, name: "Mine" })).json.data;
  const theirs = await open({ phone, name: "Theirs" }, other);
  expect(theirs.status).toBe(201);
  expect(theirs.json.data.id).not.toBe(mine.id);
  expect(theirs.json.data.contact.name).toBe("Theirs");
});

test("Idempotency-Key opens and writes once, and the repetition reads the first answer", async () => {
  const phone = freshPhone();
  const send = async (body: object) =>
    await fixture.api.call("POST", "/api/v1/conversations", {
      apiKey: fixture.account.apiKey,
      headers: { "idempotency-key": `open-${phone}` },
      body: { phone, ...body },
    });
  const first = await send({ initial_message: "Hola" });
  const before = await checksum(fixture);
  const again = await send({ initial_message: "Hola" });
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  const other = await send({ initial_message: "Adiós" });
  expect([other.status, other.json.error.code]).toEqual([422, "idempotency_key_reused"]);
  expect(await checksum(fixture)).toBe(before);
});
