import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventCatalogue, serializeEvent, type EventEnvelope } from "../../core/model/events.ts";
import { signBody, signStandard, verifySignature, verifyStandard } from "../../core/signature.ts";

// The signatures of the file were computed with Python 3 (hmac, hashlib, base64) and compared with
// `openssl dgst -sha256 -mac HMAC -macopt hexkey:…` over the same bytes, both without our code.
const file = z
  .strictObject({
    about: z.string(),
    vectors: z.array(
      z.strictObject({
        name: z.string(),
        secret: z.string(),
        event_id: z.uuid(),
        timestamp: z.int(),
        body: z.string(),
        x_service_signature: z.string(),
        webhook_signature: z.string(),
      }),
    ),
  })
  .parse(
    JSON.parse(
      readFileSync(new URL("../../docs/webhook-test-vectors.json", import.meta.url), "utf8"),
    ),
  );

test("there are three vectors: ASCII, beyond ASCII, and the sample of contact.created", () => {
  const [ascii, beyond, contact] = file.vectors.map(({ body }) => body);
  expect(file.vectors).toHaveLength(3);
  expect(ascii).toMatch(/^[\x20-\x7e]+$/);
  for (const part of ["👍", "👩\u200D💻", "é", "ñ", "\u2028"]) expect(beyond).toContain(part);
  expect(JSON.parse(contact ?? "")).toMatchObject({
    event_type: "contact.created",
    data: eventCatalogue["contact.created"].sample,
  });
});

test.each(file.vectors)("$name: the body is what we send for that event", ({ body, event_id }) => {
  const event = JSON.parse(body) as EventEnvelope;
  expect(event.event_id).toBe(event_id);
  expect(serializeEvent(event)).toBe(body);
});

test.each(file.vectors)("$name: both signatures are those computed elsewhere", (vector) => {
  const body = Buffer.from(vector.body, "utf8");
  const { secret, event_id: id, timestamp } = vector;
  expect(signBody(secret, body)).toBe(vector.x_service_signature);
  expect(signStandard({ secrets: [secret], id, timestampSeconds: timestamp, body })).toBe(
    vector.webhook_signature,
  );
  expect(new Webhook(secret).sign(id, new Date(timestamp * 1_000), body)).toBe(
    vector.webhook_signature,
  );
});

test.each(file.vectors)("$name: both signatures verify", (vector) => {
  const body = Buffer.from(vector.body, "utf8");
  expect(verifySignature(vector.x_service_signature, vector.secret, body)).toBe(true);
  expect(
    verifyStandard({
      secrets: [vector.secret],
      id: vector.event_id,
      timestamp: String(vector.timestamp),
      signature: vector.webhook_signature,
      body,
      nowSeconds: vector.timestamp,
    }),
  ).toBe(true);
});
