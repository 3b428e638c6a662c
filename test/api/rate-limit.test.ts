import { afterAll, beforeAll, expect, test } from "vitest";
import { insertApiKey, startScene, type Scene } from "./scene.ts";

let scene: Scene;
const burst = 5;

beforeAll(async () => {
  scene = await startScene({ RATE_LIMIT_PER_MINUTE: "6", RATE_LIMIT_BURST: String(burst) });
});

afterAll(async () => await scene.stop());

const newKey = async () =>
  await insertApiKey(scene, {
    accountId: scene.account.accountId,
    scopes: ["contacts:read", "contacts:write"],
  });

test("every answer tells what is left; a burst later it is 429 with Retry-After", async () => {
  const apiKey = await newKey();
  for (let left = burst - 1; left >= 0; left -= 1) {
    const path = left % 2 === 0 ? "/api/v1/contacts" : "/api/v1/contacts/abc";
    const answer = await scene.api.call("GET", path, { apiKey });
    expect(answer.status).toBe(left % 2 === 0 ? 200 : 404);
    expect(answer.headers.get("x-ratelimit-limit")).toBe("6");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe(String(left));
    const reset = Number(answer.headers.get("x-ratelimit-reset"));
    expect(reset).toBeGreaterThan((burst - left - 1) * 10);
    expect(reset).toBeLessThanOrEqual((burst - left) * 10);
  }
  const refused = await scene.api.call("GET", "/api/v1/contacts", { apiKey });
  expect(refused.status).toBe(429);
  expect(refused.json.error).toMatchObject({ code: "rate_limited", details: null });
  const retryAfter = Number(refused.headers.get("retry-after"));
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(10);
  expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
});

test("each key has its own tokens, and a spent one is refused before its scope and body are read", async () => {
  const apiKey = await newKey();
  const other = await newKey();
  for (let used = 0; used < burst; used += 1)
    await scene.api.call("GET", "/api/v1/contacts", { apiKey });
  const refused = await scene.api.call("POST", "/api/v1/contacts", { apiKey, body: "{" });
  expect(refused.json.error.code).toBe("rate_limited");
  const free = await scene.api.call("GET", "/api/v1/contacts", { apiKey: other });
  expect([free.status, free.headers.get("x-ratelimit-remaining")]).toEqual([200, "4"]);
});

test("X-Forwarded-For opens no new bucket", async () => {
  const apiKey = await newKey();
  const statuses: number[] = [];
  for (let used = 0; used <= burst; used += 1) {
    const headers = { "x-forwarded-for": `198.51.100.${used}` };
    statuses.push((await scene.api.call("GET", "/api/v1/contacts", { apiKey, headers })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
});

test("a 429 is not kept for its Idempotency-Key", async () => {
  const apiKey = await newKey();
  for (let used = 0; used < burst; used += 1)
    await scene.api.call("GET", "/api/v1/contacts", { apiKey });
  const body = { email: "later@example.com" };
  const headers = { "idempotency-key": "after-429" };
  const refused = await scene.api.call("POST", "/api/v1/contacts", { apiKey, headers, body });
  expect(refused.status).toBe(429);
  expect(await scene.count("idempotency_keys")).toEqual({ idempotency_keys: 0 });
});
