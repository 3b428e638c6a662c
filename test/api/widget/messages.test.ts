import { expect, test } from "vitest";
import { createWidgetLimits } from "../../../api/widget/limits.ts";
import { publishAgent, updateAgent } from "../../../core/services/agent/profile.ts";
import { setBot } from "../../../core/services/conversations/conversations.ts";
import { asSystem } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTestWidget, openVisit, solveProof, type TestWidget } from "./widget-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));

/** The company writes, and the message leaves as the worker would send it. */
async function reply(
  { account }: TestWidget,
  conversationId: number,
  body: Record<string, unknown>,
  status = "sent",
): Promise<number> {
  const path = `/dashboard/api/conversations/${conversationId}/messages`;
  const { cookie } = account;
  const answer = await fixture.api.call("POST", path, { cookie, body });
  const { id } = answer.json.data;
  await fixture.query("UPDATE messages SET status = ? WHERE id = ?", [status, id]);
  return id;
}

async function conversationOf({ account }: TestWidget): Promise<number> {
  const sql = "SELECT id FROM conversations WHERE account_id = ? ORDER BY id DESC LIMIT 1";
  const [row] = await fixture.query<{ id: number }>(sql, [account.accountId]);
  return Number(row?.id);
}

test("the first message makes contact, conversation and events, once", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  const body = { client_id: "m-1", content: "Hola, ¿abren hoy?" };
  const first = await visitor.call("POST", "/messages", body);
  expect(first.status).toBe(201);
  expect(first.json.data).toMatchObject({
    client_id: "m-1",
    direction: "inbound",
    type: "text",
    content: body.content,
    author: null,
    status: "received",
  });
  const again = await visitor.call("POST", "/messages", body);
  expect([again.status, again.json.data]).toEqual([200, first.json.data]);
  expect(await widget.events()).toEqual([
    "contact.created",
    "conversation.created",
    "message.received",
  ]);
  const rows = await fixture.query<{ body: Buffer }>(
    "SELECT body FROM events WHERE account_id = ? ORDER BY id",
    [widget.account.accountId],
  );
  for (const event of rows) expect(JSON.parse(String(event.body)).data.channel).toBe("web_widget");
  const listed = await fixture.api.call("GET", "/api/v1/conversations", {
    apiKey: widget.account.apiKey,
  });
  expect(listed.json.data).toMatchObject([{ channel: "web", status: "active" }]);
  const [session] = await fixture.query("SELECT * FROM widget_sessions WHERE widget_id = ?", [
    widget.widgetId,
  ]);
  expect(session).toMatchObject({ conversation_id: await conversationOf(widget), made_contact: 1 });
  const changes = await fixture.query(
    "SELECT kind FROM changes WHERE account_id = ? AND kind = 'visitor.updated'",
    [widget.account.accountId],
  );
  expect(changes).toHaveLength(1);
});

test("50 posts of one client_id at once are one message", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  const body = { client_id: "same", content: "One" };
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => await visitor.call("POST", "/messages", body)),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => ![200, 201, 428, 429].includes(status))).toEqual([]);
  const { accountId } = widget.account;
  for (const table of ["messages", "conversations", "contacts"]) {
    const rows = await fixture.query(`SELECT id FROM ${table} WHERE account_id = ?`, [accountId]);
    expect([table, rows.length]).toEqual([table, 1]);
  }
  expect(await visitor.texts()).toEqual(["One"]);
});

test("the visitor reads what people, the AI agent and programs have sent, under their names", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const id = await conversationOf(widget);
  await reply(widget, id, { type: "text", content: "From a person" });
  const byAgent = await reply(widget, id, { type: "text", content: "From the agent" });
  await fixture.query(
    "UPDATE messages SET sender_type = 'ai', sender_user_id = NULL WHERE id = ?",
    [byAgent],
  );
  const sent = await fixture.api.call("POST", `/api/v1/conversations/${id}/messages`, {
    apiKey: widget.account.apiKey,
    body: { type: "text", content: "From a program" },
  });
  await fixture.query("UPDATE messages SET status = 'delivered' WHERE id = ?", [sent.json.data.id]);
  const { json } = await visitor.call("GET", "/messages");
  const company = widget.account.email;
  expect(
    json.data.messages.map(({ content, author }: Record<string, unknown>) => [content, author]),
  ).toEqual([
    ["Hi", null],
    ["From a person", { name: "Admin", is_ai: false }],
    ["From the agent", { name: company, is_ai: true }],
    ["From a program", { name: company, is_ai: false }],
  ]);
  expect(Object.keys(json.data.messages[1])).not.toContain("sender_user_id");
  const resumed = await openVisit(fixture, widget, { resume: visitor.resume });
  expect(resumed.begun.json.data).toMatchObject({ unread: 3, conversation: { id } });
});

