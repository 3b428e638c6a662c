import { expect, test, vi } from "vitest";
import { isWellFormedApiKey } from "../../../core/secrets.ts";
import { createTestAccount } from "../../support/accounts.ts";
import { startTestApi, type TestAnswer } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function call(method: string, path: string, body?: unknown): Promise<TestAnswer> {
  const { cookie } = fixture.account;
  return await fixture.api.call(method, `/dashboard/api/api-keys${path}`, { cookie, body });
}

const make = async (body: object = {}) =>
  await call("POST", "", { name: "CRM", scopes: ["contacts:read"], ...body });
const use = async (apiKey: string, api = fixture.api) =>
  (await api.call("GET", "/api/v1/contacts", { apiKey })).status;

test("a new key is shown this once; the database keeps its hash, its beginning and its end", async () => {
  const made = await make({
    name: " CRM ",
    scopes: ["contacts:read", "bot:manage", "contacts:read"],
  });
  expect(made.status).toBe(201);
  const { key, ...view } = made.json.data;
  expect(isWellFormedApiKey(key)).toBe(true);
  expect(view).toStrictEqual({
    id: expect.any(Number),
    name: "CRM",
    scopes: ["contacts:read", "bot:manage"],
    prefix: key.slice(0, 11),
    last_four: key.slice(-4),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    replaces_id: null,
    created_at: timestamp,
  });
  expect(await use(key)).toBe(200);
  const list = await call("GET", "");
  expect(list.json.data[0]).toStrictEqual(view);
  expect(list.json.meta).toStrictEqual({ total: 2, total_at_least: false, limit: 50, offset: 0 });
  expect(list.text).not.toContain(key);
  const [row] = await fixture.query(
    "SELECT *, key_hash = UNHEX(SHA2(?, 256)) AS hashed FROM api_keys WHERE id = ?",
    [key, view.id],
  );
  expect(row).toMatchObject({ hashed: 1, created_by_user_id: fixture.account.userId });
  expect(JSON.stringify(await fixture.query("SELECT * FROM audit_log"))).not.toContain(key);
});

test("a revoked key is refused everywhere within a second, also by a process that has just used it", async ({
  onTestFinished,
}) => {
  const second = await startTestApi(fixture.database);
  const { id, key } = (await make()).json.data;
  expect([await use(key), await use(key, second)]).toEqual([200, 200]);
  const revoked = await call("POST", `/${id}/revoke`);
  expect([revoked.status, revoked.json.data]).toEqual([
    200,
    expect.objectContaining({ id, revoked_at: timestamp }),
  ]);
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 1_000);
  onTestFinished(() => clock.mockRestore());
  expect([await use(key), await use(key, second)]).toEqual([401, 401]);
  const again = await call("POST", `/${id}/revoke`);
  expect(again.json.data.revoked_at).toBe(revoked.json.data.revoked_at);
  await second.stop();
});

test("a successor has name and scopes of the old key, which goes on for 24 hours or as long as said", async () => {
  const old = (await make({ name: "Old", scopes: ["contacts:read", "contacts:write"] })).json.data;
  const rotated = await call("POST", `/${old.id}/rotate`);
  expect(rotated.status).toBe(201);
  expect(rotated.json.data).toMatchObject({
    name: "Old",
    scopes: old.scopes,
    replaces_id: old.id,
    expires_at: null,
  });
  expect([await use(old.key), await use(rotated.json.data.key)]).toEqual([200, 200]);
  const hours = async (id: number) => {
    const { data } = (await call("GET", "?limit=100")).json;
    const row = (data as { id: number; expires_at: string }[]).find((one) => one.id === id);
    return (Date.parse(row?.expires_at ?? "") - Date.now()) / 3_600_000;
  };
  expect(await hours(old.id)).toBeCloseTo(24, 1);
  const at = await call("POST", `/${rotated.json.data.id}/rotate`, { overlap_hours: 0 });
  expect(at.status).toBe(201);
  await eventually(async () => expect(await use(rotated.json.data.key)).toBe(401));
  expect(await use(at.json.data.key)).toBe(200);
  const week = await call("POST", `/${at.json.data.id}/rotate`, { overlap_hours: 168 });
  expect(week.status).toBe(201);
  expect(await hours(at.json.data.id)).toBeCloseTo(168, 1);
});

