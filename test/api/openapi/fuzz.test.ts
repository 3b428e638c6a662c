import fc from "fast-check";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { errorBody } from "../../../api/openapi/errors.ts";
import { anyText } from "../../support/arbitrary-input.ts";
import {
  agent,
  anyTarget,
  endpoints,
  requestsTo,
  sendFuzzed,
  type FuzzedAnswer,
  type FuzzedRequest,
} from "./fuzz-requests.ts";
import { canary, startFuzzFixture } from "./fuzz-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

/** Another seed tries other requests; a failure prints the one it was found with. */
const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
const runs = Number(process.env["FUZZ_RUNS"] ?? 20);

const fixture = useFixture(startFuzzFixture);
let before: Map<string, string>;
const statuses = new Map<number, number>();

beforeAll(async () => {
  before = await fixture.otherRows();
});

afterAll(async () => {
  agent.destroy();
});

/** What holds for every answer to anything. */
function check({ method }: { method: string }, { status, headers, text }: FuzzedAnswer): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  expect(status).toBeLessThan(500);
  expect(text.toLowerCase()).not.toContain(canary);
  expect(JSON.stringify(headers).toLowerCase()).not.toContain(canary);
  if (status < 400 || method === "HEAD") return;
  const { error } = errorBody.parse(JSON.parse(text));
  expect(error.request_id).toBe(headers["x-request-id"]);
  expect(error.code).not.toBe("internal_error");
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
}

async function send(request: FuzzedRequest): Promise<void> {
  const answer = await sendFuzzed(fixture.api.url, fixture.signed(request));
  check(request, answer);
  if (answer.status === 401 && request.caller === "own") await fixture.logIn();
}

/** @returns what went wrong with which request, and the seed; undefined where nothing did. */
async function findFailure(
  requests: fc.Arbitrary<FuzzedRequest>,
  numRuns: number,
): Promise<string | undefined> {
  const parameters = { seed, numRuns, plugins: [fc.interruptAfterTimeLimit(10_000)] };
  return fc.defaultReportMessage(await fc.check(fc.asyncProperty(requests, send), parameters));
}

test.each(endpoints)("$method $path takes anything", async (endpoint) => {
  expect(await findFailure(requestsTo(endpoint), runs)).toBeUndefined();
});

test("so does every other path", async () => {
  const other = fc.record({
    method: fc.constantFrom("GET", "POST", "DELETE", "HEAD"),
    target: anyTarget,
    headers: fc.constant<[string, string][]>([]),
    body: fc.constant(null),
    caller: fc.constant("own" as const),
  });
  expect(await findFailure(other, runs * 10)).toBeUndefined();
});

/** Bytes on a socket of their own. @returns what came back until the server or its caller had enough. */
async function sendBytes(bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(fixture.api.url);
  return await new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(bytes));
    socket.setTimeout(500, () => socket.destroy());
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}

test("bytes that are no HTTP, or nearly, are refused in the same form or not answered at all", async () => {
  const lines = fc.array(
    fc.oneof(
      fc.constantFrom("GET /healthz HTTP/1.1", "POST /api/v1/contacts HTTP/1.1", "Host: x", ""),
      fc.constantFrom("Content-Length: 5", "Content-Length: -1", "Transfer-Encoding: chunked", "5"),
      fc.constantFrom(
        "Transfer-Encoding: gzip, chunked",
        "Connection: close",
        "Expect: 200-ok",
        "{}",
      ),
      anyText,
    ),
    { maxLength: 6 },
  );
  const bytes = fc.oneof(
    lines.map((list) => Buffer.from(`GET /healthz HTTP/1.1\r\n${list.join("\r\n")}\r\n\r\n`)),
    lines.map((list) => Buffer.from(list.join("\r\n"))),
    fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array)),
  );
  const property = fc.asyncProperty(bytes, async (sent) => {
    const answer = await sendBytes(sent);
    if (answer === "") return;
    expect(answer).toMatch(/^HTTP\/1\.1 [24]\d\d /);
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    if (head.startsWith("HTTP/1.1 2")) return;
    expect(errorBody.parse(JSON.parse(body)).error.request_id).toMatch(/^req_/);
  });
  await fc.assert(property, { seed, numRuns: runs * 5 });
});

test("all of that reached deep, and left the other account's rows as they were", async () => {
  expect([...before.values()].filter((rows) => rows.includes(canary)).length).toBeGreaterThan(7);
  for (const status of [200, 201, 400, 401, 404, 405, 415]) {
    expect([status, statuses.has(status)]).toEqual([status, true]);
  }
  const after = await fixture.otherRows();
  const changed = [...before].filter(([table, rows]) => after.get(table) !== rows);
  expect(changed.map(([table]) => table)).toEqual([]);
  const { json } = await fixture.api.call("GET", "/api/v1/contacts", {
    apiKey: fixture.other.apiKey,
  });
  expect(z.array(z.looseObject({ name: z.string() })).parse(json.data)).toHaveLength(3);
});
