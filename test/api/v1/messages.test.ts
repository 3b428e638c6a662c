import { expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { receive, tracesOf } from "../../support/conversations.ts";
import { connectWithTemplates } from "../../support/templates.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { samples } from "../../core/channels/meta/template-samples.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(startApiFixture);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const call = async (
  method: string,
  path: string,
  body?: unknown,
  { apiKey, headers = {} }: { apiKey?: string; headers?: Record<string, string> } = {},
) =>
  await fixture.api.call(method, `/api/v1${path}`, {
    apiKey: apiKey ?? fixture.account.apiKey,
    headers,
    body,
  });
const traces = async <T>(work: () => Promise<T>) =>
  await tracesOf(fixture.database.dataSource, fixture.account.accountId, work);

async function open(account: Pick<TestAccount, "apiKey"> = fixture.account) {
  const phone = freshPhone();
  const { data } = (await call("POST", "/conversations", { phone }, account)).json;
  const { id, contact_id } = data as { id: number; contact_id: number };
  return { id, contact_id, phone, path: `/conversations/${id}/messages` };
}

test("a message is recorded, asked to be sent, and moves its conversation up", async () => {
  const { id, contact_id, path } = await open();
  const done = await traces(() => call("POST", path, { content: "Hola" }));
  expect(done.result.status).toBe(201);
  const { data } = done.result.json;
  expect(done.result.json).toStrictEqual({
    success: true,
    data: {
      id: expect.any(Number),
      conversation_id: id,
      contact_id,
      direction: "outbound",
      channel: "whatsapp",
      type: "text",
      content: "Hola",
      has_media: false,
      media: null,
      attachments: [],
      interactive: null,
      reactions: [],
      referral: null,
      reply_to_message_id: null,
      sender_type: "api",
      sender_user_id: null,
      sent_by_bot: false,
      status: "queued",
      error: null,
      external_id: null,
      created_at: timestamp,
      sent_at: null,
      delivered_at: null,
      read_at: null,
      edited_at: null,
      deleted_at: null,
    },
  });
  expect(Object.keys(data)).toEqual(
    "id conversation_id contact_id direction channel type content has_media media attachments interactive reactions referral reply_to_message_id sender_type sender_user_id sent_by_bot status error external_id created_at sent_at delivered_at read_at edited_at deleted_at".split(
      " ",
    ),
  );
  // message.sent follows once the channel has it.
  expect(done.events).toEqual([]);
  expect(done.commands).toStrictEqual([
    {
      op: "start",
      workflow: "sendMessage",
      workflowId: `message-${data.id}`,
      taskQueue: "conversations",
      input: { accountId: fixture.account.accountId, messageId: data.id, inTask: true },
      summary: `message ${data.id} over whatsapp`,
      conversationId: id,
    },
  ]);
  const conversation = (await call("GET", `/conversations/${id}`)).json.data;
  expect(conversation).toMatchObject({
    last_message_at: data.created_at,
    status: "active",
    bot_enabled: true,
  });
  const list = await call("GET", path);
  expect(list.json).toStrictEqual({
    success: true,
    data: [data],
    meta: { total: 1, limit: 50, next_before_id: null },
  });
});

test.each(["image", "audio", "video", "document"])(
  "%s goes with its URL and caption",
  async (type) => {
    const { path } = await open();
    const media_url = "https://files.example/a?b=1";
    const sent = await call("POST", path, { type, media_url, content: "caption" });
    expect(sent.json.data).toMatchObject({
      type,
      content: "caption",
      has_media: true,
      media: { url: media_url, mime_type: null },
    });
    const bare = await call("POST", path, { type, media_url });
    expect(bare.json.data).toMatchObject({ content: null, has_media: true });
  },
);

test("a template is stored with its parameters and has no text of its own", async () => {
  const { path } = await open();
  const template = { name: "hello\ud800", language: "es_MX", params: ["Ana", "\udc00"] };
  const sent = await call("POST", path, { type: "template", template });
  expect([sent.status, sent.json.data.type, sent.json.data.content]).toEqual([
    201,
    "template",
    null,
  ]);
  const [row] = await fixture.query("SELECT template FROM messages WHERE id = ?", [
    sent.json.data.id,
  ]);
  expect(row).toEqual({
    template: { name: "hello\ufffd", language: "es_MX", params: ["Ana", "\ufffd"] },
  });
});

test("text of any script, and a URL that is no text, are stored or refused, never a fault", async () => {
  const { path } = await open();
  const content = "Ñ 日本 👩‍👩‍👧 \u0000\u202e\u2028 <script>";
  expect((await call("POST", path, { content })).json.data.content).toBe(content);
  const lone = await call("POST", path, { content: "a\ud800b" });
  expect(lone.json.data.content).toBe("a\ufffdb");
  const media_url = "https://files.example/\ud800";
  const media = await call("POST", path, { type: "image", media_url });
  expect([media.status, media.json.data.media.url]).toEqual([201, "https://files.example/\ufffd"]);
  const whole = "😀".repeat(2_048);
  expect((await call("POST", path, { content: whole })).json.data.content).toBe(whole);
});

test.each<[object, string[]]>([
  [{}, ["body.content required"]],
  [{ content: "" }, ["body.content too_small"]],
  [{ content: "  " }, ["body.content invalid_value"]],
  [{ content: "x".repeat(4_097) }, ["body.content too_big"]],
  [{ content: "x", media_url: "https://x.example/a" }, ["body.media_url not_allowed"]],
  [{ type: "image", content: "caption" }, ["body.media_url required"]],
  [{ type: "template", content: "x" }, ["body.content not_allowed", "body.template required"]],
  [{ type: "image", media_url: "http://x.example/a" }, ["body.media_url invalid_format"]],
  [{ type: "fax", content: "x" }, ["body.type invalid_value"]],
  [{ content: "x", external_id: "a b" }, ["body.external_id invalid_format"]],
  [{ content: "x", sender_type: "ai" }, ["body.sender_type unknown_field"]],
  [{ content: "x", status: "sent" }, ["body.status unknown_field"]],
])("the body %j is refused and nothing is written", async (body, issues) => {
  const { path } = await open();
  const before = await checksum(fixture);
  const answer = await call("POST", path, body);
  expect([answer.status, answer.json.error?.code]).toEqual([400, "validation_error"]);
  const details = answer.json.error.details as { path: string; code: string }[];
  expect(details.map((one) => `${one.path} ${one.code}`)).toEqual(issues);
  expect(await checksum(fixture)).toBe(before);
});

test("a reply names a message of the same conversation, any other is refused", async () => {
  const here = await open();
  const there = await open();
  const first = (await call("POST", here.path, { content: "one" })).json.data;
  const reply = await call("POST", here.path, { content: "two", reply_to_message_id: first.id });
  expect([reply.status, reply.json.data.reply_to_message_id]).toEqual([201, first.id]);
  for (const reply_to_message_id of [first.id, 999_999_999, Number.MAX_SAFE_INTEGER]) {
    const before = await checksum(fixture);
    const answer = await call("POST", there.path, { content: "x", reply_to_message_id });
    expect([answer.status, answer.json.error.details]).toEqual([
      400,
      [
        {
          path: "body.reply_to_message_id",
          code: "unknown_message",
          message: "Name a message of this conversation.",
        },
      ],
    ]);
    expect(await checksum(fixture)).toBe(before);
  }
});

test("an external_id that the conversation knows answers the first message, whatever else is sent", async () => {
  const { path } = await open();
  const first = await call("POST", path, { content: "once", external_id: "a-1" });
  expect([first.status, first.json.data.external_id]).toEqual([201, "a-1"]);
  const before = await checksum(fixture);
  for (const body of [{ content: "once" }, { content: "other text", reply_to_message_id: 1 }]) {
    const again = await call("POST", path, { ...body, external_id: "a-1" });
    expect([again.status, again.text]).toEqual([200, first.text]);
  }
  expect(await checksum(fixture)).toBe(before);
  // Its case counts, and so does the conversation.
  expect((await call("POST", path, { content: "x", external_id: "A-1" })).status).toBe(201);
  const other = await open();
  expect((await call("POST", other.path, { content: "x", external_id: "a-1" })).status).toBe(201);
});

test("20 calls at once with one external_id send one message", async () => {
  const { path } = await open();
  const body = { content: "once", external_id: "parallel" };
  const done = await traces(() =>
    Promise.all(Array.from({ length: 20 }, () => call("POST", path, body))),
  );
  const statuses = done.result.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
  expect(new Set(done.result.map(({ text }) => text)).size).toBe(1);
  expect(done.commands).toHaveLength(1);
  expect((await call("GET", path)).json.meta.total).toBe(1);
});

test("Idempotency-Key sends once, for one conversation", async () => {
  const here = await open();
  const there = await open();
  const options = { headers: { "idempotency-key": `send-${here.id}` } };
  const first = await call("POST", here.path, { content: "once" }, options);
  const again = await call("POST", here.path, { content: "once" }, options);
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  const other = await call("POST", here.path, { content: "twice" }, options);
  expect([other.status, other.json.error.code]).toEqual([422, "idempotency_key_reused"]);
  const elsewhere = await call("POST", there.path, { content: "once" }, options);
  expect([elsewhere.status, elsewhere.headers.get("idempotent-replayed")]).toEqual([201, null]);
  expect((await call("GET", here.path)).json.meta.total).toBe(1);
});

test("pages lead from the newest message to the beginning, and total counts all of them", async () => {
  const { path } = await open();
  for (let index = 0; index < 23; index += 1) await call("POST", path, { content: `m${index}` });
  const whole = (await call("GET", `${path}?limit=100`)).json;
  const ids = (whole.data as { id: number }[]).map(({ id }) => id);
  expect(whole.meta).toStrictEqual({ total: 23, limit: 100, next_before_id: null });
  expect(ids).toEqual(ids.toSorted((a, b) => b - a));

  const walked: number[] = [];
  let before: number | null = null;
  do {
    const query: string = before === null ? "" : `&before_id=${before}`;
    const page = (await call("GET", `${path}?limit=5${query}`)).json;
    const last = page.data.at(-1).id as number;
    walked.push(...(page.data as { id: number }[]).map(({ id }) => id));
    before = walked.length < 23 ? last : null;
    expect(page.meta).toStrictEqual({ total: 23, limit: 5, next_before_id: before });
  } while (before !== null);
  expect(walked).toEqual(ids);

  // A last page that is full has nothing after it either.
  const exact = (await call("GET", `${path}?limit=23`)).json;
  expect(exact.meta.next_before_id).toBeNull();
  const past = (await call("GET", `${path}?before_id=${String(ids.at(-1))}`)).json;
  expect([past.data, past.meta]).toEqual([[], { total: 23, limit: 50, next_before_id: null }]);
});

test("a conversation without messages reads an empty list", async () => {
  const { path } = await open();
  expect((await call("GET", path)).json).toStrictEqual({
    success: true,
    data: [],
    meta: { total: 0, limit: 50, next_before_id: null },
  });
});

test.each([
  "limit=0",
  "limit=101",
  "limit=x",
  "before_id=0",
  "before_id=x",
  "before_id=1&before_id=2",
])("the query %s is refused", async (query) => {
  const { path } = await open();
  const answer = await call("GET", `${path}?${query}`);
  expect(answer.status).toBe(400);
  expect(answer.json.error.details).toEqual([
    expect.objectContaining({ path: `query.${String(query.split("=")[0])}` }),
  ]);
});

test("a customer's messages stand in the same list, told apart by direction and sender", async () => {
  const { id, path, phone } = await open();
  const { dataSource } = fixture.database;
  const media = { url: "https://files.example/voice", mime_type: "audio/ogg" };
  await receive(dataSource, fixture.account.accountId, {
    from: phone,
    type: "audio",
    content: null,
    media,
  });
  const { data } = (await call("GET", path)).json;
  expect(data).toMatchObject([
    {
      conversation_id: id,
      direction: "inbound",
      type: "audio",
      content: null,
      has_media: true,
      media,
      sender_type: "contact",
      sent_by_bot: false,
      status: "received",
    },
  ]);
  const reply = { content: "got it", reply_to_message_id: data[0].id };
  expect((await call("POST", path, reply)).status).toBe(201);
});

test("a closed window refuses text with 422 and writes nothing, a template goes", async () => {
  const { dataSource } = fixture.database;
  const account = await createTestAccount(dataSource);
  await connectWithTemplates(dataSource, account.accountId, [samples.greeting]);
  const { id, path, phone } = await open(account);
  const before = await checksum(fixture);
  const media = { type: "image", media_url: "https://x.example/a" };
  for (const body of [{ content: "Hola" }, media]) {
    const refused = await call("POST", path, body, account);
    expect([refused.status, refused.json.error.code]).toEqual([422, "messaging_window_closed"]);
  }
  expect(await checksum(fixture)).toBe(before);
  const template = { type: "template", template: { name: "hi", language: "es_MX" } };
  expect((await call("POST", path, template, account)).status).toBe(201);

  await receive(dataSource, account.accountId, { from: phone });
  expect((await call("POST", path, { content: "Hola" }, account)).status).toBe(201);
  const windowOf = async () =>
    (await call("GET", `/conversations/${id}`, undefined, account)).json.data.messaging_window;
  expect(await windowOf()).toEqual({
    open: true,
    expires_at: timestamp,
    human_expires_at: null,
  });
  await fixture.query(
    "UPDATE conversations SET last_customer_message_at = UTC_TIMESTAMP(3) - INTERVAL 24 HOUR WHERE id = ?",
    [id],
  );
  expect(await windowOf()).toEqual({
    open: false,
    expires_at: timestamp,
    human_expires_at: null,
  });
  expect((await call("POST", path, { content: "Hola" }, account)).status).toBe(422);
});

test("a program's message leaves status and AI agent as they are", async () => {
  for (const status of ["waiting", "resolved", "handed_off"]) {
    const { id, path } = await open();
    if (status === "handed_off") await call("POST", `/conversations/${id}/bot`, { enabled: false });
    else await call("PATCH", `/conversations/${id}`, { status });
    const done = await traces(() => call("POST", path, { content: "Hola" }));
    expect([done.result.status, done.events]).toEqual([201, []]);
    expect(done.commands.map(({ workflow }) => workflow)).toEqual(["sendMessage"]);
    const { data } = (await call("GET", `/conversations/${id}`)).json;
    expect([data.status, data.bot_enabled]).toEqual([status, status !== "handed_off"]);
  }
});
