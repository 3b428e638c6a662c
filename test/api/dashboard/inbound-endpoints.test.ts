import { expect, test } from "vitest";
import { inboundSecretContext } from "../../../core/services/inbound/inbound-endpoints.ts";
import { createTestAccount, testSecretBox, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { createTestEndpoint, refusal } from "../inbound/inbound-fixture.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ PUBLIC_URL: publicUrl }));
const publicUrl = "http://parley.example:8080";
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const phone = "5215512345678";

async function call(
  method: string,
  path: string,
  body?: unknown,
  { cookie }: TestAccount = fixture.account,
): Promise<TestAnswer> {
  return await fixture.api.call(method, `/dashboard/api/inbound-endpoints${path}`, {
    cookie,
    body,
  });
}

/** An agent of an account, straight into the tables. */
async function demote(account: TestAccount): Promise<void> {
  await fixture.query("UPDATE memberships SET role = 'agent' WHERE account_id = ?", [
    account.accountId,
  ]);
}

test("a new endpoint answers its URL and, this once, its secret", async () => {
  const made = await call("POST", "", { name: " CRM " });
  const { secret, ...view } = made.json.data;
  expect([made.status, made.json]).toStrictEqual([
    201,
    {
      success: true,
      data: {
        id: expect.any(Number),
        kind: "inbound",
        name: "CRM",
        strict: false,
        enabled: true,
        url: `${publicUrl}/api/webhooks/inbound/${view.slug}`,
        slug: expect.stringMatching(/^[0-9A-Za-z]{26}$/),
        old_secret_until: null,
        last_request_at: null,
        last_24_hours: {
          done: 0,
          repeated: 0,
          bad_signature: 0,
          refused: 0,
          limited: 0,
          failed: 0,
        },
        created_at: timestamp,
        updated_at: view.created_at,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      },
    },
  ]);
  expect((await call("GET", `/${view.id}`)).json.data).toStrictEqual(view);
  expect((await call("GET", "?limit=1")).json).toStrictEqual({
    success: true,
    data: [view],
    meta: { total: expect.any(Number), total_at_least: false, limit: 1, offset: 0 },
  });
  const [row] = await fixture.query<{ sealed: string; key_id: string }>(
    "SELECT sealed, key_id FROM inbound_endpoint_secrets WHERE endpoint_id = ?",
    [view.id],
  );
  expect(row?.sealed).not.toContain(secret);
  expect(row?.key_id).toBe("test");
  const context = inboundSecretContext(fixture.account.accountId, view.id);
  expect(testSecretBox.open(row?.sealed ?? "", context)).toBe(secret);
  expect(() => testSecretBox.open(row?.sealed ?? "", inboundSecretContext(99, view.id))).toThrow(
    "cannot be opened",
  );
});

test.each<[unknown, string[]]>([
  [{ name: "" }, ["body.name too_small"]],
  [{ name: "x".repeat(201) }, ["body.name too_big"]],
  [{ name: 5, strict: "yes" }, ["body.name invalid_type", "body.strict invalid_type"]],
  [{ name: "x", slug: "a", secret: "b" }, ["body.secret unknown_field", "body.slug unknown_field"]],
])("%j is refused, on POST and on PATCH", async (body, issues) => {
  const { id, manage } = await createTestEndpoint(fixture, { account: fixture.account });
  const before = await checksum(fixture);
  for (const answer of [await call("POST", "", body), await manage("PATCH", "", body)]) {
    expect(refusal(answer)).toEqual([400, "validation_error"]);
    const details = answer.json.error.details as { path: string; code: string }[];
    expect(details.map(({ path, code }) => `${path} ${code}`).toSorted()).toEqual(issues);
  }
  expect(await checksum(fixture)).toBe(before);
  await call("DELETE", `/${id}`);
});

test("PATCH changes what is sent and nothing else; nothing new leaves no trace", async () => {
  const { id } = (await call("POST", "", { name: "P" })).json.data;
  const { secret: _, ...before } = (await call("GET", `/${id}`)).json.data;
  const named = await call("PATCH", `/${id}`, { name: "Q" });
  expect(named.json.data).toStrictEqual({ ...before, name: "Q", updated_at: timestamp });
  const strict = await call("PATCH", `/${id}`, { strict: true });
  expect(strict.json.data).toMatchObject({ name: "Q", strict: true, slug: before.slug });
  const sum = await checksum(fixture);
  for (const body of [{}, { name: " Q " }, { name: "Q", strict: true }])
    expect((await call("PATCH", `/${id}`, body)).text).toBe(strict.text);
  expect(await checksum(fixture)).toBe(sum);
  await call("DELETE", `/${id}`);
});

test("an account has 20 at most, also when 30 are made at once; a deleted one makes room", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const make = () => call("POST", "", { name: "E" }, account);
  const answers = await Promise.all(Array.from({ length: 30 }, make));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(20);
  for (const refused of answers.filter(({ status }) => status !== 201))
    expect([refused.status, refused.json.error.details[0].code]).toEqual([
      400,
      "too_many_endpoints",
    ]);
  await call("DELETE", `/${made[0]?.json.data.id}`, undefined, account);
  expect([(await make()).status, (await make()).status]).toEqual([201, 400]);
  const list = await call("GET", "?limit=100", undefined, account);
  expect(list.json.meta.total).toBe(20);
});

