import fc, { type Arbitrary } from "fast-check";
import { z } from "zod";

type Schema = z.core.JSONSchema.BaseSchema;

/** Ids small enough to meet rows that a test has made, and some that no row can have. */
export const anyId: Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: -1, max: 2 ** 31 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 2 ** 53 - 1, 2 ** 53, 2 ** 63, 2 ** 64, 1e300, 1.5) },
);

/** Texts that services, databases and terminals read wrongly, among those that mean something here. */
export const anyText: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("5215550000001", "5215550000002", "+52 1 555 000 0003") },
  { weight: 2, arbitrary: fc.constantFrom("one@example.com", "TWO@Example.com", "vip", "*", "me") },
  { weight: 2, arbitrary: fc.constantFrom("", " ", "\u0000", "\uD800", "a\uDFFFb", "\uFEFF", "%") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("__proto__", "constructor", "👩‍👩‍👧‍👦", "e\u0301", "İ", "\\", "'--"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("http://127.0.0.1:1/", "https://[::1]/", "x".repeat(5_000)),
  },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
);

/** Any JSON value, shaped like nothing in particular. */
export const anyJson: Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  anyText,
  anyId,
  fc.dictionary(anyText, fc.oneof(anyText, anyId), { maxKeys: 4 }),
);

/** Values that nearly fit a schema: each part of them is now and then something else. */
export function nearly(schema: z.ZodType): Arbitrary<unknown> {
  return fromSchema(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
}

function fromSchema(schema: Schema): Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anyJson });
}

function fitting(schema: Schema): Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((one) => fromSchema(one as Schema)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object":
      return objects(schema);
    case "array":
      return fc.array(fromSchema((schema.items ?? {}) as Schema), { maxLength: 4 });
    case "string":
      return schema.example === undefined
        ? anyText
        : fc.oneof(anyText, fc.constant(schema.example));
    case "integer":
    case "number":
      return anyId;
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case undefined:
    default:
      return fc.oneof(anyText, anyId, anyJson);
  }
}

function objects({ properties = {}, required = [] }: Schema): Arbitrary<unknown> {
  const parts = Object.entries(properties).map(([name, part]) => [
    name,
    fromSchema(part as Schema),
  ]);
  const known = fc.record(Object.fromEntries(parts) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required,
  });
  const more = fc.dictionary(anyText, anyJson, { maxKeys: 2 });
  return fc.oneof(
    { weight: 12, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, more).map(([one, two]) => ({ ...one, ...two })) },
  );
}
