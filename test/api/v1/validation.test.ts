import { gzipSync } from "node:zlib";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { TestAnswer } from "../../support/api.ts";
import { checksum, rawCall, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let contactId: number;
let before: string;

beforeAll(async () => {
  const made = await post({ phone: "5215512345678", email: "ana@example.com", name: "Ana" });
  contactId = made.json.data.id;
});

beforeEach(async () => {
  before = await checksum(fixture);
});

async function post(body: unknown, headers: Record<string, string> = {}): Promise<TestAnswer> {
  return await send("POST", "/contacts", body, headers);
}

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const { apiKey } = fixture.account;
  return await fixture.api.call(method, `/api/v1${path}`, { apiKey, headers, body });
}

/** `path code` of every issue, and that nothing was written. */
async function issuesOf(answer: TestAnswer): Promise<string[]> {
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  expect(await checksum(fixture)).toBe(before);
  const details = answer.json.error.details as { path: string; code: string; message: string }[];
  for (const detail of details) {
    expect(Object.keys(detail)).toEqual(["path", "code", "message"]);
    expect(detail.message).not.toBe("");
  }
  const fields = details.length === 1 ? "1 invalid field" : `${details.length} invalid fields`;
  expect(answer.json.error.message).toBe(`The request has ${fields}.`);
  return details.map(({ path, code }) => `${path} ${code}`);
}

test.each<[unknown, string[]]>([
  [{}, ["body phone_or_email_required"]],
  [{ phone: "", email: " " }, ["body phone_or_email_required"]],
  [{ name: "Ana" }, ["body phone_or_email_required"]],
  [{ phone: "1234567" }, ["body.phone invalid_phone"]],
  [{ phone: "1234567890123456" }, ["body.phone invalid_phone"]],
  [{ phone: "52155123456ab" }, ["body.phone invalid_phone"]],
  [{ phone: "٥٢١٥٥١٢٣٤٥٦٧" }, ["body.phone invalid_phone"]],
  [{ phone: 5215512345678 }, ["body.phone invalid_type"]],
  [{ phone: null, email: "a@b.co" }, ["body.phone invalid_type"]],
  [{ phone: ["5215512345678"] }, ["body.phone invalid_type"]],
  [{ phone: { a: 1 } }, ["body.phone invalid_type"]],
  [{ email: "nope" }, ["body.email invalid_email"]],
  [{ email: `${"a".repeat(250)}@b.co` }, ["body.email invalid_email"]],
  [{ email: true }, ["body.email invalid_type"]],
  [{ email: "a@b.co", name: "x".repeat(201) }, ["body.name too_big"]],
  [{ email: "a@b.co", name: { role: "x" } }, ["body.name invalid_type"]],
  [
    { phone: "x", email: "y", name: 5, id: 1 },
    [
      "body.email invalid_email",
      "body.id unknown_field",
      "body.name invalid_type",
      "body.phone invalid_phone",
    ],
  ],
  [
    { name: "x".repeat(201), extra: 1 },
    ["body phone_or_email_required", "body.extra unknown_field", "body.name too_big"],
  ],
  [
    { email: "a@b.co", tags: ["vip"], account_id: 2 },
    ["body.account_id unknown_field", "body.tags unknown_field"],
  ],
])("POST %j lists every issue and writes nothing", async (body, issues) => {
  expect((await issuesOf(await post(body))).toSorted()).toEqual(issues);
});

test.each<[unknown, string[]]>([
  [{ name: "" }, ["body.name empty_name"]],
  [{ name: "  " }, ["body.name empty_name"]],
  [{ name: "x".repeat(201) }, ["body.name too_big"]],
  [{ name: 1 }, ["body.name invalid_type"]],
  [{ phone: "" }, ["body.phone invalid_phone"]],
  [{ email: "" }, ["body.email invalid_email"]],
  [
    { id: 9, tenant_id: 9, tags: [], created_at: "2020-01-01T00:00:00.000Z", whatsapp_id: "1" },
    [
      "body.created_at unknown_field",
      "body.id unknown_field",
      "body.tags unknown_field",
      "body.tenant_id unknown_field",
      "body.whatsapp_id unknown_field",
    ],
  ],
  [
    { name: false, email: [], phone: {} },
    ["body.email invalid_type", "body.name invalid_type", "body.phone invalid_type"],
  ],
])("PATCH %j lists every issue and writes nothing", async (body, issues) => {
  const answer = await send("PATCH", `/contacts/${contactId}`, body);
  expect((await issuesOf(answer)).toSorted()).toEqual(issues);
});

test.each([
  "limit=0",
  "limit=-1",
  "limit=101",
  "limit=1e9",
  "limit=1e1",
  "limit=abc",
  "limit=",
  "limit=1.5",
  "limit=0x1",
  "limit=1&limit=2",
  "limit=99999999999999999999",
  "offset=-1",
  "offset=abc",
  "offset=0&offset=0",
  "offset=1.0",
])("the query %s is refused", async (query) => {
  const [name] = query.split("=");
  const issues = await issuesOf(await send("GET", `/contacts?${query}`));
  expect(issues).toHaveLength(1);
  expect(issues[0]).toMatch(new RegExp(`^query\\.${String(name)} `));
});

test("every wrong parameter is listed, a search may have 254 characters and be sent once", async () => {
  const all = await send("GET", `/contacts?limit=0&offset=-1&search=${"a".repeat(255)}`);
  expect((await issuesOf(all)).map((issue) => String(issue.split(" ")[0])).toSorted()).toEqual([
    "query.limit",
    "query.offset",
    "query.search",
  ]);
  expect(await issuesOf(await send("GET", "/contacts?search=a&search=b"))).toHaveLength(1);
  expect((await send("GET", `/contacts?search=${"a".repeat(254)}`)).status).toBe(200);
});

