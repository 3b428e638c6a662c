import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  createTestEndpoint,
  refusal,
  standardHeaders,
  type TestEndpoint,
} from "./inbound-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const phone = "5215512345678";
const upsert = { event: "contact.upsert", data: { phone } };
const text = JSON.stringify(upsert);

/** The key that Standard Webhooks signs with. */
function decoded(secret: string): Buffer {
  return Buffer.from(secret.replace("whsec_", ""), "base64");
}

function hmac(key: string | Buffer): string {
  return `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;
}

/** Strict headers made with the secret's text. */
function textKeyed(secret: string): Record<string, string> {
  const headers = standardHeaders(secret, Buffer.from(text), { id: "evt-1" });
  const signed = `evt-1.${headers["webhook-timestamp"]}.${text}`;
  const digest = createHmac("sha256", secret).update(signed).digest("base64");
  return { ...headers, "webhook-signature": `v1,${digest}` };
}

test.each<[string, boolean, (secret: string) => Record<string, string>, object]>([
  [
    "a header of another form",
    false,
    () => ({ "x-service-signature": "sha1=abc" }),
    { fault: "malformed", header: "x-service-signature" },
  ],
  [
    "another secret",
    false,
    () => ({ "x-service-signature": hmac("whsec_other") }),
    { fault: "mismatch", header: "x-service-signature" },
  ],
  [
    "the bytes that the secret stands for",
    false,
    (secret) => ({ "x-service-signature": hmac(decoded(secret)) }),
    { fault: "wrong_key", header: "x-service-signature" },
  ],
  [
    "the secret's text on a strict endpoint",
    true,
    textKeyed,
    { fault: "wrong_key", header: "webhook-signature" },
  ],
  [
    "a body that is not the signed one on a strict endpoint",
    true,
    (secret) => standardHeaders(secret, Buffer.from("{}"), { id: "evt-1" }),
    { fault: "mismatch", header: "webhook-signature" },
  ],
  [
    "no id on a strict endpoint",
    true,
    () => ({ "webhook-id": "" }),
    { fault: "missing", header: "webhook-id" },
  ],
])(
  "the log knows why a call signed with %s was refused, and keeps no byte of it",
  async (_case, strict, headersOf, why) => {
    const endpoint = await createTestEndpoint(fixture, { strict });
    const answer = await endpoint.send(text, headersOf(endpoint.secret));
    expect(answer.status).toBe(401);
    const [entry] = await endpoint.log();
    expect(entry).toMatchObject({
      verdict: "bad_signature",
      body: null,
      body_bytes: text.length,
      signature: {
        ...why,
        clock_off_seconds: null,
        header_names: expect.arrayContaining(["content-type", "host"]),
        body_sha256: await sha256(text),
      },
    });
    const { secret } = endpoint;
    expect(JSON.stringify(entry)).not.toContain(secret);
    // The caller, who has proven nothing, reads no more than before.
    expect(answer.json.error.details).toBeNull();
  },
);

async function sha256(one: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(one))).toString("hex");
}

test("of a call without a signature the log knows which headers came", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const headers = { "x-hub-signature": "sha256=0" };
  await fixture.api.call("POST", endpoint.path, { headers, body: Buffer.from(text) });
  const [entry] = await endpoint.log();
  expect(entry).toMatchObject({
    error_code: "missing_signature",
    verdict: "bad_signature",
    signature: { fault: "missing", header: "x-service-signature" },
  });
  expect(JSON.stringify(entry?.["signature"])).toContain("x-hub-signature");
});

test("of a stale timestamp the log knows how far it lay off", async () => {
  const endpoint = await createTestEndpoint(fixture, { strict: true });
  const headers = (offsetSeconds: number) =>
    standardHeaders(endpoint.secret, Buffer.from(text), { id: "evt-1", offsetSeconds });
  await endpoint.send(text, headers(-400));
  await endpoint.send(text, { ...headers(0), "webhook-timestamp": "999999999999" });
  const [ahead, behind] = await signatures(endpoint);
  expect(ahead).toMatchObject({ fault: "stale", clock_off_seconds: 2_000_000_000 });
  expect(behind).toMatchObject({ fault: "stale", header: "webhook-timestamp" });
  expect([-402, -401, -400]).toContain(behind?.clock_off_seconds);
});

async function signatures(endpoint: TestEndpoint) {
  const entries = (await endpoint.log()) as { signature: { clock_off_seconds: number } | null }[];
  return entries.map(({ signature }) => signature);
}

test("the log is narrowed to a verdict, and the endpoint counts those of a day", async () => {
  const endpoint = await createTestEndpoint(fixture);
  await endpoint.send(upsert, { "x-service-event-id": "evt-1" });
  await endpoint.send(upsert, { "x-service-event-id": "evt-1" });
  await endpoint.send(upsert, { "x-service-signature": "sha256=0" });
  await endpoint.act("message.send", {});
  await endpoint.act("contact.tag.add", { phone: "5215599999999", tag: "vip" });
  const of = async (verdict: string) => {
    const { json } = await endpoint.manage("GET", `/requests?verdict=${verdict}&limit=1`);
    return [json.meta.total, json.data[0]?.verdict];
  };
  expect(await of("done")).toEqual([1, "done"]);
  expect(await of("repeated")).toEqual([1, "repeated"]);
  expect(await of("bad_signature")).toEqual([1, "bad_signature"]);
  expect(await of("refused")).toEqual([2, "refused"]);
  expect(await of("failed")).toEqual([0, undefined]);
  expect(refusal(await endpoint.manage("GET", "/requests?verdict=lost"))).toEqual([
    400,
    "validation_error",
  ]);
  const [newest] = await endpoint.log();
  const counts = { done: 1, repeated: 1, bad_signature: 1, refused: 2, limited: 0, failed: 0 };
  expect((await endpoint.manage("GET")).json.data).toMatchObject({
    last_request_at: newest?.["received_at"],
    last_24_hours: counts,
  });

  await fixture.query(
    "UPDATE inbound_requests SET received_at = received_at - INTERVAL 25 HOUR WHERE endpoint_id = ?",
    [endpoint.id],
  );
  expect((await endpoint.manage("GET")).json.data).toMatchObject({
    last_request_at: timestamp,
    last_24_hours: { done: 0, repeated: 0, bad_signature: 0, refused: 0, limited: 0, failed: 0 },
  });
});

test("after a rotation the endpoint says until when the old secret is taken", async () => {
  const endpoint = await createTestEndpoint(fixture);
  await endpoint.manage("POST", "/rotate-secret");
  const { old_secret_until: end } = (await endpoint.manage("GET")).json.data;
  const hours = (new Date(end).getTime() - Date.now()) / 3_600_000;
  expect([hours > 23.9, hours <= 24]).toEqual([true, true]);
});

test("the log holds every call with what came of it, newest first", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const body = { event: "contact.upsert", data: { phone, name: "Ana 👩‍🚀" } };
  const { contact_id } = (await endpoint.send(body)).json.data;
  await endpoint.send(body, { "x-service-event-id": "evt-1" });
  await endpoint.send(body, { "x-service-event-id": "evt-1" });
  await endpoint.act("contact.tag.add", { phone: "5215599999999", tag: "vip" });
  await endpoint.act("message.send", {});
  await endpoint.send({ event: "not a word", data: {} });
  await endpoint.send(body, { "x-service-signature": "sha256=0" });
  const log = await endpoint.manage("GET", "/requests");
  const seen = {
    id: expect.any(Number),
    received_at: timestamp,
    event: "contact.upsert",
    event_id: null,
    verdict: "done",
    status_code: 200,
    error_code: null,
    result: "unchanged",
    replayed: false,
    contact_id,
    appointment_id: null,
    ip: expect.stringMatching(/127\.0\.0\.1$/),
    duration_ms: expect.any(Number),
    body_bytes: Buffer.byteLength(JSON.stringify(body)),
    body: JSON.stringify(body),
    calls: 1,
    signature: null,
  };
  const failed = { ...seen, verdict: "refused", result: null, contact_id: null };
  const unsigned = {
    verdict: "bad_signature",
    status_code: 401,
    error_code: "invalid_signature",
    signature: expect.objectContaining({ fault: "malformed", header: "x-service-signature" }),
  };
  const other = { body: expect.any(String), body_bytes: expect.any(Number) };
  expect(log.json).toStrictEqual({
    success: true,
    data: [
      { ...failed, ...unsigned, event: null, body: null },
      { ...failed, event: null, status_code: 400, error_code: "unsupported_event", ...other },
      {
        ...failed,
        event: "message.send",
        status_code: 400,
        error_code: "unsupported_event",
        ...other,
      },
      {
        ...failed,
        event: "contact.tag.add",
        status_code: 404,
        error_code: "contact_not_found",
        ...other,
      },
      { ...seen, event_id: "evt-1", replayed: true, verdict: "repeated" },
      { ...seen, event_id: "evt-1" },
      { ...seen, result: "created" },
    ],
    meta: { total: 7, total_at_least: false, limit: 50, next: null },
  });
  const page = await endpoint.manage("GET", `/requests?limit=2&before_id=${log.json.data[2].id}`);
  expect(page.json).toStrictEqual({
    success: true,
    data: log.json.data.slice(3, 5),
    meta: { total: 7, total_at_least: false, limit: 2, next: log.json.data[4].id },
  });
  expect(refusal(await endpoint.manage("GET", "/requests?limit=101"))).toEqual([
    400,
    "validation_error",
  ]);
});

test("of a long body the log keeps the first 64 KiB", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const text = JSON.stringify({
    event: "contact.upsert",
    data: { phone, note: "x".repeat(100_000) },
  });
  await endpoint.send(text);
  const [entry] = await endpoint.log();
  expect(entry).toMatchObject({ body_bytes: text.length, body: text.slice(0, 65_536) });
});

test("what the log and the remembered ids hold of a contact is found by its id", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const headers = { "x-service-event-id": "evt-1" };
  const { contact_id } = (await endpoint.act("contact.upsert", { phone }, headers)).json.data;
  await endpoint.act("contact.tag.add", { phone, tag: "vip" });
  const of = [endpoint.account.accountId, contact_id];
  const where = "WHERE account_id = ? AND contact_id = ?";
  expect(await fixture.query(`SELECT id FROM inbound_requests ${where}`, of)).toHaveLength(2);
  expect(await fixture.query(`SELECT id FROM inbound_events ${where}`, of)).toHaveLength(1);
});

/** The index that MySQL reads each table of a query by, among rows of several accounts and endpoints. */
async function plan(sql: string, values: unknown[]): Promise<string[]> {
  const steps = await fixture.query<{ key: string | null; Extra: string | null }>(
    `EXPLAIN FORMAT=TRADITIONAL ${sql}`,
    values,
  );
  return steps.map(({ key, Extra }) => `${key}${/filesort/.test(Extra ?? "") ? " sorted" : ""}`);
}

test("log, counts, purge and erasure each read an index of their own", async () => {
  const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)";
  await fixture.query(
    `INSERT INTO inbound_requests (account_id, endpoint_id, received_at, verdict, status_code, duration_ms, contact_id)
     ${numbers} SELECT 1000 + i % 4, 1000 + i % 16, UTC_TIMESTAMP(3) - INTERVAL i HOUR, ELT(1 + i % 2, 'done', 'refused'), 200, 1, i % 90 FROM n`,
  );
  await fixture.query("ANALYZE TABLE inbound_requests");
  const select = "SELECT id, body FROM inbound_requests WHERE";
  const newest = "ORDER BY received_at DESC, id DESC LIMIT 50";
  const own = "account_id = ? AND endpoint_id = ?";
  expect(await plan(`${select} ${own} ${newest}`, [1001, 1001])).toEqual([
    "inbound_requests_endpoint",
  ]);
  expect(await plan(`${select} ${own} AND verdict = 'done' ${newest}`, [1001, 1001])).toEqual([
    "inbound_requests_verdict",
  ]);
  const count = "SELECT endpoint_id, verdict, COUNT(*) FROM inbound_requests WHERE account_id = ?";
  const verdicts = "verdict IN ('done', 'repeated', 'bad_signature', 'refused', 'failed')";
  const day = `AND ${verdicts} AND received_at > ? GROUP BY endpoint_id, verdict`;
  const since = new Date(Date.now() - 86_400_000);
  expect(
    await plan(`${count} AND endpoint_id IN (?, ?) ${day}`, [1001, 1001, 1005, since]),
  ).toEqual(["inbound_requests_verdict"]);
  expect(await plan(`${select} account_id = ? AND contact_id = ?`, [1001, 5])).toEqual([
    "inbound_requests_contact",
  ]);
  expect(await plan(`${select} received_at < ? LIMIT 10`, [new Date(0)])).toEqual([
    "inbound_requests_received",
  ]);
});
