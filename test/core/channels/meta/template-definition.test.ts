import fc from "fast-check";
import { expect, test } from "vitest";
import { defineTemplate } from "../../../../core/channels/meta/template-definition.ts";
import { listSlots } from "../../../../core/model/template.ts";
import { describeSlots, fillTemplate } from "../../../../core/model/template-check.ts";
import { renderContent, renderPieces } from "../../../../core/model/template-text.ts";
import { anyJson } from "../../../support/arbitrary-input.ts";
import { samples } from "./template-samples.ts";

const reminder = defineTemplate(samples.reminder.components, "positional");
const named = defineTemplate(samples.named.components, "named");

test("header, body and buttons list their places in order, each once, with the examples", () => {
  expect(listSlots(reminder)).toEqual([
    { place: "header", key: "1", kind: "text", required: true, example: "Dra. Ruiz" },
    { place: "body", key: "1", kind: "text", required: true, example: "Ana" },
    { place: "body", key: "2", kind: "text", required: true, example: "5 de marzo" },
    { place: "buttons", key: "1", kind: "payload", required: false, example: null },
    {
      place: "buttons",
      key: "2",
      kind: "suffix",
      required: true,
      example: "https://sol.example/c/9",
    },
  ]);
  expect(describeSlots(listSlots(reminder))).toBe(
    "header 1; body 1, 2; buttons 1 (payload, optional), 2 (suffix)",
  );
});

test("named places keep the order of the text, and find their examples by name", () => {
  expect(listSlots(named)).toMatchObject([
    { place: "header", key: "document", kind: "link", required: true },
    { place: "body", key: "first_name", example: "Ana" },
    { place: "body", key: "order_id", example: "A-7" },
  ]);
});

test("a template without places takes no values", () => {
  const plain = defineTemplate([{ type: "BODY", text: "Hola" }], "positional");
  expect(listSlots(plain)).toEqual([]);
  expect(describeSlots([])).toBe("no values");
  expect(fillTemplate(plain, [])).toMatchObject({ ok: true });
  expect(fillTemplate(plain, {})).toMatchObject({ ok: true });
});

test.each([
  ["a carousel", samples.carousel.components, "carousel"],
  ["a limited offer", [{ type: "LIMITED_TIME_OFFER" }], "limited_time_offer"],
  ["a product header", [{ type: "HEADER", format: "PRODUCT" }], "header product"],
  ["an unknown button", [{ type: "BUTTONS", buttons: [{ type: "MPM" }] }], "button mpm"],
  ["a part without a type", [{ text: "x" }], "unknown"],
])("%s is marked as unsupported", (_, components, part) => {
  expect(defineTemplate(components, "positional").unsupported).toBe(part);
});

test.each([samples.reminder, samples.named, samples.code, samples.coupon])(
  "$name can be filled in",
  ({ components }) => {
    expect(defineTemplate(components, "positional").unsupported).toBe(null);
  },
);

test("the content is heading, body and footer with their values, and a value is read once", () => {
  const check = fillTemplate(reminder, {
    header: ["{{2}} $& $1"],
    body: { 1: "{{2}}", 2: "lunes" },
    buttons: { 2: "77" },
  });
  if (!check.ok) throw new Error(JSON.stringify(check));
  expect(renderContent(reminder, check.filled)).toBe(
    "Cita con {{2}} $& $1\n\nHola {{2}}, te esperamos el lunes. Responde {{2}} para confirmar.\n\nClínica Sol",
  );
  expect(renderPieces(reminder, check.filled).buttons[1]).toEqual({
    text: "Ver",
    url: "https://sol.example/c/77",
  });
});

test("a place without a value keeps its braces", () => {
  expect(renderPieces(reminder, {})).toMatchObject({
    header: "Cita con {{1}}",
    body: "Hola {{1}}, te esperamos el {{2}}. Responde {{1}} para confirmar.",
    footer: "Clínica Sol",
  });
});

test("any components are read without an error, and their places can be listed", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyJson,
        fc.array(
          fc.record({
            type: fc.constantFrom("HEADER", "BODY", "FOOTER", "BUTTONS", "constructor"),
            format: anyJson,
            text: fc.oneof(anyJson, fc.constantFrom("{{__proto__}}", "{{1}}{{2}}", "{{{1}}}")),
            example: anyJson,
            buttons: anyJson,
          }),
        ),
      ),
      fc.constantFrom("positional" as const, "named" as const),
      (components, format) => {
        const definition = defineTemplate(components, format);
        const slots = listSlots(definition);
        const keys = slots.map(({ place, key }) => `${place}.${key}`);
        expect(new Set(keys).size).toBe(keys.length);
        expect(typeof renderPieces(definition, {}).body).toBe("string");
      },
    ),
  );
});