test("a deleted endpoint is gone from every route; its log stays in the table", async () => {
  const endpoint = await createTestEndpoint(fixture);
  await endpoint.act("contact.upsert", { phone });
  const deleted = await endpoint.manage("DELETE");
  expect(deleted.json).toStrictEqual({ success: true, data: { id: endpoint.id } });
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", {}],
    ["DELETE", "", undefined],
    ["POST", "/rotate-secret", undefined],
    ["GET", "/requests", undefined],
  ] as const)
    expect(refusal(await endpoint.manage(method, path, body))).toEqual([404, "endpoint_not_found"]);
  expect((await call("GET", "", undefined, endpoint.account)).json.data).toEqual([]);
  const [row] = await fixture.query<{ n: number }>(
    "SELECT COUNT(*) AS n FROM inbound_requests WHERE endpoint_id = ?",
    [endpoint.id],
  );
  expect(Number(row?.n)).toBe(1);
});

test("the endpoint of another account reads like an unknown one, on every route", async () => {
  const { id } = await createTestEndpoint(fixture);
  const before = await checksum(fixture);
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", { name: "x" }],
    ["DELETE", "", undefined],
    ["POST", "/rotate-secret", undefined],
    ["GET", "/requests", undefined],
  ] as const) {
    const ask = async (one: number) =>
      await fixture.api.call(method, `/dashboard/api/inbound-endpoints/${one}${path}`, {
        cookie: fixture.account.cookie,
        headers: { "x-request-id": "same" },
        body,
      });
    const foreign = await ask(id);
    expect(refusal(foreign)).toEqual([404, "endpoint_not_found"]);
    expect(foreign.text).toBe((await ask(999_999)).text);
  }
  expect(await checksum(fixture)).toBe(before);
});

test("an agent reads endpoints and logs, without URL and slug, and changes nothing", async () => {
  const endpoint = await createTestEndpoint(fixture);
  await endpoint.act("contact.upsert", { phone });
  await demote(endpoint.account);
  const read = await endpoint.manage("GET");
  expect(read.json.data).toMatchObject({ id: endpoint.id, name: "CRM", url: null, slug: null });
  const list = await call("GET", "", undefined, endpoint.account);
  const slug = endpoint.path.split("/").at(-1) ?? "";
  for (const answer of [read, list, await endpoint.manage("GET", "/requests")]) {
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(slug);
  }
  for (const [method, path, body] of [
    ["PATCH", "", {}],
    ["DELETE", "", undefined],
    ["POST", "/rotate-secret", undefined],
  ] as const)
    expect(refusal(await endpoint.manage(method, path, body))).toEqual([403, "forbidden_role"]);
  expect((await call("POST", "", { name: "x" }, endpoint.account)).status).toBe(403);
});

test("every admin action leaves an audit row, and no secret or slug in it", async () => {
  const { id, slug, secret } = (await call("POST", "", { name: "A", strict: true })).json.data;
  await call("PATCH", `/${id}`, { name: "B" });
  const rotated = (await call("POST", `/${id}/rotate-secret`)).json.data;
  expect(rotated).toStrictEqual({ id, secret: expect.stringMatching(/^whsec_/) });
  await call("DELETE", `/${id}`);
  const rows = await fixture.query(
    "SELECT actor_type, actor_id, action, details FROM audit_log WHERE target_type = 'inbound_endpoint' AND target_id = ? ORDER BY id",
    [id],
  );
  const { userId } = fixture.account;
  const expected: [string, object][] = [
    ["created", { name: "A", strict: true }],
    ["updated", { fields: ["name"] }],
    ["secret_rotated", {}],
    ["deleted", { name: "B" }],
  ];
  expect(rows).toEqual(
    expected.map(([action, details]) => ({
      actor_type: "user",
      actor_id: userId,
      action: `inbound_endpoint.${action}`,
      details,
    })),
  );
  for (const canary of [slug, secret, rotated.secret])
    expect(JSON.stringify(rows)).not.toContain(canary);
});
