import { beforeEach, expect, test } from "vitest";
import { createRateLimiter } from "../../../api/http/rate-limit.ts";
import { signBody } from "../../../core/signature.ts";
import { createTestEndpoint, refusal, toBytes, type TestEndpoint } from "./inbound-fixture.ts";
import { rawCall, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));
let endpoint: TestEndpoint;
const phone = "5215512345678";
const valid = JSON.stringify({ event: "contact.upsert", data: { phone } });

beforeEach(async () => {
  endpoint = await createTestEndpoint(fixture);
});

/** Sends bytes with exactly these headers. */
async function sendRaw(body: string | Uint8Array, headers: Record<string, string | string[]>) {
  const bytes = Buffer.from(toBytes(body));
  return await rawCall(fixture.api.url, "POST", endpoint.path, {
    headers: {
      "content-type": "application/json",
      "content-length": String(bytes.length),
      ...headers,
    },
    chunks: [bytes],
  });
}

async function expectNoEffect(): Promise<void> {
  const { accountId } = endpoint.account;
  const [row] = await fixture.query<{ n: number }>(
    "SELECT (SELECT COUNT(*) FROM contacts WHERE account_id = ?) + (SELECT COUNT(*) FROM events WHERE account_id = ?) AS n",
    [accountId, accountId],
  );
  expect(Number(row?.n)).toBe(0);
}

test.each([
  `{"event":"contact.upsert","data":{"phone":"${phone}"},"a":1.0}`,
  `{"event":"contact.upsert","data":{"phone":"${phone}","n":1e3,"m":-0,"o":9007199254740993}}`,
  `{"event":"contact.upsert","data":{"phone":"${phone}","name":"Ren\\u00e9e \\/ Jos\\u00e9"}}`,
  `{"event":"contact.upsert","data":{"phone":"${phone}","name":"Renée"}}`,
  `{"data":{"name":"x","phone":"${phone}"},"event":"contact.upsert"}`,
  `{"b":1,"1":2,"event":"contact.upsert","data":{"phone":"${phone}","1":1,"0":2}}`,
  ` {\n\t"event" : "contact.upsert" ,\r\n "data" : { "phone" : "${phone}" } } \n`,
  `{"event":"contact.upsert","data":{"phone":"${phone}","emoji":"👩‍🚀 🇲🇽 \\ud83d\\ude00","rtl":"שלום","sep":"\u2028"}}`,
  `{"event":"contact.upsert","data":{"phone":"${phone}","tags":["x"],"nested":{"name":"y"}}}`,
])("signed over its bytes as they are, %s is taken", async (body) => {
  const answer = await endpoint.send(body);
  expect([answer.status, answer.json.data?.result]).toEqual([200, "created"]);
});

test("the addresses of one IPv6 /64 share what an address may send unsigned", async () => {
  const unsigned = async (address: string) =>
    (await endpoint.send(valid, { "x-service-signature": "x", "x-forwarded-for": address })).status;
  const { deps } = fixture.api;
  const original = deps.limitUnsignedCaller;
  deps.limitUnsignedCaller = createRateLimiter({ perMinute: 60, burst: 2 }, () => 0);
  try {
    const [first, second, third] = ["2001:db8:1:1::1", "2001:db8:1:1::2", "2001:db8:1:1::3"];
    expect([await unsigned(first), await unsigned(second), await unsigned(third)]).toEqual([
      401, 401, 429,
    ]);
    expect(await unsigned("2001:db8:1:2::1")).toBe(401);
  } finally {
    deps.limitUnsignedCaller = original;
  }
});

test("one altered byte, any of them, is 401", async () => {
  const bytes = Buffer.from(valid);
  const signature = signBody(endpoint.secret, bytes);
  for (let index = 0; index < bytes.length; index += 1) {
    const altered = Buffer.from(bytes);
    altered[index] = (bytes[index] ?? 0) ^ 1;
    const answer = await endpoint.send(altered, {
      "x-service-signature": signature,
      // An address has 60 calls a minute that fail the signature.
      "x-forwarded-for": `203.0.113.${index}`,
    });
    expect([index, ...refusal(answer)]).toEqual([index, 401, "invalid_signature"]);
  }
  for (const other of [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.from(" ")]), ""]) {
    const answer = await endpoint.send(other, { "x-service-signature": signature });
    expect(refusal(answer)).toEqual([401, "invalid_signature"]);
  }
  await expectNoEffect();
  expect((await endpoint.send(bytes, { "x-service-signature": signature })).status).toBe(200);
});