test("a rotation never prolongs the old key, nor does a successor outlive it", async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const old = (await make({ expires_at })).json.data;
  expect(old.expires_at).toBe(expires_at);
  const rotated = await call("POST", `/${old.id}/rotate`, { overlap_hours: 168 });
  expect(rotated.json.data.expires_at).toBe(expires_at);
  const [row] = await fixture.query<{ expires_at: Date }>(
    "SELECT expires_at FROM api_keys WHERE id = ?",
    [old.id],
  );
  expect(row?.expires_at.toISOString()).toBe(expires_at);
});

test("a revoked key cannot be rotated, nor can an expired one", async () => {
  const revoked = (await make()).json.data;
  await call("POST", `/${revoked.id}/revoke`);
  const expired = (await make()).json.data;
  await fixture.query("UPDATE api_keys SET expires_at = UTC_TIMESTAMP(3) WHERE id = ?", [
    expired.id,
  ]);
  const before = await fixture.count("api_keys", "audit_log");
  for (const [id, code] of [
    [revoked.id, "api_key_revoked"],
    [expired.id, "api_key_expired"],
  ]) {
    const answer = await call("POST", `/${id}/rotate`);
    expect([answer.status, answer.json.error.code]).toEqual([409, code]);
  }
  expect(await fixture.count("api_keys", "audit_log")).toEqual(before);
});

test("a key has one successor: rotating it again is 409, also at once and after its overlap", async () => {
  const old = (await make()).json.data;
  const both = await Promise.all([0, 1].map(() => call("POST", `/${old.id}/rotate`)));
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
  await fixture.query("UPDATE api_keys SET expires_at = UTC_TIMESTAMP(3) WHERE id = ?", [old.id]);
  const before = await fixture.count("api_keys", "audit_log");
  const again = await call("POST", `/${old.id}/rotate`);
  expect([again.status, again.json.error.code, again.json.error.message]).toEqual([
    409,
    "api_key_rotated",
    "This key was rotated already. Rotate its successor.",
  ]);
  expect(await fixture.count("api_keys", "audit_log")).toEqual(before);
  const successor = both.find(({ status }) => status === 201)?.json.data;
  expect((await call("POST", `/${successor.id}/rotate`)).status).toBe(201);
});

test("a key ends at its expiry", async () => {
  const { id, key } = (await make({ expires_at: new Date(Date.now() + 60_000).toISOString() })).json
    .data;
  expect(await use(key)).toBe(200);
  await fixture.query(
    "UPDATE api_keys SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE id = ?",
    [id],
  );
  await eventually(async () => expect(await use(key)).toBe(401));
});

test.each<[object, string]>([
  [{ name: "" }, "body.name too_small"],
  [{ name: "x".repeat(201) }, "body.name too_big"],
  [{ scopes: [] }, "body.scopes too_small"],
  [{ scopes: ["contacts:read", "contacts:*"] }, "body.scopes.1 invalid_value"],
  [{ scopes: "contacts:read" }, "body.scopes invalid_type"],
  [{ expires_at: "2020-01-01T00:00:00.000Z" }, "body.expires_at in_the_past"],
  [{ expires_at: "tomorrow" }, "body.expires_at invalid_format"],
  [{ account_id: 1 }, "body.account_id unknown_field"],
])("a key with %j is refused", async (body, issue) => {
  const before = await fixture.count("api_keys", "audit_log");
  const answer = await make(body);
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  const details = answer.json.error.details as { path: string; code: string }[];
  expect(details.map(({ path, code }) => `${path} ${code}`)).toEqual([issue]);
  expect(await fixture.count("api_keys", "audit_log")).toEqual(before);
});

test.each([-1, 169, 1.5, "24", null])(
  "an overlap of %j hours is refused",
  async (overlap_hours) => {
    const answer = await call("POST", `/${fixture.account.apiKeyId}/rotate`, { overlap_hours });
    expect([answer.status, answer.json.error.details[0].path]).toEqual([400, "body.overlap_hours"]);
  },
);

test("the use of a key is written down apart from its requests, when the process flushes", async () => {
  const { id, key } = (await make()).json.data;
  const lastUsed = async () =>
    (
      await fixture.query<{ last_used_at: Date | null }>(
        "SELECT last_used_at FROM api_keys WHERE id = ?",
        [id],
      )
    )[0]?.last_used_at;
  const before = Date.now();
  await use(key);
  expect(await lastUsed()).toBeNull();
  await fixture.api.deps.apiKeyAuth.flushUses();
  expect((await lastUsed())?.getTime()).toBeGreaterThanOrEqual(before);
  const other = await createTestAccount(fixture.database.dataSource);
  const list = await fixture.api.call("GET", "/dashboard/api/api-keys", { cookie: other.cookie });
  expect(list.json.meta.total).toBe(1);
});