test("unknown query parameters are ignored, those of a prototype too", async () => {
  const answer = await send("GET", "/contacts?page=3&limit[]=7&__proto__=x&constructor=y");
  expect([answer.status, answer.json.meta.limit]).toEqual([200, 50]);
});

test.each(["5", "null", "[]", '"text"', "true", "[{}]"])(
  "a body that is %s and no object is refused",
  async (body) => {
    for (const [method, path] of [
      ["POST", "/contacts"],
      ["PATCH", `/contacts/${contactId}`],
    ] as const) {
      expect(await issuesOf(await send(method, path, body))).toEqual(["body invalid_type"]);
    }
  },
);

test("members named __proto__ or constructor are unknown fields and pollute nothing", async () => {
  for (const name of ["__proto__", "constructor", "prototype", "toString"]) {
    const answer = await post(`{"email":"a@b.co","${name}":{"polluted":true}}`);
    expect(await issuesOf(answer)).toEqual([`body.${name} unknown_field`]);
  }
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test.each<[string, string | Buffer]>([
  ["half an object", '{"email":"a@b.co"'],
  ["trailing garbage", '{"email":"a@b.co"} x'],
  ["two values", '{"email":"a@b.co"}{}'],
  ["a trailing comma", '{"email":"a@b.co",}'],
  ["a comment", '{"email":"a@b.co"/* */}'],
  ["NaN", '{"email":NaN}'],
  ["plain text", "hello"],
  ["one space", " "],
  ["bad UTF-8", Buffer.from('{"email":"a@b.co","name":"\xff"}', "latin1")],
  ["a cut UTF-8 sequence", Buffer.from('{"email":"a@b.co","name":"\xe2\x82"}', "latin1")],
  ["UTF-16", Buffer.from('{"email":"a@b.co"}', "utf16le")],
])("%s is 400 invalid_json", async (_, body) => {
  const answer = await post(body);
  expect([answer.status, answer.json.error.code, answer.json.error.details]).toEqual([
    400,
    "invalid_json",
    null,
  ]);
  expect(await checksum(fixture)).toBe(before);
});

test("a byte order mark is passed over", async () => {
  const answer = await send("PATCH", `/contacts/${contactId}`, Buffer.from("\ufeff{}", "utf8"));
  expect(answer.status).toBe(200);
});

test("10,000 levels or 20,000 members are a plain 400", async () => {
  const deep = await post(`{"name":${"[".repeat(10_000)}${"]".repeat(10_000)}}`);
  expect(deep.status).toBe(400);
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1]));
  expect((await post(wide)).status).toBe(400);
});

test.each<Record<string, string>>([
  { "content-type": "" },
  { "content-type": "text/plain" },
  { "content-type": "application/x-www-form-urlencoded" },
  { "content-type": "multipart/form-data; boundary=x" },
  { "content-type": "application/json-patch+json" },
  { "content-type": "application/json", "content-encoding": "gzip" },
  { "content-type": "application/json", "content-encoding": "br" },
])("a body with %j is 415", async (headers) => {
  const json = JSON.stringify({ email: "new@example.com" });
  const body = headers["content-encoding"] === "gzip" ? gzipSync(json) : Buffer.from(json);
  const sent = Object.entries(headers).filter(([, value]) => value !== "");
  const framings: Record<string, string>[] = [
    { "content-length": String(body.length) },
    { "transfer-encoding": "chunked" },
  ];
  for (const framing of framings) {
    const answer = await rawCall(fixture.api.url, "POST", "/api/v1/contacts", {
      headers: {
        authorization: `Bearer ${fixture.account.apiKey}`,
        ...framing,
        ...Object.fromEntries(sent),
      },
      chunks: [body],
    });
    expect([answer.status, answer.json.error.code]).toEqual([415, "unsupported_media_type"]);
  }
  expect(await checksum(fixture)).toBe(before);
});

test("content type and charset are read without regard to case", async () => {
  const answer = await send("PATCH", `/contacts/${contactId}`, "{}", {
    "content-type": "Application/JSON ; charset=UTF-8",
  });
  expect(answer.status).toBe(200);
});

test.each([
  ["announced", 0, 200],
  ["in chunks", 0, 200],
  ["announced", 1, 413],
  ["in chunks", 1, 413],
])("a body of 1 MiB, %s, and %i bytes more is %i", async (framing, extra, status) => {
  const text = `{"email":"ana@example.com"}`.padEnd(1_048_576 + extra, " ");
  const sized: Record<string, string> =
    framing === "announced"
      ? { "content-length": String(text.length) }
      : { "transfer-encoding": "chunked" };
  const answer = await rawCall(fixture.api.url, "POST", "/api/v1/contacts", {
    headers: {
      authorization: `Bearer ${fixture.account.apiKey}`,
      "content-type": "application/json",
      ...sized,
    },
    chunks: [text.slice(0, 700_000), text.slice(700_000)],
  });
  expect([answer.status, answer.json.error?.code]).toEqual([
    status,
    status === 200 ? undefined : "payload_too_large",
  ]);
  expect(answer.headers.get("connection")).toBe("close");
});

test("a body far over the limit is refused before it is read, and the caller reads the answer", async () => {
  const answer = await rawCall(fixture.api.url, "POST", "/api/v1/contacts", {
    headers: {
      authorization: `Bearer ${fixture.account.apiKey}`,
      "content-type": "application/json",
      "transfer-encoding": "chunked",
    },
    chunks: Array.from({ length: 8 }, () => Buffer.alloc(1_048_576, " ")),
  });
  expect([answer.status, answer.json.error.code]).toEqual([413, "payload_too_large"]);
});
