import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { signBody, signStandard } from "../../core/signature.ts";
import {
  checkSignature,
  type Finding,
  type SignatureClaim,
} from "../../dashboard/src/features/webhooks/check-signature.ts";

const { vectors } = z
  .object({
    vectors: z.array(
      z.object({
        name: z.string(),
        secret: z.string(),
        event_id: z.string(),
        timestamp: z.number(),
        body: z.string(),
        x_service_signature: z.string(),
        webhook_signature: z.string(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync("docs/webhook-test-vectors.json", "utf8")));
type Vector = (typeof vectors)[number];

const otherSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** The headers of a vector as lines; one that is null is left out. */
function headersOf(vector: Vector, changed: Record<string, string | null> = {}): string {
  const headers: Record<string, string | null> = {
    "X-Service-Event": "test.ping",
    "X-Service-Event-Id": vector.event_id,
    "X-Service-Signature": vector.x_service_signature,
    "X-Service-Attempt": "1",
    "webhook-id": vector.event_id,
    "webhook-timestamp": String(vector.timestamp),
    "webhook-signature": vector.webhook_signature,
    ...changed,
  };
  const given = Object.entries(headers).filter(([, value]) => value !== null);
  return given.map(([name, value]) => `${name}: ${value}`).join("\r\n");
}

async function check(
  vector: Vector,
  claim: Partial<SignatureClaim> = {},
  { now = vector.timestamp }: { now?: number } = {},
): Promise<Finding[]> {
  const { secret, body } = vector;
  return await checkSignature({ secret, body, headers: headersOf(vector), ...claim }, now);
}

const fits: Finding[] = ["service_fits", "standard_fits"];
const justService = { "webhook-signature": null };
const justStandard = { "X-Service-Signature": null };

test.each(vectors)("$name: both signatures fit as they were sent", async (vector) => {
  expect(await check(vector)).toEqual(fits);
  expect(await check(vector, { headers: headersOf(vector, justService) })).toEqual([fits[0]]);
  expect(await check(vector, { headers: headersOf(vector, justStandard) })).toEqual([fits[1]]);
});

test.each(vectors)("$name: headers are read from the JSON of a log too", async (vector) => {
  const headers = JSON.stringify({
    "x-service-signature": vector.x_service_signature,
    "webhook-id": vector.event_id,
    "webhook-timestamp": String(vector.timestamp),
    "webhook-signature": `v1,${"A".repeat(43)}= ${vector.webhook_signature}`,
  });
  expect(await check(vector, { headers })).toEqual(fits);
});

/** A body written again by other programs: with spaces, sorted members, escapes. */
const rewritten: [string, (body: string) => string][] = [
  ["laid out", (body) => JSON.stringify(JSON.parse(body), null, 2)],
  [
    "with its members sorted",
    (body) => {
      const { data, ...envelope } = JSON.parse(body) as { data: Record<string, unknown> };
      const sorted = (one: object) =>
        Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => a.localeCompare(b)));
      return JSON.stringify(sorted({ ...envelope, data: sorted(data) }));
    },
  ],
  [
    "with escapes and spaces, as Python's json.dumps writes it",
    (body) =>
      JSON.stringify(JSON.parse(body))
        .replaceAll(/[^\x20-\x7e]/gu, (one) =>
          [...one.matchAll(/[\s\S]/g)]
            .map(([unit]) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
            .join(""),
        )
        .replaceAll('","', '", "'),
  ],
];

test.each(rewritten)("a body %s is told as rewritten, by either signature", async (_, rewrite) => {
  for (const vector of vectors) {
    const body = rewrite(vector.body);
    expect(body).not.toBe(vector.body);
    for (const changed of [{}, justService, justStandard]) {
      const headers = headersOf(vector, changed);
      expect(await check(vector, { body, headers })).toEqual(["body_rewritten"]);
    }
  }
});

test("white space at the ends of the body is told, with or without it in what was signed", async () => {
  const [vector] = vectors as [Vector];
  expect(await check(vector, { body: `${vector.body}\n` })).toEqual(["body_ends"]);
  const body = '{"event":"x"}';
  const headers = `x-service-signature: ${signBody(vector.secret, Buffer.from(`${body}\n`))}`;
  expect(await check(vector, { body, headers })).toEqual(["body_ends"]);
});

test("a body that was cut or changed is told apart from another secret", async () => {
  const [vector] = vectors as [Vector];
  expect(await check(vector, { body: vector.body.slice(0, -9) })).toEqual(["body_broken"]);
  expect(await check(vector, { secret: otherSecret })).toEqual(["secret_other"]);
  const laidOut = JSON.stringify(JSON.parse(vector.body), null, 2);
  expect(await check(vector, { body: laidOut, secret: otherSecret })).toEqual(["body_or_secret"]);
});

test("what commonly happens to a secret is told: spaces, quotes, a lost beginning", async () => {
  const [vector] = vectors as [Vector];
  const { secret } = vector;
  expect(await check(vector, { secret: ` ${secret}\n` })).toContain("secret_spaces");
  expect(await check(vector, { secret: `"${secret}"` })).toContain("secret_spaces");
  expect(await check(vector, { secret: secret.slice(6) })).toContain("secret_prefix");
  expect(await check(vector, { secret: "  " })).toEqual(["secret_missing"]);
  expect(await check(vector, { secret: "not base64 ¡" })).toEqual(["secret_other"]);
});

test("the secret from before a change fits one signature, and is told as the older one", async () => {
  const [vector] = vectors as [Vector];
  const body = Buffer.from(vector.body, "utf8");
  const headers = headersOf(vector, {
    "X-Service-Signature": signBody(otherSecret, body),
    "webhook-signature": signStandard({
      secrets: [otherSecret, vector.secret],
      id: vector.event_id,
      timestampSeconds: vector.timestamp,
      body,
    }),
  });
  expect(await check(vector, { headers })).toEqual(["standard_fits", "secret_older"]);
  expect(await check(vector, { headers, secret: otherSecret })).toEqual(fits);
});

test("another id, another timestamp and milliseconds are told", async () => {
  const [vector] = vectors as [Vector];
  const other = (changed: Record<string, string>) => ({ headers: headersOf(vector, changed) });
  expect(await check(vector, other({ "webhook-id": "evt_1" }))).toEqual([
    "service_fits",
    "id_other",
  ]);
  expect(await check(vector, other({ "webhook-timestamp": `${vector.timestamp}000` }))).toEqual([
    "service_fits",
    "timestamp_unit",
  ]);
  expect(await check(vector, other({ "webhook-timestamp": `${vector.timestamp + 1}` }))).toEqual([
    "service_fits",
    "timestamp_other",
  ]);
});

test("a timestamp counts up to 300 s off the clock, either way", async () => {
  const [vector] = vectors as [Vector];
  const at = async (seconds: number) =>
    await check(vector, {}, { now: vector.timestamp + seconds });
  expect(await at(300)).toEqual(fits);
  expect(await at(-300)).toEqual(fits);
  expect(await at(301)).toEqual([...fits, "timestamp_old"]);
  expect(await at(-301)).toEqual([...fits, "timestamp_ahead"]);
});

test("headers without a signature, or with one that is none, are told", async () => {
  const [vector] = vectors as [Vector];
  const other = (changed: Record<string, string | null>) => ({
    headers: headersOf(vector, changed),
  });
  expect(await check(vector, other({ ...justService, ...justStandard }))).toEqual(["no_signature"]);
  expect(await check(vector, { headers: "" })).toEqual(["no_signature"]);
  const bare = vector.x_service_signature.slice("sha256=".length);
  expect(await check(vector, other({ ...justService, "X-Service-Signature": bare }))).toEqual([
    "service_form",
  ]);
  expect(await check(vector, other({ ...justStandard, "webhook-signature": "v2,abc" }))).toEqual([
    "standard_form",
  ]);
});
