import { describe, expect, test } from "vitest";
import { defineTemplate } from "../../../core/channels/meta/template-definition.ts";
import { templateInput } from "../../../core/model/message.ts";
import { fillTemplate, type TemplateProblem } from "../../../core/model/template-check.ts";
import type { TemplateParams } from "../../../core/model/template-params.ts";
import { samples } from "../channels/meta/template-samples.ts";

const reminder = defineTemplate(samples.reminder.components, "positional");
const named = defineTemplate(samples.named.components, "named");
const full = { header: ["Ruiz"], body: ["Ana", "lunes"], buttons: { 2: "9" } };

function problemsOf(params: TemplateParams, definition = reminder): TemplateProblem[] {
  const check = fillTemplate(definition, params);
  return check.ok ? [] : check.problems;
}

function pathsOf(params: TemplateParams, definition = reminder): string[] {
  return problemsOf(params, definition).map(({ path, code }) => `${path} ${code}`);
}

test("a list is the values of the body in order", () => {
  const body = defineTemplate([{ type: "BODY", text: "{{2}} and {{1}}" }], "positional");
  const check = fillTemplate(body, ["one", "two"]);
  if (!check.ok) throw new Error(JSON.stringify(check));
  expect(Object.fromEntries(check.filled.body)).toEqual({ 1: "one", 2: "two" });
  const names = fillTemplate(named, { header: ["https://x.example/a.pdf"], body: ["Ana", "A-7"] });
  if (!names.ok) throw new Error(JSON.stringify(names));
  expect(Object.fromEntries(names.filled.body)).toEqual({ first_name: "Ana", order_id: "A-7" });
});

test.each<[string, TemplateParams]>([
  ["numbers", { header: { 1: "Ruiz" }, body: { 2: "lunes", 1: "Ana" }, buttons: { 2: "9" } }],
  ["lists", { header: ["Ruiz"], body: ["Ana", "lunes"], buttons: ["9"] }],
  ["an optional one", { ...full, buttons: { 1: "yes", 2: "9" } }],
])("values by %s fit", (_, params) => {
  expect(problemsOf(params)).toEqual([]);
});

test("everything that is missing, too much or unknown is named", () => {
  expect(pathsOf([])).toEqual([
    "header.1 required",
    "body.1 required",
    "body.2 required",
    "buttons.2 required",
  ]);
  expect(pathsOf({ ...full, body: ["Ana", "lunes", "more"] })).toEqual(["body count"]);
  expect(pathsOf({ ...full, buttons: { 2: "9", 3: "x" } })).toEqual(["buttons.3 unknown"]);
  expect(pathsOf({ header: ["https://x.example"], body: { name: "Ana" } }, named)).toEqual([
    "body.name unknown",
    "body.first_name required",
    "body.order_id required",
  ]);
});

test.each(["constructor", "toString", "__proto__"])("%s is a name like any other", (key) => {
  const body = Object.fromEntries([[key, "x"]]);
  expect(pathsOf({ ...full, body })).toEqual([
    `body.${key} unknown`,
    "body.1 required",
    "body.2 required",
  ]);
  const odd = defineTemplate([{ type: "BODY", text: `Hi {{${key}}}` }], "named");
  expect(pathsOf({}, odd)).toEqual([`body.${key} required`]);
  expect(pathsOf({ body }, odd)).toEqual([]);
});

describe("values that WhatsApp refuses", () => {
  test.each([
    ["a blank", "  "],
    ["nothing", ""],
    ["a line break", "a\nb"],
    ["a tab", "a\tb"],
    ["five blanks", "a     b"],
  ])("%s in the body", (_, value) => {
    expect(pathsOf({ ...full, body: [value, "lunes"] })).toEqual(["body.1 invalid"]);
  });

  test("four blanks in a row are fine", () => {
    expect(pathsOf({ ...full, body: ["a    b", "lunes"] })).toEqual([]);
  });

  test("a heading has 60 characters", () => {
    expect(pathsOf({ ...full, header: ["x".repeat(60)] })).toEqual([]);
    expect(pathsOf({ ...full, header: ["x".repeat(61)] })).toEqual(["header.1 invalid"]);
  });

  test.each(["http://x.example/a.pdf", "file:///etc/passwd", "a.pdf", "javascript:alert(1)"])(
    "%s is no address of a file",
    (link) => {
      const params = { header: { document: link }, body: ["Ana", "A-7"] };
      expect(pathsOf(params, named)).toEqual(["header.document invalid"]);
    },
  );

  test.each([
    ["91", "0", ["header.latitude invalid"]],
    ["19.43", "-181", ["header.longitude invalid"]],
    ["1e1", "x", ["header.latitude invalid", "header.longitude invalid"]],
    ["-19.43", "99.1", []],
  ])("latitude %s, longitude %s", (latitude, longitude, expected) => {
    const place = defineTemplate([{ type: "HEADER", format: "LOCATION" }], "positional");
    expect(pathsOf({ header: { latitude, longitude } }, place)).toEqual(expected);
  });

  test("the end of a link has no blanks", () => {
    expect(pathsOf({ ...full, buttons: ["a b"] })).toEqual(["buttons.2 invalid"]);
  });
});

describe("the body of a message", () => {
  const template = { name: "n", language: "es_MX" };
  test.each([
    [["a", "b"]],
    [{ body: ["a"] }],
    [{ header: { 1: "a" }, body: { name: "b" }, buttons: ["c"] }],
    [{}],
  ])("takes %j", (params) => {
    expect(templateInput.parse({ ...template, params })).toEqual({ ...template, params });
  });

  test("without params takes none", () => {
    expect(templateInput.parse(template)).toEqual({ ...template, params: [] });
  });

  test.each([
    ["a text", "a"],
    ["numbers", [1]],
    ["another part", { footer: ["a"] }],
    ["a name with blanks", { body: { "a b": "c" } }],
    ["51 values", Array.from({ length: 51 }, () => "a")],
    [
      "51 names",
      { body: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, "a"])) },
    ],
    ["a value of 1,025 characters", { body: ["x".repeat(1_025)] }],
    ["null", { body: null }],
  ])("refuses %s", (_, params) => {
    expect(templateInput.safeParse({ ...template, params }).success).toBe(false);
  });

  test("half a surrogate pair becomes a replacement character", () => {
    const parsed = templateInput.parse({ ...template, params: { body: { a: "x\ud800" } } });
    expect(parsed.params).toEqual({ body: { a: "x\ufffd" } });
  });
});

test("a file of the message takes the place of the heading's address", () => {
  const params = { body: { first_name: "Ana", order_id: "A-7" } };
  const check = fillTemplate(named, params, "document");
  if (!check.ok) throw new Error(JSON.stringify(check));
  expect(check.filled.header.size).toBe(0);
  const image = fillTemplate(named, params, "image");
  expect(image).toMatchObject({
    ok: false,
    problems: [{ path: "header.document", code: "invalid" }],
  });
  expect(fillTemplate(reminder, full, "document")).toMatchObject({
    ok: false,
    problems: [{ path: "header", code: "unknown", message: "The template has no file." }],
  });
});
