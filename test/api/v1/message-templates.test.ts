import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { disconnectWhatsApp, receive } from "../../support/conversations.ts";
import { ageList, insertNumber, storeList } from "../../support/templates.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { samples } from "../../core/channels/meta/template-samples.ts";
import { startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
let channelId: number;

beforeEach(async () => {
  const { dataSource } = fixture.database;
  account = await createTestAccount(dataSource);
  await disconnectWhatsApp(dataSource, account.accountId);
  channelId = await insertNumber(dataSource, account.accountId);
});

async function list(...rows: object[]): Promise<void> {
  await storeList(fixture.database.dataSource, account.accountId, channelId, rows);
}

const call = async (method: string, path: string, body?: unknown) =>
  await fixture.api.call(method, `/api/v1${path}`, { apiKey: account.apiKey, body });

async function open() {
  const { json } = await call("POST", "/conversations", { phone: freshPhone() });
  const path = `/conversations/${json.data.id}/messages`;
  return async (template: object, more: object = {}) =>
    await call("POST", path, { type: "template", template, ...more });
}

const reminder = { name: "appointment_reminder", language: "es_MX" };
const full = { header: ["Ruiz"], body: ["Ana", "lunes"], buttons: ["9"] };

async function syncsOf() {
  return await fixture.query(
    `SELECT command->>'$.workflowId' AS id FROM outbox
      WHERE account_id = ? AND command->>'$.workflow' = 'syncTemplates' ORDER BY id`,
    [account.accountId],
  );
}

test("a template that fits is recorded with the text that the customer reads", async () => {
  await list(samples.reminder);
  const send = await open();
  const { status, json } = await send({ ...reminder, params: full });
  expect(status).toBe(201);
  expect(json.data).toMatchObject({
    type: "template",
    status: "queued",
    content:
      "Cita con Ruiz\n\nHola Ana, te esperamos el lunes. Responde Ana para confirmar.\n\nClínica Sol",
  });
  const [row] = await fixture.query("SELECT template FROM messages WHERE id = ?", [json.data.id]);
  expect(row).toEqual({ template: { ...reminder, params: full } });
});

test("a list is the body in order", async () => {
  await list({ ...samples.reminder, components: [{ type: "BODY", text: "{{1}} y {{2}}" }] });
  const send = await open();
  const { json } = await send({ ...reminder, params: ["uno", "dos"] });
  expect(json.data).toMatchObject({ content: "uno y dos" });
});

test("values that do not fit are 400, which lists the places and every problem", async () => {
  await list(samples.reminder);
  const send = await open();
  const { status, json } = await send({ ...reminder, params: ["Ana"] });
  expect(status).toBe(400);
  expect(json.error).toMatchObject({
    code: "invalid_template_params",
    message: expect.stringContaining(
      "takes header 1; body 1, 2; buttons 1 (payload, optional), 2 (suffix)",
    ),
  });
  expect(json.error.details.expected).toHaveLength(5);
  expect(json.error.details.problems.map(({ path }: { path: string }) => path)).toEqual([
    "header.1",
    "body.2",
    "buttons.2",
  ]);
  expect(
    await fixture.query("SELECT id FROM messages WHERE account_id = ?", [account.accountId]),
  ).toEqual([]);
});

test("a template that a fresh list lacks, and one that is not approved, are 422", async () => {
  await list(samples.reminder, samples.coupon, samples.carousel);
  const send = await open();
  const unknown = await send({ name: "nothing", language: "es_MX" });
  expect(unknown).toMatchObject({ status: 422, json: { error: { code: "template_unavailable" } } });
  const language = await send({ ...reminder, language: "en" });
  expect(language.json.error.message).toContain('no template "appointment_reminder" in en');
  const paused = await send({ name: "sale", language: "en" });
  expect(paused).toMatchObject({ status: 422 });
  expect(paused.json.error.message).toContain("is paused at WhatsApp");
  const cards = await send({ name: "cards", language: "en" });
  expect(cards.json.error.message).toContain("carousel");
});

test("a template that Meta no longer lists is 422", async () => {
  await list(samples.reminder, samples.named);
  await ageList(fixture.database.dataSource, account.accountId, 2);
  await list(samples.named);
  const send = await open();
  expect(await send({ ...reminder, params: full })).toMatchObject({ status: 422 });
});

test.each([
  ["a list that was never read", false],
  ["an old list", true],
])(
  "with %s an unknown template is taken, and one read of the list is requested",
  async (_, isOld) => {
    if (isOld) {
      await list(samples.coupon);
      await fixture.query("DELETE FROM outbox WHERE account_id = ?", [account.accountId]);
      await ageList(fixture.database.dataSource, account.accountId, 11);
    }
    const send = await open();
    for (const name of ["new_one", "sale"]) {
      const { status, json } = await send({ name, language: "en" });
      expect(status).toBe(201);
      expect(json.data).toMatchObject({ status: "queued", content: null });
    }
    expect(await syncsOf()).toHaveLength(1);
  },
);

test("a known template goes also while the list is old", async () => {
  await list(samples.reminder);
  await ageList(fixture.database.dataSource, account.accountId, 60 * 24 * 3);
  const send = await open();
  expect(await send({ ...reminder, params: full })).toMatchObject({ status: 201 });
});

test("the templates of another account, and of another WhatsApp Business Account, are unknown", async () => {
  const { dataSource } = fixture.database;
  const other = await createTestAccount(dataSource);
  const number = await insertNumber(dataSource, other.accountId);
  await storeList(dataSource, other.accountId, number, [samples.reminder]);
  const second = await insertNumber(dataSource, account.accountId, {
    wabaId: "901",
    externalId: "107",
  });
  await storeList(dataSource, account.accountId, second, [samples.reminder]);
  await list(samples.coupon);
  const send = await open();
  expect(await send({ ...reminder, params: full })).toMatchObject({ status: 422 });
});

test("a number without a WhatsApp Business Account, and a Page, have no templates", async () => {
  await fixture.query("UPDATE channel_accounts SET parent_id = NULL WHERE id = ?", [channelId]);
  const send = await open();
  const { status, json } = await send({ ...reminder, params: full });
  expect([status, json.error.code]).toEqual([422, "template_unavailable"]);
});

test("web chat has no templates: its visitor would read an empty message", async () => {
  const { row } = await receive(fixture.database.dataSource, account.accountId, {
    channel: "web",
    from: "visitor",
  });
  await fixture.query(
    "UPDATE channel_accounts SET driver = 'web' WHERE account_id = ? AND channel = 'web'",
    [account.accountId],
  );
  const path = `/conversations/${row.conversationId}/messages`;
  const { status, json } = await call("POST", path, { type: "template", template: reminder });
  expect([status, json.error.code]).toEqual([422, "template_unavailable"]);
});

test("a repeated external_id reads the first message, whatever became of the template", async () => {
  await list(samples.reminder);
  const send = await open();
  const first = await send({ ...reminder, params: full }, { external_id: "one" });
  await ageList(fixture.database.dataSource, account.accountId, 2);
  await list(samples.coupon);
  const again = await send({ ...reminder, params: [] }, { external_id: "one" });
  expect(again).toMatchObject({ status: 200, json: { data: { id: first.json.data.id } } });
});

test.each([
  ["unknown", { name: "nothing", language: "es_MX" }, "template_unavailable"],
  ["without its values", reminder, "invalid_template_params"],
])(
  "POST /conversations takes a template that is %s, and shows it as failed",
  async (_, template, code) => {
    await list(samples.reminder);
    const { status, json } = await call("POST", "/conversations", {
      phone: freshPhone(),
      template,
    });
    expect(status).toBe(201);
    expect(json.data.initial_message).toMatchObject({
      type: "template",
      status: "failed",
      error: { code, provider_code: null },
    });
  },
);

test("a failed template is sent again with the same values", async () => {
  await list(samples.reminder);
  const send = await open();
  const { json } = await send({ ...reminder, params: full });
  await fixture.query("UPDATE messages SET status = 'failed' WHERE id = ?", [json.data.id]);
  const again = await fixture.api.call("POST", `/dashboard/api/messages/${json.data.id}/retry`, {
    cookie: account.cookie,
    body: {},
  });
  expect(again).toMatchObject({ status: 201, json: { data: { content: json.data.content } } });
});

test("on the sandbox nothing of a template is checked", async () => {
  account = await createTestAccount(fixture.database.dataSource);
  const send = await open();
  const { status, json } = await send({
    name: "any",
    language: "es",
    params: { body: { a: "b" } },
  });
  expect(status).toBe(201);
  expect(json.data).toMatchObject({ content: null, status: "queued" });
});
