import { beforeAll, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { rawCall, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let other: TestAccount;
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

beforeAll(async () => {
  other = await createTestAccount(fixture.database.dataSource);
});

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fixture.api.call(method, `/api/v1${path}`, { apiKey: fixture.account.apiKey, headers, body });

test("POST answers 201 with exactly the eight fields, then 200 for the same contact", async () => {
  const created = await call("POST", "/contacts", {
    phone: "+52 1 55 1234-5678",
    email: " Ana@Example.COM ",
    name: " Ana ",
  });
  expect(created.status).toBe(201);
  expect(created.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(created.headers.get("cache-control")).toBe("no-store");
  expect(created.json).toStrictEqual({
    success: true,
    data: {
      id: expect.any(Number),
      name: "Ana",
      phone: "5215512345678",
      email: "ana@example.com",
      whatsapp_id: null,
      tags: [],
      created_at: timestamp,
      updated_at: created.json.data.created_at,
    },
  });
  expect(Object.keys(created.json.data)).toEqual(
    "id name phone email whatsapp_id tags created_at updated_at".split(" "),
  );
  const updated = await call("POST", "/contacts", { phone: "5215512345678", name: "Ana M." });
  expect(updated.status).toBe(200);
  expect(updated.json).toStrictEqual({
    success: true,
    data: { ...created.json.data, name: "Ana M.", updated_at: timestamp },
  });
});

test("GET reads what POST and PATCH answered, byte by byte", async () => {
  const created = await call("POST", "/contacts", { email: "read@example.com" });
  const { id } = created.json.data;
  expect((await call("GET", `/contacts/${id}`)).text).toBe(created.text);
  const patched = await call("PATCH", `/contacts/${id}`, {
    name: "Read Me",
    phone: "4915112345678",
  });
  expect(patched.status).toBe(200);
  expect(patched.json.data).toMatchObject({ name: "Read Me", phone: "4915112345678" });
  expect((await call("GET", `/contacts/${id}`)).text).toBe(patched.text);
});

test("a contact without a name shows its phone, else its email", async () => {
  const phone = await call("POST", "/contacts", { phone: "34600111222" });
  expect(phone.json.data.name).toBe("34600111222");
  const email = await call("POST", "/contacts", { email: "nameless@example.com" });
  expect(email.json.data.name).toBe("nameless@example.com");
});

test("tags and the newest WhatsApp id stand in every view, a visitor without both has a name", async () => {
  const made = await call("POST", "/contacts", { email: "tagged@example.com" });
  const { id } = made.json.data;
  const accountId = fixture.account.accountId;
  for (const [channel, external] of [
    ["whatsapp", "111"],
    ["whatsapp", "222"],
    ["instagram", "999"],
  ]) {
    await fixture.query(
      "INSERT INTO contact_identities SET account_id = ?, contact_id = ?, channel_account_id = 1, channel = ?, external_id = ?",
      [accountId, id, channel, external],
    );
  }
  await fixture.query(
    "INSERT INTO contact_tags (contact_id, tag, account_id) VALUES (?, 'vip', ?), (?, 'Ñandú', ?)",
    [id, accountId, id, accountId],
  );
  const read = await call("GET", `/contacts/${id}`);
  expect(read.json.data.whatsapp_id).toBe("222");
  expect(read.json.data.tags.toSorted()).toEqual(["vip", "Ñandú"]);
  const cleared = await call("PATCH", `/contacts/${id}`, { email: null });
  expect(cleared.json.data).toMatchObject({ email: null, name: `Visitor ${id}` });
  const list = await call("GET", `/contacts?search=Visitor`);
  expect(list.json.data).toEqual([]);
});

const unknownIds = [
  "999999999",
  "abc",
  "-1",
  "0",
  "01",
  "1.0",
  "1e3",
  "0x1",
  "12345678901234567890",
  "%00",
  "%20",
  "1%00",
  "%E0%A4%A",
  "__proto__",
];

test.each(unknownIds)("the id %s reads like an unknown one", async (id) => {
  for (const method of ["GET", "PATCH"]) {
    const answer = await call(method, `/contacts/${id}`, method === "GET" ? undefined : {}, {
      "x-request-id": "fixed",
    });
    expect(answer.status).toBe(404);
    expect(answer.json).toStrictEqual({
      success: false,
      error: {
        code: "contact_not_found",
        message: "There is no contact with this id.",
        details: null,
        request_id: "fixed",
      },
    });
  }
});

test("another account's contact is byte-equal to an unknown one", async () => {
  const foreign = await fixture.api.call("POST", "/api/v1/contacts", {
    apiKey: other.apiKey,
    body: { phone: "447700900123" },
  });
  const { id } = foreign.json.data;
  for (const [method, body] of [
    ["GET", undefined],
    ["PATCH", { name: "mine now" }],
  ] as const) {
    const headers = { "x-request-id": "same" };
    const hidden = await call(method, `/contacts/${id}`, body, headers);
    const unknown = await call(method, "/contacts/88888888", body, headers);
    expect(hidden.status).toBe(404);
    expect(hidden.text).toBe(unknown.text);
    const names = [hidden, unknown].map((one) =>
      [...one.headers].filter(([name]) => name !== "date"),
    );
    expect(names[0]).toEqual(names[1]);
  }
  const own = await fixture.api.call("GET", `/api/v1/contacts/${id}`, { apiKey: other.apiKey });
  expect(own.text).toBe(foreign.text);
});

test("two accounts hold the same phone and email without ever meeting", async () => {
  const body = { phone: "33612345678", email: "both@example.com" };
  const mine = await call("POST", "/contacts", { ...body, name: "Mine" });
  const theirs = await fixture.api.call("POST", "/api/v1/contacts", {
    apiKey: other.apiKey,
    body: { ...body, name: "Theirs" },
  });
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(theirs.json.data.id).not.toBe(mine.json.data.id);
  const found = await call("GET", "/contacts?search=both@");
  expect(found.json.data).toEqual([mine.json.data]);
});

test.each(["HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])(
  "%s is 405 and says what the path takes",
  async (method) => {
    for (const [path, allow] of [
      ["/api/v1/contacts", "GET, POST"],
      ["/api/v1/contacts/1", "GET, PATCH"],
    ]) {
      const answer = await rawCall(fixture.api.url, method, String(path), {
        headers: { authorization: `Bearer ${fixture.account.apiKey}` },
      });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe(allow);
      // An answer to HEAD has no body.
      expect(answer.json?.error.code).toBe(method === "HEAD" ? undefined : "method_not_allowed");
    }
  },
);

test("POST to one contact and PATCH to all of them are 405", async () => {
  expect((await call("POST", "/contacts/1", {})).status).toBe(405);
  expect((await call("PATCH", "/contacts", {})).status).toBe(405);
});

test("X-HTTP-Method-Override changes nothing", async () => {
  const answer = await call("GET", "/contacts?limit=1", undefined, {
    "x-http-method-override": "DELETE",
    "x-method-override": "DELETE",
  });
  expect(answer.status).toBe(200);
});

test("a path that is nowhere is 404 route_not_found", async () => {
  for (const path of ["/api/v1/nothing", "/api/v1/contacts/1/x", "/api/v2/contacts", "/x", "//"]) {
    const answer = await fixture.api.call("GET", path);
    expect([answer.status, answer.json.error.code]).toEqual([404, "route_not_found"]);
  }
});

test("a sent request id of 1 to 128 visible ASCII characters is echoed, any other is replaced", async () => {
  const visible = "!~" + "a".repeat(126);
  for (const path of ["/api/v1/contacts", "/api/v1/contacts/abc", "/nowhere", "/healthz"]) {
    const echoed = await fixture.api.call("GET", path, { headers: { "x-request-id": visible } });
    expect(echoed.headers.get("x-request-id")).toBe(visible);
    expect(echoed.json.error?.request_id ?? visible).toBe(visible);
  }
  for (const refused of ["", "a".repeat(129), "has space", "ünïcode"]) {
    const made = await rawCall(fixture.api.url, "GET", "/api/v1/contacts", {
      headers: { "x-request-id": Buffer.from(refused, "utf8").toString("latin1") },
    });
    expect(made.headers.get("x-request-id")).toMatch(/^req_[\w-]{12}$/);
    expect(made.json.error.request_id).toBe(made.headers.get("x-request-id"));
  }
});
