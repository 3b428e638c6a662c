import { connect } from "node:net";
import { Writable } from "node:stream";
import { expect, test, vi } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createSlugGuard } from "../../../api/inbound/slugs.ts";
import { createLimitedCallCounts } from "../../../api/inbound/limited-calls.ts";
import { createRateLimiter } from "../../../api/http/rate-limit.ts";
import { listen } from "../../../api/http/listen.ts";
import { createLog } from "../../../core/log.ts";
import { signBody } from "../../../core/signature.ts";
import { callApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestEndpoint, refusal, toBytes, type TestEndpoint } from "./inbound-fixture.ts";
import { rawCall, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
const maxBytes = 262_144;
const phone = "5215512345678";
const text = `{"event":"contact.upsert","data":{"phone":"${phone}"}}`;

async function sendFramed(endpoint: TestEndpoint, body: Buffer, framing: Record<string, string>) {
  return await rawCall(fixture.api.url, "POST", endpoint.path, {
    headers: {
      "content-type": "application/json",
      "x-service-signature": signBody(endpoint.secret, body),
      ...framing,
    },
    chunks: [body.subarray(0, 100_000), body.subarray(100_000)],
  });
}

test.each([
  ["announced", 0, 200],
  ["in chunks", 0, 200],
  ["announced", 1, 413],
  ["in chunks", 1, 413],
])("a body of 256 KiB, %s, and %i bytes more is %i", async (framing, extra, status) => {
  const endpoint = await createTestEndpoint(fixture);
  const body = Buffer.from(text.padEnd(maxBytes + extra, " "));
  const length: Record<string, string> =
    framing === "announced"
      ? { "content-length": String(body.length) }
      : { "transfer-encoding": "chunked" };
  const answer = await sendFramed(endpoint, body, length);
  expect([answer.status, answer.json.error?.code]).toEqual([
    status,
    status === 200 ? undefined : "payload_too_large",
  ]);
  expect(await endpoint.log()).toMatchObject([
    { status_code: status, body_bytes: status === 200 ? maxBytes : null },
  ]);
});

test("a body announced as too large is refused before a byte of it is sent", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const head = `POST ${endpoint.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n`;
  const { answer } = await say(head);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toMatch(/\r\nConnection: close\r\n/i);
});

test("a body far over the limit is cut off, and the caller reads 413", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const answer = await rawCall(fixture.api.url, "POST", endpoint.path, {
    headers: { "content-type": "application/json", "transfer-encoding": "chunked" },
    chunks: Array.from({ length: 32 }, () => Buffer.alloc(262_144, " ")),
  });
  expect(refusal(answer)).toEqual([413, "payload_too_large"]);
});

/** What the server says until it closes the connection, and after how long; `drip` goes out every 250 ms. */
async function say(bytes: string, drip?: string): Promise<{ answer: string; ms: number }> {
  const { port } = new URL(fixture.api.url);
  const begun = performance.now();
  return await new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
    const timer = setInterval(() => drip !== undefined && socket.write(drip), 250);
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    // Written after the server has closed: the answer came before.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(timer);
      const answer = Buffer.concat(received).toString("utf8");
      resolve({ answer, ms: performance.now() - begun });
    });
  });
}

test("bodies that dribble or stall are cut within 10 s with 408, while others are served", async ({
  onTestFinished,
}) => {
  const endpoint = await createTestEndpoint(fixture);
  const head = `POST ${endpoint.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  const slow = [
    say(`${head}Content-Length: 5000\r\n\r\n{`, " "),
    say(`${head}Transfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n"),
    say(`${head}Content-Length: 5000\r\n\r\n`),
  ];
  expect((await endpoint.send(text)).status).toBe(200);
  for (const { answer, ms } of await Promise.all(slow)) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"request_timeout"');
    expect(ms).toBeGreaterThanOrEqual(8_990);
  }
  // One limit for each body; most of three bodies never came.
  expect(timers.mock.calls.filter(([, ms]) => ms === 9_000)).toHaveLength(4);
  const log = await endpoint.log();
  const statuses = log.map(({ status_code }) => status_code);
  expect(statuses).toHaveLength(4);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status === 408)).toHaveLength(3);
});

test("a caller who goes away in the middle leaves a 408 in the log and nothing else", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const { port } = new URL(fixture.api.url);
  const head = `POST ${endpoint.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`;
  const socket = connect(Number(port), "127.0.0.1", () =>
    socket.write(head, () => socket.destroy()),
  );
  await eventually(async () =>
    expect(await endpoint.log()).toMatchObject([
      { status_code: 408, error_code: "request_timeout", body_bytes: null },
    ]),
  );
});

