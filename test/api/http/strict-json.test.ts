import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStrictJson } from "../../../api/http/strict-json.ts";

const parse = (text: string) => parseStrictJson(Buffer.from(text));

test("it reads every JSON value as JSON.parse does, however it is spaced", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom("", " ", "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      fc.pre(!text.includes("__proto__"));
      expect(parse(text)).toEqual(JSON.parse(text));
    }),
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("what JSON.parse refuses is refused", () => {
  const piece = fc.constantFrom("{", "}", "[", "]", ":", ",", '"', "\\", "a", "1", " ");
  fc.assert(
    fc.property(fc.string({ unit: piece }), (text) => {
      fc.pre(!isJson(text));
      expect(() => parse(text)).toThrow("not valid JSON");
    }),
  );
});

test.each([
  '{"a":1,"a":1}',
  '{"a":1,"b":{"a":1},"a":2}',
  '[{"x":[{"a":1 , "a" :2}]}]',
  '{"a":1,"\\u0061":2}',
  '{"\\"":1,"\\u0022":2}',
  '{"":1,"":2}',
  '{"a":{},"a":[]}',
])("%s has a member twice", (text) => {
  expect(() => parse(text)).toThrow("same member twice");
});

test.each(['{"__proto__":1}', '[{"a":{"\\u005f_proto__" : {"x":1}}}]'])("%s is refused", (text) => {
  expect(() => parse(text)).toThrow("__proto__");
});

test.each([
  '{"a":{"a":{"a":1}},"b":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '{"a":"a","b":"a","c":["a","a"]}',
  '{"a":"\\"a\\":1,{[","b":"\\\\"}',
  '{"A":1,"a":2}',
  '["__proto__",{"x":"__proto__"}]',
  '{"constructor":{"prototype":{}}}',
  '"{"',
  "7",
])("%s is fine", (text) => {
  expect(parse(text)).toEqual(JSON.parse(text));
});

test("32 levels are taken, 33 are not, and brackets in strings do not count", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  expect(parse(nested(32))).toEqual(JSON.parse(nested(32)));
  expect(() => parse(nested(33))).toThrow("more than 32 levels");
  expect(() => parse(nested(100_000))).toThrow("more than 32 levels");
  expect(parse(JSON.stringify(nested(500)))).toBe(nested(500));
  expect(parse(`[${"[],".repeat(500)}[]]`)).toHaveLength(501);
});

test("bad UTF-8 is refused; a byte order mark is passed over", () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xe2, 0x82, 0x22],
    [0xed, 0xa0, 0x80],
  ])
    expect(() => parseStrictJson(Uint8Array.from(bytes))).toThrow("not valid UTF-8");
  expect(parse("\ufeff{}")).toEqual({});
});

test("the largest bodies are read in a moment, whatever they are made of", () => {
  const members = Array.from({ length: 25_000 }, (_, index) => `"k${index}":1`);
  const bodies = [
    `{${members.join(",")}}`,
    `["${"\\\\".repeat(130_000)}"]`,
    `[${"[],".repeat(80_000)}1]`,
  ];
  for (const body of bodies) {
    const begun = performance.now();
    expect(parse(body)).toBeDefined();
    expect(performance.now() - begun).toBeLessThan(500);
  }
});
