import fc from "fast-check";
import { expect, test } from "vitest";
import {
  isTemplateField,
  readTemplateNews,
  readTemplatePage,
} from "../../../../core/channels/meta/template-list.ts";
import { anyJson } from "../../../support/arbitrary-input.ts";
import { samples } from "./template-samples.ts";

test("a page has its templates in our words, and the cursor of the next one", () => {
  const body = {
    data: [samples.reminder, samples.named, samples.coupon],
    paging: { cursors: { before: "a", after: "Q0" }, next: "https://graph/next?access_token=x" },
  };
  const page = readTemplatePage(body);
  expect(page).toMatchObject({ skipped: 0, next: "Q0" });
  expect(page?.templates).toMatchObject([
    {
      providerId: "594425479261596",
      name: "appointment_reminder",
      language: "es_MX",
      category: "utility",
      status: "approved",
      quality: "green",
      format: "positional",
      rejectedReason: null,
      components: samples.reminder.components,
    },
    { name: "order_ready", format: "named", quality: null },
    { name: "sale", status: "paused", quality: "red" },
  ]);
});

test("the last page has cursors, but no next page", () => {
  const paging = { cursors: { before: "a", after: "b" } };
  expect(readTemplatePage({ data: [], paging })).toEqual({ templates: [], skipped: 0, next: null });
  expect(readTemplatePage({ data: [] })).toMatchObject({ next: null });
});

test.each([[null], [undefined], [""], [[]], [{}], [{ data: {} }], [{ error: { code: 1 } }]])(
  "%j is no list",
  (body) => {
    expect(readTemplatePage(body)).toBe(null);
  },
);

test("a row that nobody could send is left out, and its neighbours stay", () => {
  const rows = [
    { ...samples.named, name: "with blanks" },
    { ...samples.named, name: "x".repeat(513) },
    { ...samples.named, language: null },
    { ...samples.named, components: ["y".repeat(100_001)] },
    "text",
    null,
    samples.named,
  ];
  expect(readTemplatePage({ data: rows })).toMatchObject({
    skipped: 6,
    templates: [{ name: "order_ready" }],
  });
});

test("words of the future are kept, and a reason without a word is none", () => {
  const row = { ...samples.named, status: "SLEEPING", category: "NEWS", rejected_reason: "SCAM" };
  expect(readTemplatePage({ data: [row] })?.templates).toMatchObject([
    { status: "sleeping", category: "news", rejectedReason: "scam" },
  ]);
  const odd = { ...samples.named, status: 7, category: "a b", rejected_reason: { a: 1 } };
  expect(readTemplatePage({ data: [odd] })?.templates).toMatchObject([
    { status: "unknown", category: "unknown", rejectedReason: null },
  ]);
});

test("a webhook says the status of one template, or its quality", () => {
  const named = { message_template_name: "sale", message_template_language: "en_US" };
  const rejected = { ...named, event: "REJECTED", reason: "INVALID_FORMAT" };
  expect(readTemplateNews("message_template_status_update", rejected)).toEqual({
    name: "sale",
    language: "en_US",
    status: "rejected",
    quality: null,
    rejectedReason: "invalid_format",
  });
  const quality = { ...named, new_quality_score: "RED", previous_quality_score: "GREEN" };
  expect(readTemplateNews("message_template_quality_update", quality)).toMatchObject({
    status: null,
    quality: "red",
  });
  expect(readTemplateNews("template_category_update", named)).toMatchObject({ status: null });
  expect(readTemplateNews("message_template_status_update", { event: "APPROVED" })).toBe(null);
});

test.each([
  ["message_template_status_update", true],
  ["template_category_update", true],
  ["messages", false],
  ["constructor", false],
])("field %s speaks of templates: %s", (field, isOne) => {
  expect(isTemplateField(field)).toBe(isOne);
});

test("no answer and no webhook of Meta makes the readers throw", () => {
  fc.assert(
    fc.property(anyJson, anyJson, anyJson, (row, components, paging) => {
      const rows = [row, { ...samples.named, components, quality_score: row }];
      expect(readTemplatePage({ data: rows, paging })?.templates.length).toBeLessThanOrEqual(2);
      readTemplatePage(row);
      readTemplateNews("message_template_status_update", row);
    }),
  );
});