/** Workflows of messages that the account's outbox has asked for. */
async function countSends({ account }: TestWidget): Promise<number> {
  const [row] = await fixture.query<{ n: number }>(
    "SELECT COUNT(*) AS n FROM outbox WHERE account_id = ? AND command->>'$.workflow' = 'sendMessage'",
    [account.accountId],
  );
  return Number(row?.n);
}

test("a text is with the visitor once it commits: no workflow sends it, and its event is there", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const id = await conversationOf(widget);
  const sent = await fixture.api.call("POST", `/api/v1/conversations/${id}/messages`, {
    apiKey: widget.account.apiKey,
    body: { type: "text", content: "At once" },
  });
  expect([sent.status, sent.json.data]).toMatchObject([201, { status: "sent" }]);
  expect(sent.json.data.sent_at).not.toBeNull();
  expect(await visitor.texts()).toEqual(["Hi", "At once"]);
  expect((await widget.events()).filter((type) => type === "message.sent")).toHaveLength(1);
  expect(await countSends(widget)).toBe(0);
});

test("a text behind a message that has not left waits for it, and so does one of a deleted chat", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const id = await conversationOf(widget);
  const post = async (content: string) => {
    const { cookie } = widget.account;
    const path = `/dashboard/api/conversations/${id}/messages`;
    const { json } = await fixture.api.call("POST", path, {
      cookie,
      body: { type: "text", content },
    });
    return json.data.status;
  };
  await reply(widget, id, { type: "text", content: "A file, say" }, "queued");
  expect(await post("Behind it")).toBe("queued");
  await fixture.query("UPDATE messages SET status = 'sent' WHERE conversation_id = ?", [id]);
  expect(await post("Free again")).toBe("sent");
  await fixture.query("UPDATE channel_accounts SET state = 'disconnected' WHERE id = ?", [
    widget.channelAccountId,
  ]);
  expect(await post("Nobody reads")).toBe("queued");
  expect(await countSends(widget)).toBe(2);
});

test("a message that waits, was cancelled by a pause, or failed is not shown", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const id = await conversationOf(widget);
  const waiting = await reply(widget, id, { type: "text", content: "Waits" }, "queued");
  await reply(widget, id, { type: "text", content: "Failed" }, "failed");
  await fixture.query("UPDATE messages SET sender_type = 'ai', bot_epoch = 0 WHERE id = ?", [
    waiting,
  ]);
  await fixture.query("UPDATE conversations SET bot_enabled = 1 WHERE id = ?", [id]);
  expect(await visitor.texts()).toEqual(["Hi"]);
  await asSystem(fixture.database.dataSource, widget.account.accountId, async (tx) => {
    await setBot(tx, id, { enabled: false });
  });
  const [row] = await fixture.query("SELECT status FROM messages WHERE id = ?", [waiting]);
  expect(row).toEqual({ status: "cancelled" });
  expect(await visitor.texts()).toEqual(["Hi"]);
});

test("pages go back in time, and end", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  for (const text of ["1", "2", "3", "4", "5"]) {
    expect([text, (await visitor.write(`Text ${text}`)).status]).toEqual([text, 201]);
  }
  const newest = await visitor.call("GET", "/messages?limit=2");
  const contents = (answer: typeof newest) =>
    answer.json.data.messages.map(({ content }: { content: string }) => content);
  expect(contents(newest)).toEqual(["Text 4", "Text 5"]);
  const before = newest.json.data.next_before_id;
  const older = await visitor.call("GET", `/messages?limit=3&before_id=${before}`);
  expect([contents(older), older.json.data.next_before_id]).toEqual([
    ["Text 1", "Text 2", "Text 3"],
    null,
  ]);
});

