import { expect, test } from "vitest";
import { createTestAccount } from "../../support/accounts.ts";
import { insertApiKey, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(
  async () =>
    await startApiFixture({
      RATE_LIMIT_PER_MINUTE: "6",
      RATE_LIMIT_BURST: String(burst),
      DASHBOARD_RATE_LIMIT_PER_MINUTE: "6",
      DASHBOARD_RATE_LIMIT_BURST: String(burst),
    }),
);
const burst = 5;

/** A key of that account, or of a new one. */
async function newKey(given?: number): Promise<string> {
  const accountId = given ?? (await createTestAccount(fixture.database.dataSource)).accountId;
  return await insertApiKey(fixture, { accountId, scopes: ["contacts:read", "contacts:write"] });
}

test("every answer tells what is left; a burst later it is 429 with Retry-After", async () => {
  const apiKey = await newKey();
  for (let left = burst - 1; left >= 0; left -= 1) {
    const path = left % 2 === 0 ? "/api/v1/contacts" : "/api/v1/contacts/abc";
    const answer = await fixture.api.call("GET", path, { apiKey });
    expect(answer.status).toBe(left % 2 === 0 ? 200 : 404);
    expect(answer.headers.get("x-ratelimit-limit")).toBe("6");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe(String(left));
    const reset = Number(answer.headers.get("x-ratelimit-reset"));
    expect(reset).toBeGreaterThan((burst - left - 1) * 10);
    expect(reset).toBeLessThanOrEqual((burst - left) * 10);
  }
  const refused = await fixture.api.call("GET", "/api/v1/contacts", { apiKey });
  expect(refused.status).toBe(429);
  expect(refused.json.error).toMatchObject({ code: "rate_limited", details: null });
  const retryAfter = Number(refused.headers.get("retry-after"));
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(10);
  expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
});

test("keys of an account share its tokens, and another account has its own", async () => {
  const { accountId } = await createTestAccount(fixture.database.dataSource);
  const [first, second, other] = [await newKey(accountId), await newKey(accountId), await newKey()];
  for (let used = 0; used < burst; used += 1)
    await fixture.api.call("GET", "/api/v1/contacts", { apiKey: used % 2 === 0 ? first : second });
  // Before its scope and body are read.
  const refused = await fixture.api.call("POST", "/api/v1/contacts", { apiKey: second, body: "{" });
  expect(refused.json.error.code).toBe("rate_limited");
  const free = await fixture.api.call("GET", "/api/v1/contacts", { apiKey: other });
  expect([free.status, free.headers.get("x-ratelimit-remaining")]).toEqual([200, "4"]);
});

test("a login that writes without pause is refused until it has a token again, and may read", async () => {
  const { dataSource } = fixture.database;
  const [{ cookie }, other] = [
    await createTestAccount(dataSource, { role: "agent" }),
    await createTestAccount(dataSource),
  ];
  const write = async (by = cookie) =>
    await fixture.api.call("POST", "/dashboard/api/contacts", {
      cookie: by,
      body: { email: `w${Math.random()}@example.com` },
    });
  const statuses: number[] = [];
  for (let used = 0; used < burst; used += 1) statuses.push((await write()).status);
  expect(statuses).toEqual(statuses.map(() => 201));
  const refused = await write();
  expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  // Also where the role would not do: whoever may not is counted too.
  const admins = await fixture.api.call("PATCH", "/dashboard/api/account", { cookie, body: {} });
  expect(admins.status).toBe(429);
  const read = await fixture.api.call("GET", "/dashboard/api/contacts", { cookie });
  expect(read.status).toBe(200);
  expect((await write(other.cookie)).status).toBe(201);
});

test("X-Forwarded-For opens no new bucket", async () => {
  const apiKey = await newKey();
  const statuses: number[] = [];
  for (let used = 0; used <= burst; used += 1) {
    const headers = { "x-forwarded-for": `198.51.100.${used}` };
    statuses.push((await fixture.api.call("GET", "/api/v1/contacts", { apiKey, headers })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
});

test("a 429 is not kept for its Idempotency-Key", async () => {
  const apiKey = await newKey();
  for (let used = 0; used < burst; used += 1)
    await fixture.api.call("GET", "/api/v1/contacts", { apiKey });
  const body = { email: "later@example.com" };
  const headers = { "idempotency-key": "after-429" };
  const refused = await fixture.api.call("POST", "/api/v1/contacts", { apiKey, headers, body });
  expect(refused.status).toBe(429);
  expect(await fixture.count("idempotency_keys")).toEqual({ idempotency_keys: 0 });
});
