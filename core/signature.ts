import { createHmac, timingSafeEqual } from "node:crypto";
import {
  attemptHeader,
  eventIdHeader,
  eventTypeHeader,
  loopGuardHeader,
  signatureHeader,
  webhookIdHeader,
  webhookSignatureHeader,
  webhookTimestampHeader,
} from "./model/workflow/delivery.ts";
import type { SecretBox } from "./secrets.ts";

const standardPrefix = "whsec_";

/**
 * Maximum seconds between a `webhook-timestamp` and our clock, either way. Source: Standard
 * Webhooks.
 */
export const timestampToleranceSeconds = 300;

/**
 * The value of `X-Service-Signature`: `sha256=` and 64 lower-case hex digits, the HMAC SHA-256 of
 * the bytes. The key is the UTF-8 bytes of the whole secret as shown, prefix included. Rule C52.
 */
export function signBody(secret: string, bytes: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
}

const signingHeaders: readonly string[] = [
  signatureHeader.toLowerCase(),
  webhookSignatureHeader.toLowerCase(),
];

/**
 * Headers without signatures, for a log. Anyone with a signed body can post it as if we had sent
 * it.
 */
export function hideSignatures(headers: Record<string, string>): Record<string, string> {
  const shown = ([name, value]: [string, string]) =>
    signingHeaders.includes(name.toLowerCase()) ? [name, "(hidden)"] : [name, value];
  return Object.fromEntries(Object.entries(headers).map(shown));
}

/**
 * Compares a received `X-Service-Signature` with these bytes. Hex digits may be of either case. The
 * comparison takes the same time whichever digit is wrong. Never throws.
 * @returns true where the signature fits. False for a missing or malformed header.
 */
export function verifySignature(
  header: string | null | undefined,
  secret: string,
  bytes: Uint8Array,
): boolean {
  return fitsBody(header, secret, bytes);
}

/** @returns true where a value has the form of an `X-Service-Signature`. */
export function isSignature(header: string): boolean {
  return ownForm.test(header);
}

/**
 * Detects the use of the decoded secret as the key, instead of the secret's text. Developers who
 * know Standard Webhooks make this mistake. The result explains a refusal and never authenticates a
 * call.
 * @returns true for an `X-Service-Signature` with the decoded secret as its key.
 */
export function signedWithDecodedSecret(
  header: string,
  secret: string,
  bytes: Uint8Array,
): boolean {
  const key = standardKey(secret);
  return key !== null && fitsBody(header, key, bytes);
}

const ownForm = /^sha256=([0-9a-fA-F]{64})$/u;

function fitsBody(
  header: string | null | undefined,
  key: string | Buffer,
  bytes: Uint8Array,
): boolean {
  const hex = ownForm.exec(header ?? "")?.[1];
  if (hex === undefined) return false;
  const expected = createHmac("sha256", key).update(bytes).digest();
  return timingSafeEqual(Buffer.from(hex, "hex"), expected);
}

/** Content that a signature of Standard Webhooks covers, and the secrets that sign it. */
export interface StandardSigning {
  /** `whsec_` + base64, the newest first. Each secret gives one signature. */
  secrets: readonly string[];
  /** `webhook-id`. */
  id: string;
  /** `webhook-timestamp`: seconds since 1970. */
  timestampSeconds: number;
  body: Uint8Array;
}

/**
 * The value of `webhook-signature`: one `v1,<base64>` per secret, separated by spaces. A signature
 * covers `id.timestamp.body`, and its key is the decoded bytes after `whsec_`. Source: Standard
 * Webhooks.
 * @throws Error if a secret is not of that form: our bug.
 */
export function signStandard({ secrets, id, timestampSeconds, body }: StandardSigning): string {
  return secrets
    .map((secret) => {
      const key = standardKey(secret);
      if (key === null) throw new Error("A signing secret is not `whsec_` and base64.");
      return `v1,${standardDigest(key, id, String(timestampSeconds), body).toString("base64")}`;
    })
    .join(" ");
}

