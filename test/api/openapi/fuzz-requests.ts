import fc, { type Arbitrary } from "fast-check";
import { Agent, request } from "node:http";
import type { Route } from "../../../api/http/route.ts";
import { dashboardRoutes } from "../../../api/dashboard/index.ts";
import { v1Routes } from "../../../api/v1/index.ts";
import { inboundCall } from "../../../core/model/inbound.ts";
import { voiceCall } from "../../../core/model/voice.ts";
import { toWellFormed } from "../../../core/model/wire.ts";
import { anyId, anyJson, anyText, nearly } from "../../support/arbitrary-input.ts";

/** Something that is mounted, with what nearly fits it. */
export interface Endpoint {
  method: string;
  /** With `:id` or `:slug`. */
  path: string;
  query: Arbitrary<unknown>;
  body: Arbitrary<unknown>;
}

/** A request as it leaves. Who sends it is decided when it does. */
export interface FuzzedRequest {
  method: string;
  target: string;
  headers: [string, string][];
  body: Buffer | null;
  /** Nobody, somebody unknown, or the account's own key, login or signature. */
  caller: "nobody" | "stranger" | "own";
}

/** What came back. */
export interface FuzzedAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

const nothing = fc.constant(undefined);

const bare = (method: string, path: string): Endpoint => ({
  method,
  path,
  query: nothing,
  body: nothing,
});

function listed(prefix: string, routes: Route[]): Endpoint[] {
  return routes.map(({ method, path, query, body }) => ({
    method,
    path: prefix + path,
    query: query === undefined ? nothing : nearly(query),
    body: body === undefined ? nothing : nearly(body),
  }));
}

/** Every endpoint of the API. Those that can end the account's own keys and logins come last. */
export const endpoints: Endpoint[] = [
  bare("GET", "/healthz"),
  bare("GET", "/readyz"),
  bare("GET", "/docs"),
  bare("GET", "/docs/start.js"),
  bare("GET", "/docs/swagger-ui.css"),
  bare("GET", "/api/v1/openapi.json"),
  { ...bare("POST", "/api/webhooks/inbound/:slug"), body: nearly(inboundCall) },
  { ...bare("POST", "/api/webhooks/voice/:slug"), body: nearly(voiceCall) },
  bare("GET", "/dashboard/api/stream"),
  ...listed("/api/v1", v1Routes),
  ...listed("/dashboard/api", dashboardRoutes),
];

const words = (text: string): Arbitrary<string> => fc.constantFrom(...text.split(" "));

const anyMethod = words("GET POST PATCH PUT DELETE HEAD OPTIONS TRACE PROPFIND QUERY");

const latin1 = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .map((code) => String.fromCharCode(code === 0x7f ? 0x20 : code)),
  maxLength: 30,
});

/** Those that frame the message are left to raw bytes: with them a client waits for a body for ever. */
const headerNames = fc.oneof(
  words("idempotency-key x-request-id content-type content-encoding accept accept-encoding range"),
  words("sec-fetch-site origin x-forwarded-for x-forwarded-proto expect upgrade te user-agent"),
  words("last-event-id x-service-event-id webhook-id webhook-timestamp if-none-match x-anything"),
);

const headerValues = fc.oneof(
  latin1,
  words("application/json gzip identity 100-continue bytes=0-1 same-origin cross-site h2c * 1"),
  fc.constantFrom("http://evil.example", "127.0.0.1", "x".repeat(4_000)),
);

/** Requests that nearly fit an endpoint, and others to the same place. */
export function requestsTo({ method, path, query, body }: Endpoint): Arbitrary<FuzzedRequest> {
  const bytes = fc.oneof(
    { weight: 6, arbitrary: body.map(toJson) },
    { weight: 1, arbitrary: anyJson.map(toJson) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)) },
  );
  return fc.record({
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constant(method) },
      { weight: 1, arbitrary: anyMethod },
    ),
    target: fc.tuple(pathsOf(path), queries(query)).map(([one, two]) => one + two),
    headers: fc.array(fc.tuple(headerNames, headerValues), { maxLength: 3 }),
    body: bytes,
    caller: fc.oneof(
      { weight: 8, arbitrary: fc.constant("own" as const) },
      { weight: 1, arbitrary: fc.constantFrom("nobody" as const, "stranger" as const) },
    ),
  });
}

function toJson(value: unknown): Buffer | null {
  return value === undefined ? null : Buffer.from(JSON.stringify(value));
}

function pathsOf(pattern: string): Arbitrary<string> {
  if (!pattern.includes(":id")) return fc.constant(pattern);
  const id = fc.oneof(
    { weight: 9, arbitrary: anyId.map(String) },
    { weight: 1, arbitrary: segment },
  );
  return id.map((text) => pattern.replace(":id", () => text));
}

const segment = fc
  .oneof(
    anyText.map((text) => encodeURIComponent(toWellFormed(text))),
    fc.constantFrom(
      "..",
      ".",
      "%",
      "%zz",
      "%00",
      "%2e%2e%2f",
      "%ff",
      "1;2",
      "-1",
      "0x1",
      "01",
      "١",
    ),
  )
  .map((text) => text.replaceAll(/[^\x21-\x7e]/g, "~"));

/** The path and query of anything at all. */
export const anyTarget: Arbitrary<string> = fc
  .tuple(
    fc.oneof(fc.constant(""), words("/api /api/v1 /dashboard /docs /api/webhooks/inbound")),
    fc.array(segment, { maxLength: 4 }),
    fc.oneof(fc.constant(""), queries(nothing)),
  )
  .map(([start, segments, query]) => `${start}/${segments.join("/")}${query}`);

function queries(fitting: Arbitrary<unknown>): Arbitrary<string> {
  const pairs = fc.oneof(
    { weight: 5, arbitrary: fitting.map(toPairs) },
    { weight: 1, arbitrary: fc.array(fc.tuple(anyText, anyText), { maxLength: 3 }) },
  );
  return fc.tuple(pairs, fc.nat({ max: 9 })).map(([list, dice]) => {
    // Now and then the first parameter stands there twice.
    const all = dice === 0 ? [...list, ...list.slice(0, 1)] : list;
    const text = new URLSearchParams(
      all.map(([one, two]): [string, string] => [toWellFormed(one), toWellFormed(two)]),
    ).toString();
    return text === "" ? "" : `?${text}`;
  });
}

function toPairs(value: unknown): [string, string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, one]) => [
    name,
    typeof one === "string" ? one : String(JSON.stringify(one)),
  ]);
}

/** Keeps a few connections open, for speed. */
export const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** Sends a request. A stream's answer is read for a moment only. */
export async function sendFuzzed(
  url: string,
  { method, target, headers, body }: Omit<FuzzedRequest, "caller">,
): Promise<FuzzedAnswer> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const length: [string, string][] = [["content-length", String(body?.length ?? 0)]];
    const all = merge(body === null ? headers : [...headers, ...length]);
    const options = { agent, hostname, port, method, path: target, headers: all };
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = [];
      const done = () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        });
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", done);
      response.on("error", done);
      if (response.headers["content-type"] !== "text/event-stream") return;
      setTimeout(() => outgoing.destroy(), 20);
    });
    outgoing.on("error", reject);
    outgoing.end(body ?? undefined);
  });
}

function merge(headers: [string, string][]): Record<string, string[]> {
  const merged: Record<string, string[]> = {};
  for (const [name, value] of headers) (merged[name] ??= []).push(value);
  return merged;
}