test("the 301st signed call of a moment is 429 with Retry-After, on that endpoint alone", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const other = await createTestEndpoint(fixture, { account: endpoint.account });
  let now = 0;
  const limit = createRateLimiter({ perMinute: 300, burst: 300 }, () => now);
  const original = fixture.api.deps.limitInbound;
  fixture.api.deps.limitInbound = limit;
  try {
    for (let sent = 0; sent < 300; sent += 1) {
      expect((await endpoint.send(text)).status).toBe(200);
    }
    const refused = await endpoint.send(text);
    expect(refusal(refused)).toEqual([429, "rate_limited"]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await other.send(text)).status).toBe(200);
    now = 200;
    expect((await endpoint.send(text)).status).toBe(200);
  } finally {
    fixture.api.deps.limitInbound = original;
  }
});

test.each(["inbound", "voice"] as const)(
  "a flood of unsigned calls (%s) costs the owner nothing, and the log one row a minute",
  async (kind) => {
    const endpoint = await createTestEndpoint(fixture, { kind });
    const flood = 400;
    const startedMs = performance.now();
    const statuses: number[] = [];
    const owners: number[] = [];
    const unsigned = async () =>
      statuses.push((await endpoint.send(text, { "x-service-signature": "x" })).status);
    for (let sent = 0; sent < flood; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, unsigned));
      owners.push((await endpoint.send({ event: "none", data: {} })).status);
    }
    const refused = statuses.filter((status) => status === 429).length;
    expect(new Set(owners)).toEqual(new Set([400]));
    expect(statuses.filter((status) => status === 401).length + refused).toBe(flood);
    // An address has 60 calls at once, and one more each second.
    const allowed = 60 + Math.ceil((performance.now() - startedMs) / 1_000);
    expect(refused).toBeGreaterThanOrEqual(flood - allowed);
    await fixture.api.deps.limitedCalls.flush();
    const { json } = await endpoint.manage("GET", "/requests?verdict=limited");
    const rows: { calls: number }[] = json.data;
    // The flood may have lasted from one minute into the next.
    expect(rows.length).toBeLessThanOrEqual(2);
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(refused);
    expect(rows[0]).toMatchObject({ status_code: 429, error_code: "rate_limited", event: null });
    expect((await endpoint.manage("GET")).json.data.last_24_hours.limited).toBe(refused);
  },
);

test("a row of limited calls grows while its minute lasts, and the next minute has its own", async () => {
  const { account, ...endpoint } = await createTestEndpoint(fixture);
  let now = Date.UTC(2030, 0, 1);
  const { dataSource } = fixture.database;
  const counts = createLimitedCallCounts(dataSource, createLog("api", "silent"), () => now);
  const call = { accountId: account.accountId, endpointId: endpoint.id, ip: "192.0.2.1" };
  const calls = async () => (await endpoint.log()).map((row) => row["calls"]);
  counts.add(call);
  counts.add(call);
  await counts.flush();
  expect(await calls()).toEqual([2]);
  counts.add(call);
  await Promise.all([counts.flush(), counts.flush()]);
  expect(await calls()).toEqual([3]);
  now += 60_000;
  counts.add(call);
  await counts.flush();
  expect(await calls()).toEqual([1, 3]);
});

/** Has the API count tries of slugs anew, by a clock that stands still. @returns what undoes it. */
function countSlugsAnew(lookUps: number): () => void {
  const limit = createRateLimiter({ perMinute: 60, burst: 60 }, () => 0);
  const limitLookUps = createRateLimiter({ perMinute: 60, burst: lookUps }, () => 0);
  const original = fixture.api.deps.slugGuard;
  fixture.api.deps.slugGuard = createSlugGuard(limit, limitLookUps);
  return () => void (fixture.api.deps.slugGuard = original);
}

/** Calls URLs that are nobody's, 40 of them by turns. @returns the statuses. */
async function trySlugs(count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const path = `/api/webhooks/inbound/${String(sent % 40).padStart(26, "0")}`;
    statuses.push((await fixture.api.call("POST", path, { body: {} })).status);
  }
  return statuses;
}

test("an address that tries slugs is refused before they are looked up, but not at a slug that is one", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const unseen = await createTestEndpoint(fixture);
  const restore = countSlugsAnew(60);
  try {
    await endpoint.send(text);
    expect(await trySlugs(70)).toEqual([
      ...Array<number>(60).fill(404),
      ...Array<number>(10).fill(429),
    ]);
    expect((await endpoint.send(text)).status).toBe(200);
    expect((await unseen.send(text)).status).toBe(200);
  } finally {
    restore();
  }
});

