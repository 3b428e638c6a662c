import { expect, test } from "vitest";
import type { TestAnswer } from "../../support/api.ts";
import { insertApiKey, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

async function post(
  key: string,
  body: unknown,
  { apiKey = fixture.account.apiKey, path = "/api/v1/contacts" } = {},
): Promise<TestAnswer> {
  return await fixture.api.call("POST", path, {
    apiKey,
    headers: { "idempotency-key": key },
    body,
  });
}

const replayed = (answer: TestAnswer) => answer.headers.get("idempotent-replayed");
const rows = async () => await fixture.count("contacts", "events", "idempotency_keys");

test("a repetition reads the first answer, byte by byte, and does nothing", async () => {
  const body = { phone: "34600000001", name: "Once" };
  const first = await post("replay", body);
  const before = await rows();
  await fixture.query("UPDATE contacts SET name = 'changed meanwhile' WHERE phone = '34600000001'");
  const second = await post("replay", { name: "Once", phone: "+34 600 000 001" });
  expect([first.status, replayed(first)]).toEqual([201, null]);
  expect([second.status, replayed(second), second.text]).toEqual([201, "true", first.text]);
  expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
  expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  expect(await rows()).toEqual(before);
});

test("another body with the same key is 422, and the first answer stays", async () => {
  const first = await post("reused", { email: "reused@x.co" });
  const other = await post("reused", { email: "reused@x.co", name: "x" });
  expect([other.status, other.json.error.code]).toEqual([422, "idempotency_key_reused"]);
  expect((await post("reused", { email: "reused@x.co" })).text).toBe(first.text);
});

test("of 20 at once one runs, the others read its answer or 409", async () => {
  const before = await rows();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post("parallel", { email: "parallel@x.co" })),
  );
  const ran = answers.filter((answer) => answer.status === 201 && replayed(answer) === null);
  expect(ran).toHaveLength(1);
  const others = answers.filter((answer) => answer !== ran[0]);
  const wrong = others.filter(({ text, json }) =>
    json.success ? text !== ran[0]?.text : json.error.code !== "idempotency_in_progress",
  );
  expect(wrong).toEqual([]);
  expect(await rows()).toEqual({
    contacts: Number(before["contacts"]) + 1,
    events: Number(before["events"]) + 1,
    idempotency_keys: Number(before["idempotency_keys"]) + 1,
  });
});

test("a 400 is not kept: the corrected request may use the key", async () => {
  const before = await fixture.count("idempotency_keys");
  expect((await post("fixed", { email: "no" })).status).toBe(400);
  expect((await post("fixed", "{")).status).toBe(400);
  expect(await fixture.count("idempotency_keys")).toEqual(before);
  expect((await post("fixed", { email: "fixed@x.co" })).status).toBe(201);
});

test("a 400 that the stored data decide is not kept either", async () => {
  const opened = await fixture.api.call("POST", "/api/v1/conversations", {
    apiKey: fixture.account.apiKey,
    body: { phone: "34600000017" },
  });
  await fixture.query("UPDATE conversations SET last_customer_message_at = NOW(3)");
  const path = `/api/v1/conversations/${opened.json.data.id}/messages`;
  const answer = async (body: object) =>
    await fixture.api.call("POST", path, {
      apiKey: fixture.account.apiKey,
      headers: { "idempotency-key": "answers" },
      body,
    });
  const wrong = await answer({ content: "Hi", reply_to_message_id: 999_999_999 });
  expect([wrong.status, wrong.json.error.code]).toEqual([400, "validation_error"]);
  const right = await answer({ content: "Hi" });
  expect([right.status, replayed(right)]).toEqual([201, null]);
});

test("neither 401, 403 nor 413 is kept", async () => {
  const before = await fixture.count("idempotency_keys");
  const reader = await insertApiKey(fixture, {
    accountId: fixture.account.accountId,
    scopes: ["contacts:read"],
  });
  expect((await post("early", { email: "a@x.co" }, { apiKey: "nope" })).status).toBe(401);
  expect((await post("early", { email: "a@x.co" }, { apiKey: reader })).status).toBe(403);
  expect((await post("early", " ".repeat(1_048_577))).status).toBe(413);
  expect(await fixture.count("idempotency_keys")).toEqual(before);
});

