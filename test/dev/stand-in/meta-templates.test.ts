import { afterEach, beforeEach, expect, test } from "vitest";
import { readTemplatePage } from "../../../core/channels/meta/template-list.ts";
import { splitWebhook } from "../../../core/channels/meta/split-webhook.ts";
import { accountOf, startMetaFixture, type MetaFixture } from "./meta-fixture.ts";

let fixture: MetaFixture;
beforeEach(async () => void (fixture = await startMetaFixture()));
afterEach(async () => await fixture.stop());

const { id, parentId } = accountOf("whatsapp");

async function list(query: string) {
  return await fixture.graph(`/${parentId}/message_templates?${query}`);
}

async function send(name: string, code: string, components?: object[]) {
  const template = { name, language: { code }, ...(components !== undefined && { components }) };
  const body = { messaging_product: "whatsapp", to: "5215512345678", type: "template", template };
  const { status, json } = await fixture.graph(`/${id}/messages`, { method: "POST", body });
  return status === 200 ? null : json.error.code;
}

const text = (...values: string[]) => values.map((one) => ({ type: "text", text: one }));
const link = { type: "button", sub_type: "url", index: "1", parameters: text("7") };

test("the list comes in pages with the fields that were asked for", async () => {
  const first = await list("fields=name,status,language&limit=3");
  expect(first.json.data[0]).toEqual({
    id: expect.any(String),
    name: "hello_world",
    status: "APPROVED",
    language: "en_US",
  });
  const page = readTemplatePage(first.json);
  expect(page?.templates).toHaveLength(3);
  const last = await list(`fields=name,language&limit=3&after=${page?.next}`);
  expect(readTemplatePage(last.json)).toMatchObject({
    templates: [{ name: "promo_verano" }],
    next: null,
  });
});

test("an unknown field, a wrong cursor and another account are refused", async () => {
  expect((await list("fields=name,secret")).json.error.code).toBe(100);
  expect((await list("after=x")).json.error.code).toBe(100);
  expect((await fixture.graph("/1/message_templates")).status).toBe(400);
});

test.each<[string, string, object[] | undefined, number | null]>([
  ["hello_world", "en_US", undefined, null],
  ["hello_world", "es_MX", undefined, 132_001],
  ["promo_verano", "es_MX", undefined, 132_001],
  ["recordatorio_cita", "es_MX", [{ type: "body", parameters: text("a", "b", "c") }, link], null],
  ["recordatorio_cita", "es_MX", [{ type: "body", parameters: text("a", "b") }, link], 132_000],
  ["recordatorio_cita", "es_MX", [{ type: "body", parameters: text("a", "b", "c") }], 131_008],
  [
    "recordatorio_cita",
    "es_MX",
    [{ type: "body", parameters: text("a", "b\nc", "d") }, link],
    132_018,
  ],
  [
    "recordatorio_cita",
    "es_MX",
    [
      { type: "body", parameters: text("a", "b", "c") },
      { ...link, index: "0" },
    ],
    132_018,
  ],
  ["resultados_listos", "es_MX", [{ type: "body", parameters: text("Ana", "Rx") }], 132_012],
])("%s in %s with %j is answered by %j", async (name, code, components, expected) => {
  expect(await send(name, code, components)).toBe(expected);
});

test("a paused template is refused, and a webhook tells of the pause without a number", async () => {
  await fixture.standIn.moveTemplate("hello_world", "en_US", "PAUSED");
  expect(await send("hello_world", "en_US")).toBe(132_015);
  await fixture.standIn.idle();
  expect(fixture.arrivals.flatMap(({ body }) => splitWebhook(body))).toMatchObject([
    {
      kind: "account",
      externalId: parentId,
      field: "message_template_status_update",
      value: { event: "PAUSED", message_template_name: "hello_world" },
    },
  ]);
});
