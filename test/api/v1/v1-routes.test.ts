import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { checksum, rawCall, startApiFixture } from "../api-fixture.ts";
import {
  makeTargets,
  pathOf,
  pathTo,
  v1Requests,
  type Ids,
  type V1Request,
} from "./v1-requests.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let own: Ids;
let foreign: Ids;
let before: string;

beforeAll(async () => {
  own = await makeTargets(fixture, fixture.account.apiKey);
  const other = await createTestAccount(fixture.database.dataSource);
  foreign = await makeTargets(fixture, other.apiKey);
});

beforeEach(async () => {
  before = await checksum(fixture);
});

const withBody = v1Requests.filter(({ body }) => body !== undefined);
const withId = v1Requests.filter(({ route }) => route.noun !== undefined);

async function send(
  request: V1Request,
  options: { path?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<TestAnswer> {
  return await fixture.api.call(request.route.method, options.path ?? pathOf(request, own), {
    apiKey: fixture.account.apiKey,
    headers: options.headers ?? {},
    body: "body" in options ? options.body : request.body,
  });
}

/** The code of a refusal that wrote nothing. */
async function refusalOf(answer: TestAnswer): Promise<[number, string]> {
  expect(await checksum(fixture)).toBe(before);
  expect(Object.keys(answer.json)).toEqual(["success", "error"]);
  expect(answer.json.error.request_id).toBe(answer.headers.get("x-request-id"));
  return [answer.status, answer.json.error.code];
}

test.each(v1Requests)("$name answers a good request with $status", async (request) => {
  const answer = await send(request);
  expect(answer.status).toBe(request.status);
  const { success, data, meta } = answer.json;
  expect(success).toBe(true);
  expect(Array.isArray(data)).toBe(meta !== undefined);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

test.each(v1Requests)("$name without a key is 401", async (request) => {
  const answer = await fixture.api.call(request.route.method, pathOf(request, own), {
    body: request.body,
  });
  expect(await refusalOf(answer)).toEqual([401, "missing_api_key"]);
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
});

test.each(withId)("$name reads another account's id as an unknown one", async (request) => {
  const headers = { "x-request-id": "same" };
  const hidden = await send(request, { path: pathOf(request, foreign), headers });
  const unknown = await send(request, { path: pathTo(request.route, "88888888"), headers });
  expect(await refusalOf(hidden)).toEqual([404, `${String(request.route.noun)}_not_found`]);
  expect(hidden.text).toBe(unknown.text);
  const [one, two] = [hidden, unknown].map((answer) =>
    [...answer.headers].filter(([name]) => name !== "date"),
  );
  expect(one).toEqual(two);
});

test.each(withId)("$name reads an id that is no number as an unknown one", async (request) => {
  const words = ["abc", "0", "-1", "01", "1.0", "1e3", "0x1", "%20", "%00", "9".repeat(20)];
  for (const id of words) {
    const answer = await send(request, { path: pathTo(request.route, id) });
    expect([id, ...(await refusalOf(answer))]).toEqual([
      id,
      404,
      `${String(request.route.noun)}_not_found`,
    ]);
  }
});

const methods = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"];
const paths = [...new Set(v1Requests.map(({ route }) => route.path))];

test.each(paths)("%s takes its own methods alone and names them", async (path) => {
  const declared = v1Requests.filter(({ route }) => route.path === path);
  const allowed = declared.map(({ route }) => route.method as string);
  for (const method of methods.filter((one) => !allowed.includes(one))) {
    const answer = await rawCall(fixture.api.url, method, `/api/v1${path.replace(":id", "1")}`, {
      headers: { authorization: `Bearer ${fixture.account.apiKey}` },
    });
    expect([method, answer.status]).toEqual([method, 405]);
    expect(answer.headers.get("allow")?.split(", ").toSorted()).toEqual(allowed.toSorted());
    // An answer to HEAD has no body.
    expect(answer.json?.error.code).toBe(method === "HEAD" ? undefined : "method_not_allowed");
  }
  expect(await checksum(fixture)).toBe(before);
});

test.each(withBody)("$name refuses a body of another type with 415", async (request) => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "text/json"]) {
    const answer = await send(request, { headers: { "content-type": type } });
    expect(await refusalOf(answer)).toEqual([415, "unsupported_media_type"]);
  }
});

test.each(withBody)("$name refuses a body above 1 MiB with 413", async (request) => {
  const body = JSON.stringify(request.body).padEnd(1_048_577, " ");
  expect(await refusalOf(await send(request, { body }))).toEqual([413, "payload_too_large"]);
});

test.each(withBody)("$name refuses what is no JSON with 400", async (request) => {
  for (const body of ["{", "{}x", "hello", '{"a":1,}', " "]) {
    expect(await refusalOf(await send(request, { body }))).toEqual([400, "invalid_json"]);
  }
});

test.each(withBody)(
  "$name refuses what is no object, and members it does not know",
  async (request) => {
    for (const body of ["null", "[]", '"text"', "5"]) {
      const answer = await send(request, { body });
      expect(await refusalOf(answer)).toEqual([400, "validation_error"]);
    }
    for (const name of ["id", "account_id", "__proto__", "constructor"]) {
      const text = JSON.stringify(request.body);
      const more = `${text.slice(0, -1)}${text === "{}" ? "" : ","}"${name}":1}`;
      const answer = await send(request, { body: more });
      expect(await refusalOf(answer)).toEqual([400, "validation_error"]);
      expect(answer.json.error.details).toMatchObject([
        { path: `body.${name}`, code: "unknown_field" },
      ]);
    }
  },
);

test.each(withBody.flatMap((request) => request.refused.map((one) => [request, ...one] as const)))(
  "$name refuses bodies that break its rules",
  async (request, body, issues) => {
    const answer = await send(request, { body });
    expect(await refusalOf(answer)).toEqual([400, "validation_error"]);
    const details = answer.json.error.details as { path: string; code: string }[];
    expect(details.map(({ path, code }) => `${path} ${code}`)).toEqual(issues);
  },
);

test.each(v1Requests.filter(({ route }) => route.query !== undefined))(
  "$name refuses limits outside 1 to 100, and takes those within",
  async (request) => {
    const path = pathOf(request, own);
    for (const limit of ["0", "101", "-1", "x", "", "1.5", "1&limit=2"]) {
      const answer = await send(request, { path: `${path}?limit=${limit}` });
      expect(await refusalOf(answer)).toEqual([400, "validation_error"]);
      expect(answer.json.error.details).toMatchObject([{ path: "query.limit" }]);
    }
    for (const limit of [1, 100]) {
      const answer = await send(request, { path: `${path}?limit=${limit}&unknown=x` });
      expect([answer.status, answer.json.meta.limit]).toEqual([200, limit]);
    }
    expect((await send(request)).json.meta.limit).toBe(50);
  },
);

test.each(v1Requests.filter(({ route }) => route.method === "POST"))(
  "$name with an Idempotency-Key runs once and then repeats its answer",
  async (request) => {
    const headers = { "idempotency-key": request.name.replaceAll(/\W/g, "-") };
    const first = await send(request, { headers });
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([
      request.status,
      null,
    ]);
    const rows = await checksum(fixture);
    const again = await send(request, { headers });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await checksum(fixture)).toBe(rows);
  },
);