test("a 409 is kept and replayed, its cause gone or not", async () => {
  await post("made-1", { phone: "34600000002" });
  const other = await post("made-2", { email: "conflict@x.co" });
  const body = { phone: "34600000002", email: "conflict@x.co" };
  const first = await post("conflict", body);
  expect([first.status, replayed(first)]).toEqual([409, null]);
  await fixture.query("DELETE FROM contacts WHERE id = ?", [other.json.data.id]);
  const second = await post("conflict", body);
  expect([second.status, replayed(second), second.text]).toEqual([409, "true", first.text]);
  expect((await post("conflict-2", body)).status).toBe(200);
});

test("a key counts for one API key and one path alone", async () => {
  const { accountId } = fixture.account;
  const apiKey = await insertApiKey(fixture, { accountId, scopes: ["contacts:write"] });
  const body = { email: "scoped@x.co" };
  expect((await post("scoped", body)).status).toBe(201);
  const second = await post("scoped", { ...body, name: "other body" }, { apiKey });
  expect([second.status, replayed(second)]).toEqual([200, null]);
});

test("after 24 hours a key is as good as new", async () => {
  await post("old", { email: "old@x.co" });
  const age =
    "UPDATE idempotency_keys SET created_at = created_at - INTERVAL ? SECOND WHERE value = 'old'";
  await fixture.query(age, [86_400 - 60]);
  expect((await post("old", { email: "other@x.co" })).status).toBe(422);
  await fixture.query(age, [61]);
  const again = await post("old", { email: "other@x.co" });
  expect([again.status, replayed(again)]).toEqual([201, null]);
  expect((await post("old", { email: "other@x.co" })).text).toBe(again.text);
});

test("while the first call may be alive a second one is 409; when its lease ends it takes over", async () => {
  const body = { email: "lease@x.co" };
  await post("lease", body);
  const crashed =
    "UPDATE idempotency_keys SET status = NULL, answer = NULL, lease_until = UTC_TIMESTAMP(3) + INTERVAL ? SECOND WHERE value = 'lease'";
  await fixture.query(crashed, [30]);
  expect((await post("lease", body)).json.error.code).toBe("idempotency_in_progress");
  expect((await post("lease", { email: "else@x.co" })).json.error.code).toBe(
    "idempotency_key_reused",
  );
  await fixture.query(crashed, [-1]);
  const answers = await Promise.all(Array.from({ length: 10 }, () => post("lease", body)));
  const ran = answers.filter((answer) => answer.status === 200 && replayed(answer) === null);
  expect(ran).toHaveLength(1);
});

test.each([
  ["empty", ""],
  ["256 characters", "k".repeat(256)],
  ["a space inside", "a b"],
  ["no ASCII", "clé"],
])("a key that is %s is 400", async (_, key) => {
  const before = await rows();
  const answer = await post(key, { email: "bad-key@x.co" });
  expect(answer.status).toBe(400);
  expect(answer.json.error.details).toEqual([
    {
      path: "headers.idempotency-key",
      code: "invalid_idempotency_key",
      message: "Use 1 to 255 visible ASCII characters.",
    },
  ]);
  expect(await rows()).toEqual(before);
});

test("a key of 255 characters is taken, keys differ by case", async () => {
  expect((await post("k".repeat(255), { email: "long@x.co" })).status).toBe(201);
  expect((await post("K".repeat(255), { email: "upper@x.co" })).status).toBe(201);
});

test("on GET and PATCH the header means nothing", async () => {
  const { apiKey } = fixture.account;
  const made = await post("get", { email: "get@x.co" });
  const path = `/api/v1/contacts/${Number(made.json.data.id)}`;
  const before = await fixture.count("idempotency_keys");
  for (const name of ["one", "two"]) {
    const headers = { "idempotency-key": "x".repeat(300) };
    const answer = await fixture.api.call("PATCH", path, { apiKey, headers, body: { name } });
    expect([answer.status, answer.json.data.name]).toEqual([200, name]);
    expect((await fixture.api.call("GET", path, { apiKey, headers })).status).toBe(200);
  }
  expect(await fixture.count("idempotency_keys")).toEqual(before);
});