/** One POST of an event. */
export interface DeliveryPost {
  eventId: string;
  eventType: string;
  /** 1 to 6. */
  attempt: number;
  body: Uint8Array;
  /** Secrets that sign now, the newest first. */
  secrets: readonly string[];
  /** Start of the attempt, in seconds since 1970. */
  timestampSeconds: number;
  /** Mark by which our own API recognizes our deliveries. */
  loopMark: string;
}

/** Every header that we set on a POST. Rules C51 and C76. */
export function deliveryHeaders(post: DeliveryPost): Record<string, string> {
  const { eventId: id, body, secrets, timestampSeconds } = post;
  const [newest = ""] = secrets;
  return {
    "Content-Type": "application/json",
    "User-Agent": "Parley-Webhooks/1",
    [eventTypeHeader]: post.eventType,
    [eventIdHeader]: id,
    [signatureHeader]: signBody(newest, body),
    [attemptHeader]: String(post.attempt),
    [loopGuardHeader]: post.loopMark,
    [webhookIdHeader]: id,
    [webhookTimestampHeader]: String(timestampSeconds),
    [webhookSignatureHeader]: signStandard({ secrets, id, timestampSeconds, body }),
  };
}

const loopMark = { text: "delivery", purpose: "loop-guard" };

/**
 * The value of `X-Service-Loop-Guard`, the same on every delivery of an installation. Our API
 * refuses calls with this mark. Otherwise a subscription to another name of our host would call us
 * with our own events. Rule C76.
 */
export function makeLoopMark(secretBox: SecretBox): string {
  return secretBox.sign(loopMark.text, loopMark.purpose);
}

/** @returns true if a process of this installation made the mark, under any of its keys. */
export function isOwnLoopMark(secretBox: SecretBox, mark: string): boolean {
  return secretBox.isSigned(loopMark.text, loopMark.purpose, mark);
}

/** A received request with the headers of Standard Webhooks. */
export interface StandardClaim {
  /** Secrets of which any may have signed. */
  secrets: readonly string[];
  /** The three headers as received. */
  id: string | null | undefined;
  timestamp: string | null | undefined;
  signature: string | null | undefined;
  body: Uint8Array;
  /** Our clock, in seconds since 1970. */
  nowSeconds: number;
}

/**
 * Checks the signatures of Standard Webhooks. Missing or malformed headers are false. Never throws.
 * @returns true where a secret made one of the signatures and the timestamp is at most 300 s off.
 */
export function verifyStandard(claim: StandardClaim): boolean {
  const { timestamp, nowSeconds } = claim;
  if (!/^\d{1,12}$/u.test(timestamp ?? "")) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > timestampToleranceSeconds) return false;
  return fitsStandard(claim, standardKey);
}

/** @returns true where a value holds a `v1` signature. */
export function isStandardSignature(signature: string): boolean {
  return signature.split(" ").flatMap(standardSignature).length > 0;
}

/**
 * Detects the use of the secret's text as the key, instead of its decoded bytes. The result
 * explains a refusal and never authenticates a call.
 * @returns true for a `webhook-signature` with the secret's text as its key.
 */
export function signedWithSecretText(claim: StandardClaim): boolean {
  return fitsStandard(claim, (secret) => Buffer.from(secret));
}

function fitsStandard(
  { secrets, id, timestamp, signature, body }: StandardClaim,
  keyOf: (secret: string) => Buffer | null,
): boolean {
  if (!id || !signature || !timestamp) return false;
  const given = signature.split(" ").flatMap(standardSignature);
  return secrets.some((secret) => {
    const key = keyOf(secret);
    if (key === null) return false;
    const expected = standardDigest(key, id, timestamp, body);
    return given.some((digest) => timingSafeEqual(digest, expected));
  });
}

function standardKey(secret: string): Buffer | null {
  const encoded = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : "";
  return /^[0-9A-Za-z+/]{4,}={0,2}$/u.test(encoded) ? Buffer.from(encoded, "base64") : null;
}

function standardDigest(key: Buffer, id: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}

/** The 32 bytes of a `v1` signature. Empty for any other version or form. */
function standardSignature(text: string): Buffer[] {
  const encoded = /^v1,([0-9A-Za-z+/]{43}=)$/u.exec(text)?.[1];
  return encoded === undefined ? [] : [Buffer.from(encoded, "base64")];
}