test("an option is answered by its id, and shows as chosen", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const id = await conversationOf(widget);
  const options = [
    { id: "day", title: "Tomorrow", description: "9:00" },
    { id: "later", title: "Next week" },
  ];
  const interactive = { kind: "buttons", body: "When?", options };
  const asked = await reply(widget, id, { type: "interactive", interactive });
  const [, shown] = (await visitor.call("GET", "/messages")).json.data.messages;
  expect(shown).toMatchObject({
    content: "When?",
    options: {
      kind: "buttons",
      choices: [options[0], { id: "later", title: "Next week", description: null }],
    },
  });
  const chosen = await visitor.call("POST", "/messages", { client_id: "c", option_id: "later" });
  expect([chosen.status, chosen.json.data]).toMatchObject([
    201,
    { type: "interactive", content: "Next week", option_id: "later", reply_to_message_id: asked },
  ]);
  const unknown = await visitor.call("POST", "/messages", { client_id: "d", option_id: "never" });
  expect([unknown.status, unknown.json.error.details[0].code]).toEqual([400, "unknown_option"]);
});

test("a session reads and answers its own conversation alone", async () => {
  const widget = await createTestWidget(fixture);
  const [visitor, other] = [await openVisit(fixture, widget), await openVisit(fixture, widget)];
  const foreign = await openVisit(fixture, await createTestWidget(fixture));
  const { json } = await visitor.write("Private");
  await other.write("Mine");
  for (const one of [other, foreign]) {
    expect(await one.texts()).not.toContain("Private");
    const page = await one.call("GET", `/messages?before_id=${json.data.id + 1}`);
    expect(JSON.stringify(page.json)).not.toContain("Private");
    const answer = { client_id: "r", content: "Re", reply_to_message_id: json.data.id };
    const refused = await one.call("POST", "/messages", answer);
    expect([refused.status, refused.json.error.details[0].code]).toEqual([400, "unknown_message"]);
  }
  const answer = { client_id: "r", content: "Re", reply_to_message_id: json.data.id };
  const own = await visitor.call("POST", "/messages", answer);
  expect(own.json.data.reply_to_message_id).toBe(json.data.id);
});

test("a closed chat, and one for known people alone, take no message", async () => {
  const closed = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, closed);
  await fixture.query("UPDATE channel_accounts SET state = 'disconnected' WHERE id = ?", [
    closed.channelAccountId,
  ]);
  const refused = await visitor.write("Hi");
  expect([refused.status, refused.json.error.code]).toEqual([422, "chat_closed"]);
  const known = await createTestWidget(fixture, { identityMode: "required" });
  const stranger = await (await openVisit(fixture, known)).write("Hi");
  expect([stranger.status, stranger.json.error.code]).toEqual([403, "identity_required"]);
  expect(await closed.events()).toEqual([]);
  expect(await known.events()).toEqual([]);
});

test("a session sends 5 messages at once, and an address begins 6 conversations", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  fixture.api.deps.widgetLimits = createWidgetLimits(() => 0);
  const statuses = [];
  for (let count = 0; count < 6; count += 1) {
    statuses.push((await visitor.write(`Text ${count}`)).status);
  }
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
  const begun = [];
  const sender = { "x-forwarded-for": "192.0.2.99" };
  for (let count = 0; count < 7; count += 1) {
    const one = await openVisit(fixture, widget);
    const body = { client_id: "a", content: "Hi" };
    const first = await one.call("POST", "/messages", body, sender);
    expect([count, first.status]).toEqual([count, count < 3 ? 201 : 428]);
    if (first.status === 201) continue;
    const proof = solveProof(first.json.error.details);
    begun.push(
      (await one.call("POST", "/messages", Object.assign({ proof }, body), sender)).status,
    );
  }
  expect(begun).toEqual([201, 201, 201, 429]);
});

test("a visitor's message wakes the AI agent as one of any channel does", async () => {
  const widget = await createTestWidget(fixture);
  const { accountId } = widget.account;
  await asSystem(fixture.database.dataSource, accountId, async (tx) => {
    await updateAgent(tx, { enabled: true });
    await publishAgent(tx);
  });
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Do you open on Sunday?");
  const sql = "SELECT conversation_id AS id FROM agent_conversations WHERE account_id = ?";
  expect(await fixture.query(sql, [accountId])).toEqual([{ id: await conversationOf(widget) }]);
});