test("a call without a signature is 401 missing_signature, whatever else it carries", async () => {
  const sets: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${endpoint.account.apiKey}` },
  ];
  for (const headers of sets)
    expect(refusal(await sendRaw(valid, headers))).toEqual([401, "missing_signature"]);
  await expectNoEffect();
});

test("hex digits may be of either case; the prefix may not", async () => {
  const [prefix, hex = ""] = signBody(endpoint.secret, Buffer.from(valid)).split("=");
  const upper = await endpoint.send(valid, {
    "x-service-signature": `${prefix}=${hex.toUpperCase()}`,
  });
  expect(upper.status).toBe(200);
  const shouted = await endpoint.send(valid, { "x-service-signature": `SHA256=${hex}` });
  expect(shouted.status).toBe(401);
});

test("malformed signatures are 401, never 500", async () => {
  const right = signBody(endpoint.secret, Buffer.from(valid));
  const hex = right.slice("sha256=".length);
  const wrong: (string | string[])[] = [
    "",
    "sha256=",
    hex,
    right.slice(0, -1),
    `${right}0`,
    `${right.slice(0, -1)}g`,
    `sha1=${hex}`,
    `sha256:${hex}`,
    `sha256= ${hex}`,
    `${right}, ${right}`,
    [right, right],
    [right, `sha256=${"0".repeat(64)}`],
    `sha256=${"é".repeat(64)}`,
    `sha256=${"a".repeat(10_000)}`,
  ];
  for (const signature of wrong) {
    const answer = await sendRaw(valid, { "x-service-signature": signature });
    expect([signature, ...refusal(answer)]).toEqual([signature, 401, "invalid_signature"]);
  }
  await expectNoEffect();
});

test("the secret of one endpoint fits no other, nor does half of its own", async () => {
  const other = await createTestEndpoint(fixture, { account: endpoint.account });
  const decoded = Buffer.from(endpoint.secret.slice("whsec_".length), "base64").toString("latin1");
  for (const secret of [other.secret, endpoint.secret.slice("whsec_".length), decoded]) {
    const signature = signBody(secret, Buffer.from(valid));
    const answer = await endpoint.send(valid, { "x-service-signature": signature });
    expect(refusal(answer)).toEqual([401, "invalid_signature"]);
  }
  await expectNoEffect();
});

test.each([
  ["half an object", '{"event":"contact.upsert"'],
  ["trailing garbage", `${valid}x`],
  ["nothing", ""],
  ["NaN", `{"event":"contact.upsert","data":{"phone":"${phone}","n":NaN}}`],
  ["an event twice", `{"event":"contact.upsert","event":"contact.tag.remove","data":{}}`],
  ["a phone twice", `{"event":"contact.upsert","data":{"phone":"${phone}","phone":"${phone}"}}`],
  ["__proto__", `{"event":"contact.upsert","data":{"phone":"${phone}","__proto__":{"x":1}}}`],
  ["33 levels", `{"event":"contact.upsert","data":${"[".repeat(32)}${"]".repeat(32)}}`],
  ["100,000 levels", `{"event":"contact.upsert","data":${"[".repeat(1e5)}${"]".repeat(1e5)}}`],
  ["bad UTF-8", Buffer.from('{"event":"contact.upsert","data":{"name":"\xff"}}', "latin1")],
])("rightly signed, %s is 400 invalid_json", async (_, body) => {
  const answer = await endpoint.send(body);
  expect([...refusal(answer), answer.json.error.details]).toEqual([400, "invalid_json", null]);
  await expectNoEffect();
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

test.each([
  `{"event":"message.send","data":{}}`,
  `{"event":"CONTACT.UPSERT","data":{"phone":"${phone}"}}`,
  `{"event":"toString","data":{"phone":"${phone}"}}`,
  `{"event":["contact.upsert"],"data":{"phone":"${phone}"}}`,
  `{"event":null,"data":{"phone":"x"}}`,
  `{"data":{"phone":"${phone}"}}`,
  `{}`,
])("%s is 400 unsupported_event and names those there are", async (body) => {
  const answer = await endpoint.send(body);
  expect([...refusal(answer), answer.json.error.details]).toEqual([
    400,
    "unsupported_event",
    { supported_events: ["contact.upsert", "contact.tag.add", "contact.tag.remove"] },
  ]);
  await expectNoEffect();
});

test.each<[string, string[]]>([
  ["5", ["body invalid_type"]],
  ["null", ["body invalid_type"]],
  [`{"event":"contact.upsert"}`, ["body.data required"]],
  [`{"event":"contact.upsert","data":[]}`, ["body.data invalid_type"]],
  [`{"event":"contact.upsert","data":{}}`, ["body.data phone_or_email_required"]],
  [
    `{"event":"contact.upsert","data":{"name":"Ana","tag":"x"}}`,
    ["body.data phone_or_email_required"],
  ],
  [
    `{"event":"contact.upsert","data":{"phone":"12","email":"x","name":5}}`,
    [
      "body.data.email invalid_email",
      "body.data.name invalid_type",
      "body.data.phone invalid_phone",
    ],
  ],
  [`{"event":"contact.upsert","data":{"phone":5215512345678}}`, ["body.data.phone invalid_type"]],
  [`{"event":"contact.tag.add","data":{}}`, ["body.data.phone required", "body.data.tag required"]],
  [
    `{"event":"contact.tag.add","data":{"phone":"","tag":" "}}`,
    ["body.data.phone invalid_phone", "body.data.tag invalid_tag"],
  ],
  [`{"event":"contact.tag.remove","data":{"phone":"${phone}"}}`, ["body.data.tag required"]],
])("%s is 400 with every issue", async (body, issues) => {
  const answer = await endpoint.send(body);
  expect(refusal(answer)).toEqual([400, "validation_error"]);
  const details = answer.json.error.details as { path: string; code: string }[];
  expect(details.map(({ path, code }) => `${path} ${code}`).toSorted()).toEqual(issues);
  await expectNoEffect();
});

test("an unknown slug is 404 in any form, and reads like a deleted one", async () => {
  const headers = { "x-request-id": "same" };
  const unknown = await fixture.api.call("POST", `/api/webhooks/inbound/${"A".repeat(26)}`, {
    headers,
    body: valid,
  });
  expect(refusal(unknown)).toEqual([404, "endpoint_not_found"]);
  await endpoint.manage("DELETE");
  expect((await endpoint.send(valid, headers)).text).toBe(unknown.text);
  const slug = endpoint.path.split("/").at(-1) ?? "";
  const other = slug.replace(/[A-Za-z]/, (c) =>
    c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase(),
  );
  for (const one of ["x", `${slug}x`, other, "%00", "%E0%A4%A", "a".repeat(5_000), "a%20b"]) {
    const answer = await rawCall(fixture.api.url, "POST", `/api/webhooks/inbound/${one}`, {
      headers,
    });
    expect([one, answer.status]).toEqual([one, 404]);
  }
  await expectNoEffect();
});

test("the endpoints of a disabled account are gone too", async () => {
  const { accountId } = endpoint.account;
  await fixture.query("UPDATE accounts SET disabled_at = UTC_TIMESTAMP(3) WHERE id = ?", [
    accountId,
  ]);
  expect(refusal(await endpoint.send(valid))).toEqual([404, "endpoint_not_found"]);
});

test("every other method is 405 and says that this path takes POST", async () => {
  for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const answer = await rawCall(fixture.api.url, method, endpoint.path);
    expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "POST"]);
  }
  expect(await endpoint.log()).toEqual([]);
});

test.each<Record<string, string>>([
  { "content-type": "text/plain" },
  { "content-type": "application/x-www-form-urlencoded" },
  { "content-type": "" },
  { "content-type": "application/json", "content-encoding": "gzip" },
])("%j is 415, before the signature is looked at", async (headers) => {
  expect(refusal(await sendRaw(valid, headers))).toEqual([415, "unsupported_media_type"]);
  expect(await endpoint.log()).toMatchObject([{ status_code: 415, body: null }]);
});

test("the checks go in their order: size, type, signature, JSON, event, fields", async () => {
  const large = Buffer.alloc(262_145, "x");
  const text = { "content-type": "text/plain" };
  expect((await sendRaw(large, text)).status).toBe(413);
  expect((await sendRaw("x", text)).status).toBe(415);
  expect((await sendRaw("x", { "x-service-signature": "x" })).status).toBe(401);
  expect(refusal(await endpoint.send("x"))).toEqual([400, "invalid_json"]);
  expect(refusal(await endpoint.send({ event: "x", data: 5 }))).toEqual([400, "unsupported_event"]);
  const badId = { "x-service-event-id": "a b" };
  const fields = await endpoint.send({ event: "contact.upsert", data: {} }, badId);
  expect(fields.json.error.details).toMatchObject([{ path: "body.data" }]);
});
