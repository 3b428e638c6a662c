import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, test, vi } from "vitest";
import { generateSigningSecret } from "../../core/secrets.ts";
import {
  signBody,
  signStandard,
  timestampToleranceSeconds,
  verifySignature,
  verifyStandard,
} from "../../core/signature.ts";

const secret = "whsec_VEYlYwNX8DQY/JaIMk+f2ZWzYQD4NBmLXE2e2uShnGk=";
const bytes = Buffer.from('{"text":"¿Qué tal? 👍\u2028"}');
const signature = signBody(secret, bytes);
const hex = signature.slice("sha256=".length);

afterEach(() => {
  vi.useRealTimers();
});

test("a signature is sha256= and 64 lower-case hex digits, and verifies", () => {
  expect(signature).toMatch(/^sha256=[0-9a-f]{64}$/);
  expect(verifySignature(signature, secret, bytes)).toBe(true);
});

test("hex digits in upper case verify too", () => {
  expect(verifySignature(`sha256=${hex.toUpperCase()}`, secret, bytes)).toBe(true);
});

test.each<[string, string | null | undefined]>([
  ["missing", undefined],
  ["null", null],
  ["empty", ""],
  ["without digits", "sha256="],
  ["of 63 digits", `sha256=${hex.slice(1)}`],
  ["of 65 digits", `sha256=${hex}0`],
  ["bare hex", hex],
  ["of another algorithm", `sha1=${hex}`],
  ["with an upper-case name", `SHA256=${hex}`],
  ["with a trailing space", `${signature} `],
  ["with a leading space", ` ${signature}`],
  ["with a trailing newline", `${signature}\n`],
  ["sent twice", `${signature}, ${signature}`],
  ["with a digit that is no hex", `sha256=${hex.slice(1)}g`],
  ["with a full-width digit", `sha256=${hex.slice(1)}０`],
  ["in base64", `sha256=${Buffer.from(hex, "hex").toString("base64")}`],
  ["of 10 KB", `sha256=${"a".repeat(10_240)}`],
  ["of another body", signBody(secret, Buffer.from("{}"))],
  ["of another secret", signBody(generateSigningSecret(), bytes)],
])("a signature that is %s does not verify, and nothing is thrown", (_name, header) => {
  expect(verifySignature(header, secret, bytes)).toBe(false);
});

test("any bytes verify under their own signature, and not with one bit flipped", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 2_000 }),
      fc.string({ unit: "binary" }),
      fc.nat(),
      (body, key, place) => {
        const header = signBody(key, body);
        expect(verifySignature(header, key, body)).toBe(true);
        const flipped = Uint8Array.from(body);
        flipped[place % body.length] = (body[place % body.length] ?? 0) ^ (1 << (place % 8));
        expect(verifySignature(header, key, flipped)).toBe(false);
      },
    ),
  );
});

test("any text in place of a signature is refused without an exception", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (header) => {
      expect(verifySignature(header, secret, bytes)).toBe(false);
      expect(verifyStandard({ ...claim, signature: header })).toBe(false);
      expect(verifyStandard({ ...claim, timestamp: header })).toBe(false);
    }),
  );
});

const id = "019caee1-5b7e-7c41-9d3a-2f6b80c4e117";
const now = 1_772_460_311;
const standard = signStandard({ secrets: [secret], id, timestampSeconds: now, body: bytes });
const claim = {
  secrets: [secret],
  id,
  timestamp: String(now),
  signature: standard,
  body: bytes,
  nowSeconds: now,
};

test("the stock library accepts what we sign, with the secret as we show it", () => {
  vi.useFakeTimers({ now: now * 1_000 });
  const receiver = new Webhook(secret);
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(now),
    "webhook-signature": standard,
  };
  expect(receiver.verify(bytes, headers)).toEqual(JSON.parse(bytes.toString()));
  expect(() => receiver.verify(Buffer.from("{}"), headers)).toThrow(/signature/i);
});

test("we accept what the stock library signs", () => {
  const sent = new Webhook(secret).sign(id, new Date(now * 1_000), bytes);
  expect(sent).toBe(standard);
  expect(verifyStandard({ ...claim, signature: sent })).toBe(true);
});

test("while a secret is rotated, a receiver holding either one accepts the same delivery", () => {
  vi.useFakeTimers({ now: now * 1_000 });
  const fresh = generateSigningSecret();
  const both = signStandard({ secrets: [fresh, secret], id, timestampSeconds: now, body: bytes });
  expect(both).toMatch(/^v1,[0-9A-Za-z+/]{43}= v1,[0-9A-Za-z+/]{43}=$/);
  const headers = { "webhook-id": id, "webhook-timestamp": String(now), "webhook-signature": both };
  for (const held of [fresh, secret]) {
    expect(new Webhook(held).verify(bytes, headers)).toBeDefined();
    expect(verifyStandard({ ...claim, secrets: [held], signature: both })).toBe(true);
  }
  expect(() => new Webhook(generateSigningSecret()).verify(bytes, headers)).toThrow(/signature/i);
});

test("any of our secrets may have signed", () => {
  expect(verifyStandard({ ...claim, secrets: [generateSigningSecret(), secret] })).toBe(true);
  expect(verifyStandard({ ...claim, secrets: [] })).toBe(false);
});

test.each([
  [-301, false],
  [-300, true],
  [-299, true],
  [299, true],
  [300, true],
  [301, false],
])("a timestamp %i s off our clock verifies: %s", (offset, accepted) => {
  expect(timestampToleranceSeconds).toBe(300);
  expect(verifyStandard({ ...claim, nowSeconds: now + offset })).toBe(accepted);
});

test.each([
  ["no id", { id: undefined }],
  ["an empty id", { id: "" }],
  ["another id", { id: "other" }],
  ["no timestamp", { timestamp: null }],
  ["an empty timestamp", { timestamp: "" }],
  ["another timestamp", { timestamp: String(now + 1) }],
  ["a timestamp with a zero before it", { timestamp: `0${now}` }],
  ["a timestamp in words", { timestamp: "now" }],
  ["a timestamp with a fraction", { timestamp: `${now}.0` }],
  ["no signature", { signature: undefined }],
  ["an empty signature", { signature: "" }],
  ["a signature without version", { signature: standard.slice(3) }],
  ["a signature of another version", { signature: standard.replace("v1,", "v1a,") }],
  ["a signature cut short", { signature: standard.slice(0, -2) }],
  ["signatures parted by commas", { signature: `${standard},${standard}` }],
  ["10 KB of signature", { signature: `v1,${"A".repeat(10_240)}` }],
  ["another body", { body: Buffer.from("{}") }],
  ["another secret", { secrets: [generateSigningSecret()] }],
  ["a secret without base64", { secrets: ["whsec_"] }],
  ["a secret of another form", { secrets: ["secret"] }],
])("a claim with %s does not verify, and nothing is thrown", (_name, change) => {
  expect(verifyStandard({ ...claim, ...change })).toBe(false);
});

test("a good signature counts among others that are not", () => {
  const mixed = `v1a,AAAA v1,${"A".repeat(43)}= nonsense ${standard}`;
  expect(verifyStandard({ ...claim, signature: mixed })).toBe(true);
});

test.each(["", "secret", "whsec_", "whsec_%%%", "WHSEC_AAAA"])(
  "signing with the malformed secret %o throws, without telling it",
  (malformed) => {
    const sign = () =>
      signStandard({ secrets: [malformed], id, timestampSeconds: now, body: bytes });
    expect(sign).toThrow("A signing secret is not `whsec_` and base64.");
  },
);
