import { expect, test } from "vitest";
import { defineTemplate } from "../../../../core/channels/meta/template-definition.ts";
import { templateMessage } from "../../../../core/channels/meta/template-message.ts";
import { fillTemplate } from "../../../../core/model/template-check.ts";
import type { TemplateParams } from "../../../../core/model/template-params.ts";
import { samples } from "./template-samples.ts";

function build(
  sample: { name: string; language: string; components: unknown; parameter_format?: string },
  params: TemplateParams,
) {
  const format = sample.parameter_format === "NAMED" ? "named" : "positional";
  const definition = defineTemplate(sample.components, format);
  const check = fillTemplate(definition, params);
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return templateMessage(sample, definition, check.filled);
}

test("numbered values go in the order of their numbers, buttons by their place from 0", () => {
  const params = {
    header: ["Ruiz"],
    body: { 2: "lunes", 1: "Ana" },
    buttons: { 2: "77", 1: "yes" },
  };
  expect(build(samples.reminder, params)).toEqual({
    name: "appointment_reminder",
    language: { code: "es_MX" },
    components: [
      { type: "header", parameters: [{ type: "text", text: "Ruiz" }] },
      {
        type: "body",
        parameters: [
          { type: "text", text: "Ana" },
          { type: "text", text: "lunes" },
        ],
      },
      {
        type: "button",
        sub_type: "quick_reply",
        index: "0",
        parameters: [{ type: "payload", payload: "yes" }],
      },
      {
        type: "button",
        sub_type: "url",
        index: "1",
        parameters: [{ type: "text", text: "77" }],
      },
    ],
  });
});

test("named values carry their names, and a document its file name", () => {
  const link = "https://x.example/f/An%C3%A1lisis%202.pdf?x=1";
  const params = { header: { document: link }, body: { first_name: "Ana", order_id: "A-7" } };
  expect(build(samples.named, params).components).toEqual([
    {
      type: "header",
      parameters: [{ type: "document", document: { link, filename: "Análisis 2.pdf" } }],
    },
    {
      type: "body",
      parameters: [
        { type: "text", parameter_name: "first_name", text: "Ana" },
        { type: "text", parameter_name: "order_id", text: "A-7" },
      ],
    },
  ]);
});

test.each(["https://x.example/", "https://x.example/%2e%2e%2fa", "https://x.example/%E0%A4"])(
  "%s names no file",
  (link) => {
    const params = { header: { document: link }, body: { first_name: "a", order_id: "b" } };
    expect(build(samples.named, params).components?.[0]?.parameters).toEqual([
      { type: "document", document: { link } },
    ]);
  },
);

test("the button of a login code repeats the code", () => {
  expect(build(samples.code, ["123456"]).components).toEqual([
    { type: "body", parameters: [{ type: "text", text: "123456" }] },
    {
      type: "button",
      sub_type: "url",
      index: "0",
      parameters: [{ type: "text", text: "123456" }],
    },
  ]);
});

test("a coupon, a form and a picture have parameters of their own", () => {
  const image = "https://x.example/a.png";
  const params = { header: { image }, buttons: { 1: "SALE25" } };
  expect(build(samples.coupon, params).components).toEqual([
    { type: "header", parameters: [{ type: "image", image: { link: image } }] },
    {
      type: "button",
      sub_type: "copy_code",
      index: "0",
      parameters: [{ type: "coupon_code", coupon_code: "SALE25" }],
    },
    {
      type: "button",
      sub_type: "flow",
      index: "1",
      parameters: [{ type: "action", action: { flow_token: "unused" } }],
    },
  ]);
});

test("a place on the map has its coordinates and its name", () => {
  const sample = {
    name: "map",
    language: "es",
    components: [
      { type: "HEADER", format: "LOCATION" },
      { type: "BODY", text: "Aquí" },
    ],
  };
  const header = { latitude: "19.4", longitude: "-99.1", name: "Sol" };
  expect(build(sample, { header }).components).toEqual([
    { type: "header", parameters: [{ type: "location", location: header }] },
  ]);
});

test("a template without values has no components", () => {
  const sample = { name: "hello", language: "es", components: [{ type: "BODY", text: "Hola" }] };
  expect(build(sample, [])).toEqual({ name: "hello", language: { code: "es" } });
});
