import { expect, test } from "vitest";
import { scopes } from "../../../core/model/principal.ts";
import { generateApiKey } from "../../../core/secrets.ts";
import { v1Routes } from "../../../api/v1/index.ts";
import { startTestApi } from "../../support/api.ts";
import { insertApiKey, rawCall, startApiFixture } from "../api-fixture.ts";
import { makeTargets, pathOf, v1Requests } from "../v1/v1-requests.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

const list = async (authorization: string | null) =>
  await rawCall(fixture.api.url, "GET", "/api/v1/contacts", {
    headers: authorization === null ? {} : { authorization },
  });

test("every route without a key is 401 missing_api_key and says Bearer", async () => {
  for (const { method, path } of v1Routes) {
    const answer = await fixture.api.call(method, `/api/v1${path.replace(":id", "1")}`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.json.error).toStrictEqual({
      code: "missing_api_key",
      message: "Send your API key as Authorization: Bearer <key>.",
      details: null,
      request_id: answer.headers.get("x-request-id"),
    });
  }
});

test("unknown, malformed, revoked, expired and disabled read alike", async () => {
  const { accountId, apiKey } = fixture.account;
  const past = ", expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND";
  const revoked = ", revoked_at = UTC_TIMESTAMP(3)";
  await fixture.query(
    "INSERT INTO accounts SET name = 'off', settings = '{}', disabled_at = NOW()",
  );
  const [off] = await fixture.query<{ id: number }>("SELECT MAX(id) AS id FROM accounts");
  const tokens = [
    generateApiKey(),
    await insertApiKey(fixture, { accountId, scopes, set: past }),
    await insertApiKey(fixture, { accountId, scopes, set: revoked }),
    await insertApiKey(fixture, { accountId: Number(off?.id), scopes }),
    apiKey.slice(0, -1),
    `${apiKey}x`,
    apiKey.toLowerCase(),
    apiKey.replace("parley_", "parley-"),
    "x",
    "null",
    "ключ",
  ];
  const headers = tokens.map((token) => `Bearer ${Buffer.from(token).toString("latin1")}`);
  const refused = [
    ...headers,
    "Bearer",
    "Bearer ",
    `Bearer  ${apiKey}`,
    `Bearer ${apiKey} ${apiKey}`,
    `Bearer ${apiKey}, Bearer ${apiKey}`,
    `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}`,
    `Token ${apiKey}`,
    apiKey,
  ];
  for (const authorization of refused) {
    const answer = await list(authorization);
    expect([authorization, answer.status]).toEqual([authorization, 401]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.json.error).toMatchObject({
      code: "invalid_api_key",
      message: "This API key is unknown, revoked or expired.",
      details: null,
    });
  }
});

test("an address whose keys fail is 429 after a burst, while its valid keys and other addresses go on", async () => {
  const api = await startTestApi(fixture.database, { TRUST_PROXY: "true" });
  const call = async (apiKey: string, address: string) =>
    await api.call("GET", "/api/v1/contacts", { apiKey, headers: { "x-forwarded-for": address } });
  const statuses: number[] = [];
  for (let index = 0; index < 120; index += 1) {
    statuses.push((await call(generateApiKey(), "198.51.100.7")).status);
  }
  expect(statuses.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 401));
  expect(statuses).toContain(429);
  const refused = await call("malformed", "198.51.100.7");
  expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect((await call(fixture.account.apiKey, "198.51.100.7")).status).toBe(200);
  expect((await call(generateApiKey(), "198.51.100.8")).status).toBe(401);
  await api.stop();
});

test("the scheme may be written in any case", async () => {
  for (const scheme of ["bearer", "BEARER", "Bearer"]) {
    expect((await list(`${scheme} ${fixture.account.apiKey}`)).status).toBe(200);
  }
});

test("two Authorization headers are refused, even where the first one is good", async () => {
  const answer = await rawCall(fixture.api.url, "GET", "/api/v1/contacts", {
    headers: { authorization: [`Bearer ${fixture.account.apiKey}`, "Bearer other"] },
  });
  expect([answer.status, answer.json.error.code]).toEqual([401, "invalid_api_key"]);
});

test("a key in the query, in a cookie or in another header is no key", async () => {
  const { apiKey, cookie } = fixture.account;
  for (const name of ["api_key", "access_token", "key", "authorization"]) {
    const answer = await fixture.api.call("GET", `/api/v1/contacts?${name}=${apiKey}`);
    expect(answer.json.error.code).toBe("missing_api_key");
  }
  const answer = await fixture.api.call("GET", "/api/v1/contacts", {
    cookie,
    headers: { "x-api-key": apiKey },
  });
  expect(answer.json.error.code).toBe("missing_api_key");
});