test("addresses without a try left share a small number of look-ups", async () => {
  const [first, second] = [await createTestEndpoint(fixture), await createTestEndpoint(fixture)];
  const restore = countSlugsAnew(2);
  try {
    await trySlugs(60);
    expect((await first.send(text)).status).toBe(200);
    expect((await fixture.api.call("POST", `/api/webhooks/inbound/${"1".repeat(26)}`)).status).toBe(
      429,
    );
    expect(refusal(await second.send(text))).toEqual([429, "rate_limited"]);
    expect((await first.send(text)).status).toBe(200);
  } finally {
    restore();
  }
});

test("the URL of a deleted endpoint counts as nobody's, also where this process has served it", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const restore = countSlugsAnew(60);
  try {
    expect((await endpoint.send(text)).status).toBe(200);
    await endpoint.manage("DELETE");
    const statuses: number[] = [];
    for (let sent = 0; sent < 62; sent += 1) statuses.push((await endpoint.send(text)).status);
    expect(statuses).toEqual([...Array<number>(60).fill(404), 429, 429]);
  } finally {
    restore();
  }
});

test("the limiter that a process is made with allows 300 at once", () => {
  const { limitInbound } = fixture.api.deps;
  const states = Array.from({ length: 300 }, () => limitInbound("nobody").allowed);
  expect(states).not.toContain(false);
  expect(limitInbound("nobody").limit).toBe(300);
});

test("where the log cannot be written, the action stands and is answered", async () => {
  const endpoint = await createTestEndpoint(fixture);
  await fixture.query("RENAME TABLE inbound_requests TO inbound_requests_gone");
  try {
    const answer = await endpoint.send(text);
    expect([answer.status, answer.json.data.result]).toEqual([200, "created"]);
    expect((await endpoint.send(text, { "x-service-signature": "x" })).status).toBe(401);
  } finally {
    await fixture.query("RENAME TABLE inbound_requests_gone TO inbound_requests");
  }
});

test("rows that others keep locked are 503 within 11 s, and the same call gets through after them", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const headers = { "x-service-event-id": "evt-locked" };
  await endpoint.send(text);
  const runner = fixture.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query("SELECT id FROM contacts FOR UPDATE");
  const startedAt = performance.now();
  const refused = await endpoint.send(text, headers);
  expect(performance.now() - startedAt).toBeLessThan(11_000);
  await runner.rollbackTransaction();
  await runner.release();
  expect(refusal(refused)).toEqual([503, "service_unavailable"]);
  await expect.poll(async () => (await endpoint.send(text, headers)).status).toBe(200);
});

test("a fault of ours is 500, is in the log, and frees the event id", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const headers = { "x-service-event-id": "evt-1" };
  await fixture.query("RENAME TABLE contacts TO contacts_gone");
  try {
    expect(refusal(await endpoint.send(text, headers))).toEqual([500, "internal_error"]);
  } finally {
    await fixture.query("RENAME TABLE contacts_gone TO contacts");
  }
  expect((await endpoint.send(text, headers)).json.data.result).toBe("created");
  const log = await endpoint.log();
  expect(log.map(({ status_code, replayed }) => [status_code, replayed])).toEqual([
    [200, false],
    [500, false],
  ]);
});

test("no log line of the process holds the slug, the secret, the signature or the body", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString("utf8"));
      done();
    },
  });
  const log = createLog("api", "info", destination);
  const listening = await listen(createApp({ ...fixture.api.deps, log }), "127.0.0.1", 0);
  const url = `http://127.0.0.1:${listening.port}`;
  const signature = signBody(endpoint.secret, toBytes(text));
  const event = { "x-service-event-id": "canary-event-id" };
  for (const headers of [{ "x-service-signature": signature, ...event }, event])
    await callApi(url, "POST", endpoint.path, { headers, body: text });
  await callApi(url, "GET", endpoint.path);
  await callApi(url, "POST", `${endpoint.path}x`, { body: text });
  await listening.stop();
  const slug = endpoint.path.split("/").at(-1) ?? "";
  for (const canary of [slug, endpoint.secret, signature.slice(7), phone, "canary-event-id"])
    expect(lines.join("")).not.toContain(canary);
  const answered = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === "http.answered");
  expect(answered.map(({ route, status }) => [route, status])).toEqual([
    ["/api/webhooks/inbound/:slug", 200],
    ["/api/webhooks/inbound/:slug", 401],
    ["-", 405],
    ["/api/webhooks/inbound/:slug", 404],
  ]);
});
