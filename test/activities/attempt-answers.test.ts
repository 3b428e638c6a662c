import { afterEach, expect, test } from "vitest";
import { retryWaitsMs } from "../../core/model/workflow/delivery.ts";
import {
  answerWith,
  createAttemptFixture,
  queueDelivery,
  readAttempts,
  readDelivery,
} from "./attempt-fixture.ts";
import { startReceiver, type Receiver } from "./http/receivers.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);
let receiver: Receiver | null = null;

afterEach(async () => {
  await receiver?.close();
  receiver = null;
});

/** A delivery to a receiver that answers these raw bytes. */
async function queueTo(answer: string | Buffer) {
  receiver = await startReceiver((socket) => void socket.end(answer));
  return await queueDelivery(fixture, { url: `http://127.0.0.1:${receiver.port}/` });
}

/** An answer of 200 with this body. */
function bodyOf(bytes: Buffer): Buffer {
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

const nul = String.fromCodePoint(0);
const invalid = String.fromCodePoint(0xfffd);

test.each([
  { what: "2 KiB of a longer answer", sent: Buffer.alloc(5_000, "x"), kept: "x".repeat(2_048) },
  {
    what: "whole characters, an emoji cut in the middle being left out",
    sent: Buffer.from(`${"x".repeat(2_046)}🙂🙂`),
    kept: "x".repeat(2_046),
  },
  { what: "emoji", sent: Buffer.from("🙂".repeat(600)), kept: "🙂".repeat(512) },
  { what: "NUL", sent: Buffer.from([0x61, 0x00, 0x62, 0x00]), kept: `a${nul}b${nul}` },
  { what: "a mark for 0xff", sent: Buffer.alloc(3_000, 0xff), kept: invalid.repeat(2_048) },
  { what: "a surrogate in UTF-8 as marks", sent: Buffer.from([0xed, 0xa0, 0x80]), kept: null },
  { what: "quotes and backslashes", sent: Buffer.from(`\\'";--\\`), kept: `\\'";--\\` },
  { what: "nothing of an empty answer", sent: Buffer.alloc(0), kept: "" },
])("the log keeps $what", async ({ sent, kept }) => {
  const queued = await queueTo(bodyOf(sent));
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "delivered" });
  const [attempt] = await readAttempts(fixture, queued);
  expect(attempt?.response_excerpt).toBe(kept ?? invalid.repeat(3));
});

test("header values with odd bytes are kept as text", async () => {
  const head = Buffer.concat([
    Buffer.from("HTTP/1.1 500 Oops\r\nx-odd: a"),
    Buffer.from([0xff, 0xe9, 0xed, 0xa0, 0x80, 0x09, 0x80]),
    Buffer.from('b"\\\r\nx-smile: 🙂\r\n__proto__: yes\r\ncontent-length: 0\r\n\r\n'),
  ]);
  const queued = await queueTo(head);
  expect(await queued.attempt({ seq: 1 })).toMatchObject({ state: "waiting", statusCode: 500 });
  const [attempt] = await readAttempts(fixture, queued);
  expect(Object.keys(attempt?.response_headers ?? {}).toSorted()).toEqual([
    "__proto__",
    "content-length",
    "x-odd",
    "x-smile",
  ]);
  expect(attempt?.response_headers?.["x-odd"]).toMatch(/^a.+b"\\$/u);
});

test("a hundred response headers of 15 KiB in all are kept", async () => {
  const lines = Array.from({ length: 100 }, (_, n) => `x-${n}: ${"v".repeat(140)}\r\n`);
  const queued = await queueTo(`HTTP/1.1 204 No\r\n${lines.join("")}\r\n`);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "delivered" });
  const [attempt] = await readAttempts(fixture, queued);
  expect(Object.keys(attempt?.response_headers ?? {})).toHaveLength(100);
});

test("response headers beyond 16 KiB are a failed attempt, not a fault of ours", async () => {
  const queued = await queueTo(`HTTP/1.1 200 OK\r\nx-huge: ${"v".repeat(100_000)}\r\n\r\n`);
  expect(await queued.attempt({ seq: 1 })).toMatchObject({
    state: "waiting",
    statusCode: null,
    errorClass: "invalid_response",
  });
});

test.each([301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503])(
  "an answer of %d is a failed attempt, never followed",
  async (status) => {
    const queued = await queueDelivery(fixture);
    answerWith(fixture.sink, status, { Location: `${fixture.sink.url}/elsewhere` });
    expect(await queued.attempt({ seq: 1 })).toMatchObject({
      state: "waiting",
      statusCode: status,
      errorClass: "http_status",
    });
    expect(fixture.sink.posts).toHaveLength(1);
  },
);

test.each([200, 201, 202, 204, 299])("an answer of %d delivers", async (status) => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, status);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "delivered" });
});

test("a receiver that refuses connections fails the attempt with its class", async () => {
  const queued = await queueTo("");
  await receiver?.close();
  receiver = null;
  expect(await queued.attempt({ seq: 1 })).toMatchObject({ errorClass: "connection_refused" });
  expect(await readAttempts(fixture, queued)).toMatchObject([
    { status_code: null, error_class: "connection_refused", response_excerpt: "" },
  ]);
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString();

test.each([
  { retryAfter: () => "45", waitMs: 45_000 },
  { retryAfter: () => "45.5", waitMs: 45_500 },
  { retryAfter: () => "1", waitMs: 30_000 },
  { retryAfter: () => "-1", waitMs: 30_000 },
  { retryAfter: () => "soon", waitMs: 30_000 },
  { retryAfter: () => "1e9", waitMs: 30_000 },
  { retryAfter: () => "99999999999999999999", waitMs: 30_000 },
  { retryAfter: () => "86400", waitMs: 60_000 },
  { retryAfter: inAnHour, waitMs: 60_000 },
  { retryAfter: () => new Date(0).toUTCString(), waitMs: 30_000 },
])(
  "Retry-After moves the next attempt within once and twice its wait: $waitMs ms",
  async (given) => {
    const queued = await queueDelivery(fixture);
    answerWith(fixture.sink, 429, { "Retry-After": given.retryAfter() });
    expect(await queued.attempt({ seq: 1 })).toMatchObject({ waitMs: given.waitMs });
  },
);

test("Retry-After does not move the discard", async () => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 503, { "Retry-After": "999999" });
  expect(await queued.attempt({ seq: 6 })).toMatchObject({ waitMs: retryWaitsMs[5] });
  const row = await readDelivery(fixture, queued);
  expect(row?.discard_at?.getTime()).toBeLessThanOrEqual(Date.now() + 86_400_000);
});
