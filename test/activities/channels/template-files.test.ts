import { beforeEach, expect, test } from "vitest";
import { requestTemplateSync } from "../../../core/services/templates/template-syncs.ts";
import { asSystem } from "../../support/accounts.ts";
import { samples, tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { openTestMedia } from "./media-work.ts";
import { startFileSendingFixture, type TestTalk } from "./sending-fixture.ts";

const fixture = useFixture(startFileSendingFixture);
let talk: TestTalk;

beforeEach(async () => {
  talk = await fixture.talk("whatsapp", { media: openTestMedia(fixture.folder) });
  await asSystem(fixture.database.dataSource, talk.account.accountId, (tx) =>
    requestTemplateSync(tx, talk.channelAccountId),
  );
  const { state } = await talk.readTemplates();
  if (state !== "read") throw new Error(state);
});

const body = { estudio: "sangre", nombre: "Ana" };
const results = { name: "resultados_listos", language: "es_MX" };

async function call(method: string, path: string, sent: unknown, type = "application/json") {
  return await fixture.api.call(method, `/dashboard/api${path}`, {
    body: sent,
    headers: { "content-type": type },
    cookie: talk.account.cookie,
  });
}

async function upload(bytes: Buffer, filename: string): Promise<number> {
  const path = `/media?filename=${encodeURIComponent(filename)}`;
  return (await call("POST", path, bytes, "application/octet-stream")).json.data.id;
}

async function send(upload_id: number, template: object = { ...results, params: { body } }) {
  const path = `/conversations/${talk.conversationId}/messages`;
  return await call("POST", path, { type: "template", template, upload_id });
}

function inputOf(messageId: number) {
  return { accountId: talk.account.accountId, messageId };
}

test("an upload is the heading: Meta gets the bytes once, and the template names their id", async () => {
  const { status, json } = await send(await upload(samples.pdf, "análisis.pdf"));
  expect([status, json.error ?? null]).toEqual([201, null]);
  expect(json.data).toMatchObject({
    type: "template",
    content: "Ana, tus resultados de sangre están listos.",
    attachments: [{ kind: "document", state: "ready", filename: "análisis.pdf" }],
  });
  const input = inputOf(json.data.id);
  expect(await talk.run(input)).toMatchObject({ state: "sent" });
  const [uploaded] = talk.standIn.uploads();
  expect(uploaded?.bytes.equals(samples.pdf)).toBe(true);
  expect(talk.standIn.uploads()).toHaveLength(1);
  const document = { id: uploaded?.id, filename: "análisis.pdf" };
  expect(talk.bodies()).toMatchObject([
    {
      type: "template",
      template: {
        name: "resultados_listos",
        components: [
          { type: "header", parameters: [{ type: "document", document }] },
          { type: "body", parameters: [{ text: "Ana" }, { text: "sangre" }] },
        ],
      },
    },
  ]);
  await talk.settle();
  expect(await talk.read(input)).toMatchObject({ status: "read" });
});

test.each([
  [
    "of another kind",
    () => upload(tinyPng, "foto.png"),
    { ...results, params: { body } },
    { path: "header.document", code: "invalid" },
  ],
  [
    "beside an address",
    () => upload(samples.pdf, "a.pdf"),
    { ...results, params: { header: { document: "https://x.example/r.pdf" }, body } },
    { path: "header.document", code: "unknown" },
  ],
  [
    "of a template without a file",
    () => upload(samples.pdf, "a.pdf"),
    { name: "hello_world", language: "en_US", params: [] },
    { path: "header", code: "unknown" },
  ],
])("an upload %s is refused, and can be sent otherwise", async (_, give, template, problem) => {
  const id = await give();
  const { status, json } = await send(id, template);
  expect([status, json.error.code]).toEqual([400, "invalid_template_params"]);
  expect(json.error.details.problems).toMatchObject([problem]);
  const again = await fixture.query("SELECT id FROM media_uploads WHERE id = ?", [id]);
  expect(again).toHaveLength(1);
});

test("without an upload the heading still needs its address", async () => {
  const path = `/conversations/${talk.conversationId}/messages`;
  const template = { ...results, params: { body } };
  const { status, json } = await call("POST", path, { type: "template", template });
  expect([status, json.error.details.problems[0].path]).toEqual([400, "header.document"]);
});

test("a failed one is sent again with the file, and with its text rendered once more", async () => {
  const { json } = await send(await upload(samples.pdf, "r.pdf"));
  await fixture.query("UPDATE messages SET status = 'failed', error = ? WHERE id = ?", [
    JSON.stringify({ code: "invalid_message", message: "No", provider_code: null }),
    json.data.id,
  ]);
  const again = await call("POST", `/messages/${json.data.id}/retry`, {});
  expect([again.status, again.json.error ?? null]).toEqual([201, null]);
  expect(again.json.data).toMatchObject({
    type: "template",
    content: "Ana, tus resultados de sangre están listos.",
    attachments: [{ kind: "document", state: "ready" }],
  });
  expect(await talk.run(inputOf(again.json.data.id))).toMatchObject({ state: "sent" });
});

test("a program names no upload", async () => {
  const { apiKey } = talk.account;
  const path = `/api/v1/conversations/${talk.conversationId}/messages`;
  const sent = { type: "template", template: { ...results, params: { body } }, upload_id: 1 };
  const { status, json } = await fixture.api.call("POST", path, { apiKey, body: sent });
  expect([status, json.error.details[0].path]).toEqual([400, "body.upload_id"]);
});
