import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { errorCatalogue, type ErrorCode } from "../../../core/model/error-catalogue.ts";
import { eventTypes } from "../../../core/model/event-types.ts";
import { eventCatalogue } from "../../../core/model/events.ts";
import { createOpenApi } from "../../../api/openapi/openapi.ts";
import { v1Routes } from "../../../api/v1/index.ts";
import { createJudge, listOperations, type Document } from "../../support/open-api.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const everywhere: ErrorCode[] = [
  "missing_api_key",
  "insufficient_scope",
  "rate_limited",
  "internal_error",
  "service_unavailable",
];

type Json = Record<string, unknown>;

const fixture = useFixture(
  async () => await startApiFixture({ PUBLIC_URL: "https://parley.example" }),
);
let document: Document;

beforeAll(async () => {
  document = (await fixture.api.call("GET", "/api/v1/openapi.json")).json;
});

/** Every object in the document with the path to it. */
function walk(value: unknown, path = "#"): [string, Json][] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries(value).flatMap(([key, child]) =>
    walk(child, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
  return Array.isArray(value) ? below : [[path, value as Json], ...below];
}

test("the document is OpenAPI 3.1, open to any origin, and has the public URL alone as its server", async () => {
  const answer = await fixture.api.call("GET", "/api/v1/openapi.json", {
    headers: { host: "evil.example" },
  });
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(document.openapi).toMatch(/^3\.1\.\d$/);
  expect(document.servers).toEqual([{ url: "https://parley.example" }]);
  expect(answer.text).not.toContain("evil.example");
});

test("it has every route of API v1, the webhooks of endpoints and no other", () => {
  const routes = v1Routes.map(
    ({ method, path }) => `${method} /api/v1${path.replace(":id", "{id}")}`,
  );
  routes.push("POST /api/webhooks/inbound/{slug}", "POST /api/webhooks/voice/{slug}");
  expect(
    listOperations({ ...document, webhooks: {} })
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(routes.toSorted());
});

test("every reference resolves, required members exist, and nothing is of another dialect", () => {
  const nodes = walk(document);
  const pointers = new Set(nodes.map(([path]) => path));
  const references = nodes.map(([, node]) => node["$ref"]).filter((one) => typeof one === "string");
  expect(references.length).toBeGreaterThan(0);
  expect(references.filter((one) => !pointers.has(one))).toEqual([]);
  const dangling = nodes.filter(([, { required, properties }]) =>
    Array.isArray(required)
      ? required.some((name) => !(String(name) in Object(properties)))
      : false,
  );
  expect(dangling).toEqual([]);
  const dialects = new Set(["$schema", "definitions", "nullable", "~standard"]);
  const odd = nodes.filter(([, node]) => Object.keys(node).some((name) => dialects.has(name)));
  expect(odd).toEqual([]);
});

test("each operation names its scope, its parameters, its body, its successes and its refusals", () => {
  for (const route of v1Routes) {
    const name = `/api/v1${route.path.replace(":id", "{id}")}`;
    const operation = document.paths[name]?.[route.method.toLowerCase()];
    if (operation === undefined || route.access.kind !== "scope") throw new Error(name);
    expect(operation.description).toContain(route.access.scope);
    const parameters = (operation.parameters ?? []).map((one) => `${one.in} ${one.name}`);
    const query = route.query instanceof z.ZodObject ? Object.keys(route.query.shape) : [];
    expect(parameters.toSorted()).toEqual(
      [
        ...(route.noun === undefined ? [] : ["path id"]),
        ...query.map((one) => `query ${one}`),
        ...(route.method === "POST" ? ["header Idempotency-Key"] : []),
      ].toSorted(),
    );
    for (const one of operation.parameters ?? [])
      expect(one.required === true).toBe(one.in === "path");
    expect(operation.requestBody !== undefined).toBe(route.body !== undefined);
    const statuses = [
      ...Object.keys(route.successes),
      ...[...everywhere, ...(route.errors ?? [])].map((code) => `${errorCatalogue[code].status}`),
      ...(route.noun === undefined ? [] : ["404"]),
      ...(route.body === undefined ? [] : ["400", "408", "413", "415"]),
    ];
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(statuses));
  }
});

test("all webhooks are there, with examples that fit the schemas that the sender obeys", () => {
  expect(Object.keys(document.webhooks)).toEqual([...eventTypes]);
  expect(eventTypes).toHaveLength(Object.keys(eventCatalogue).length);
  for (const type of eventTypes) {
    const { post } = document.webhooks[type] ?? { post: undefined };
    const example = post?.requestBody?.content["application/json"].example;
    const { data } = z
      .looseObject({ event_type: z.literal(type), data: z.unknown() })
      .parse(example);
    expect(eventCatalogue[type].data.parse(data)).toStrictEqual(data);
    expect(post?.security).toEqual([]);
  }
});

test("what the API answers is what the document says, refusals too", async () => {
  const { apiKey } = fixture.account;
  const judge = createJudge(document);
  const calls: [string, string, string, unknown][] = [
    ["POST", "/api/v1/contacts", "/api/v1/contacts", { phone: "5215512345678" }],
    ["POST", "/api/v1/contacts", "/api/v1/contacts", { phone: "5215512345678", name: "Ana" }],
    ["POST", "/api/v1/contacts", "/api/v1/contacts", { phone: "x", name: 1 }],
    ["POST", "/api/v1/contacts", "/api/v1/contacts", "{"],
    ["GET", "/api/v1/contacts", "/api/v1/contacts", undefined],
    ["GET", "/api/v1/contacts?limit=0", "/api/v1/contacts", undefined],
    ["GET", "/api/v1/contacts/1", "/api/v1/contacts/{id}", undefined],
    ["GET", "/api/v1/contacts/99", "/api/v1/contacts/{id}", undefined],
    ["PATCH", "/api/v1/contacts/1", "/api/v1/contacts/{id}", { email: "ana@x.co" }],
    ["PATCH", "/api/v1/contacts/1", "/api/v1/contacts/{id}", { email: null, phone: null }],
    ["PATCH", "/api/v1/contacts/1", "/api/v1/contacts/{id}", undefined],
  ];
  const statuses: number[] = [];
  for (const [method, path, pattern, body] of calls) {
    const answer = await fixture.api.call(method, path, { apiKey, body });
    statuses.push(answer.status);
    const pointer = ["paths", pattern, method.toLowerCase(), "responses", String(answer.status)];
    const schema = [...pointer, "content", "application/json", "schema"];
    expect([method, path, judge.problems(schema, answer.json)]).toEqual([method, path, []]);
  }
  expect(statuses).toEqual([201, 200, 400, 400, 200, 400, 200, 404, 200, 422, 200]);
});

test("the document of an installation without a public URL is the same but for its server", () => {
  const other = createOpenApi(v1Routes, "http://127.0.0.1:3000") as Document;
  expect({ ...other, servers: [] }).toEqual({ ...document, servers: [] });
});

test("the reference page and all it names come from this server", async () => {
  const page = await fixture.api.call("GET", "/docs");
  expect([page.status, page.headers.get("content-type")]).toEqual([
    200,
    "text/html; charset=utf-8",
  ]);
  const names = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => String(match[1]));
  expect(names.length).toBeGreaterThan(3);
  for (const name of [...names, "/api/v1/openapi.json"]) {
    expect(name).toMatch(/^\/(docs|api)\//);
    const asset = await fixture.api.call("GET", name);
    expect([name, asset.status]).toEqual([name, 200]);
  }
  expect(page.text).not.toMatch(/<script>|onload=|https?:/);
  const start = await fixture.api.call("GET", "/docs/start.js");
  expect(start.text).not.toMatch(/https?:/);
  for (const path of ["/docs/package.json", "/docs/..%2fpackage.json", "/docs/index.html"]) {
    expect((await fixture.api.call("GET", path)).status).toBe(404);
  }
});