const subsets = Array.from({ length: 2 ** scopes.length }, (_, bits) =>
  scopes.filter((_scope, index) => (bits >> index) % 2 === 1),
);

test("each of the 32 sets of scopes opens exactly the routes that name one of them", async () => {
  const { accountId, apiKey } = fixture.account;
  const ids = await makeTargets(fixture, apiKey);
  expect(new Set(v1Requests.map(({ scope }) => scope))).toEqual(new Set(scopes));
  for (const granted of subsets) {
    const key = await insertApiKey(fixture, { accountId, scopes: granted });
    for (const request of v1Requests) {
      const { route, scope, status, body } = request;
      const answer = await fixture.api.call(route.method, pathOf(request, ids), {
        apiKey: key,
        body,
      });
      const open = granted.includes(scope);
      expect([request.name, granted, answer.status]).toEqual([
        request.name,
        granted,
        open ? status : 403,
      ]);
      if (open) continue;
      expect(answer.json.error).toStrictEqual({
        code: "insufficient_scope",
        message: `This API key lacks the scope ${scope}.`,
        details: { required_scope: scope, granted_scopes: granted },
        request_id: answer.headers.get("x-request-id"),
      });
    }
  }
});

test("the scope of every route of the contract is the contract's", () => {
  const needed = Object.fromEntries(v1Requests.map(({ name, scope }) => [name, scope]));
  expect(needed).toEqual({
    "GET /conversations": "conversations:read",
    "POST /conversations": "conversations:write",
    "GET /conversations/:id": "conversations:read",
    "PATCH /conversations/:id": "conversations:write",
    "POST /conversations/:id/bot": "bot:manage",
    "GET /conversations/:id/messages": "conversations:read",
    "POST /conversations/:id/messages": "conversations:write",
    "GET /templates": "conversations:read",
    "GET /contacts": "contacts:read",
    "POST /contacts": "contacts:write",
    "GET /contacts/:id": "contacts:read",
    "PATCH /contacts/:id": "contacts:write",
  });
});

test("checks go in the documented order", async () => {
  const { accountId } = fixture.account;
  const good = fixture.account.apiKey;
  const reader = await insertApiKey(fixture, { accountId, scopes: ["contacts:read"] });
  const big = Buffer.alloc(1_048_577, "x");
  const json = { "content-type": "application/json" };
  const steps: [string, string, string, Record<string, string>, string | Buffer][] = [
    ["route_not_found", "POST", "/api/v1/nothing", {}, "{"],
    ["method_not_allowed", "PUT", "/api/v1/contacts/1", {}, "{"],
    ["missing_api_key", "PATCH", "/api/v1/contacts/abc", { "content-type": "text/plain" }, "{"],
    [
      "invalid_api_key",
      "PATCH",
      "/api/v1/contacts/abc",
      { authorization: "Bearer x", ...json },
      big,
    ],
    [
      "insufficient_scope",
      "PATCH",
      "/api/v1/contacts/abc",
      { authorization: `Bearer ${reader}` },
      "{",
    ],
    [
      "insufficient_scope",
      "PATCH",
      "/api/v1/contacts/abc",
      { authorization: `Bearer ${reader}`, ...json },
      big,
    ],
    [
      "unsupported_media_type",
      "PATCH",
      "/api/v1/contacts/abc",
      { authorization: `Bearer ${good}`, "content-type": "text/plain" },
      big,
    ],
    [
      "payload_too_large",
      "PATCH",
      "/api/v1/contacts/abc",
      { authorization: `Bearer ${good}`, ...json },
      big,
    ],
    [
      "invalid_json",
      "PATCH",
      "/api/v1/contacts/abc",
      { authorization: `Bearer ${good}`, ...json },
      "{",
    ],
    [
      "validation_error",
      "PATCH",
      "/api/v1/contacts/abc",
      { authorization: `Bearer ${good}`, ...json },
      '{"x":1}',
    ],
    [
      "contact_not_found",
      "PATCH",
      "/api/v1/contacts/abc",
      { authorization: `Bearer ${good}`, ...json },
      "{}",
    ],
  ];
  for (const [code, method, path, headers, body] of steps) {
    const answer = await rawCall(fixture.api.url, method, path, {
      headers: { ...headers, "content-length": String(body.length) },
      chunks: [body],
    });
    expect(answer.json.error.code).toBe(code);
  }
});
