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

/** Seconds a `webhook-timestamp` may lie off our clock, either way. Source: Standard Webhooks. */
export const timestampToleranceSeconds = 300;

/**
 * The value of `X-Service-Signature`: `sha256=` and 64 lower-case hex digits, the HMAC SHA-256 of the
 * bytes keyed with the UTF-8 bytes of the whole secret as shown, prefix included. Source: contract,
 * Authentication.
 */
export function signBody(secret: string, bytes: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
}

const signingHeaders: readonly string[] = [
  signatureHeader.toLowerCase(),
  webhookSignatureHeader.toLowerCase(),
];

/** Headers as a log may hold them: whoever has a signed body can post it as if it came from us. */
export function hideSignatures(headers: Record<string, string>): Record<string, string> {
  const shown = ([name, value]: [string, string]) =>
    signingHeaders.includes(name.toLowerCase()) ? [name, "(hidden)"] : [name, value];
  return Object.fromEntries(Object.entries(headers).map(shown));
}

/**
 * Whether a received `X-Service-Signature` fits these bytes. Hex digits may be of either case; a
 * missing or malformed header is false. Takes the same time whichever digit is wrong. Never throws.
 */
export function verifySignature(
  header: string | null | undefined,
  secret: string,
  bytes: Uint8Array,
): boolean {
  return fitsBody(header, secret, bytes);
}

/** Whether a value has the form of an `X-Service-Signature`. */
export function isSignature(header: string): boolean {
  return ownForm.test(header);
}

/**
 * Whether an `X-Service-Signature` was made with the bytes that the secret stands for instead of its
 * text, a slip of those who know Standard Webhooks. It explains a refusal and lets nobody pass.
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

/** What the signature of Standard Webhooks covers, and the secrets that sign it. */
export interface StandardSigning {
  /** `whsec_` + base64; each gives one signature, the newest first. */
  secrets: readonly string[];
  /** `webhook-id`. */
  id: string;
  /** `webhook-timestamp`: seconds since 1970. */
  timestampSeconds: number;
  body: Uint8Array;
}

/**
 * The value of `webhook-signature`: one `v1,<base64>` per secret, separated by spaces, over
 * `id.timestamp.body` and keyed with the decoded bytes after `whsec_`. Source: Standard Webhooks.
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
  /** Those that sign now, the newest first. */
  secrets: readonly string[];
  /** When the attempt starts, in seconds since 1970. */
  timestampSeconds: number;
  /** What our own API knows our deliveries by. */
  loopMark: string;
}

/** Every header that we set on a POST. Source: contract, Delivery headers; Standard Webhooks; the loop guard is ours. */
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
 * The value of `X-Service-Loop-Guard`, the same on every delivery of an installation. Our API refuses
 * calls with it: a subscription to another name of ours would otherwise call us with our own events.
 */
export function makeLoopMark(secretBox: SecretBox): string {
  return secretBox.sign(loopMark.text, loopMark.purpose);
}

/** @returns true if a process of this installation made the mark, under any of its keys. */
export function isOwnLoopMark(secretBox: SecretBox, mark: string): boolean {
  return secretBox.isSigned(loopMark.text, loopMark.purpose, mark);
}

/** What a request with the headers of Standard Webhooks brought, and when. */
export interface StandardClaim {
  /** Any of them may have signed. */
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
 * Whether one of the signatures was made with one of the secrets and the timestamp is at most 300 s
 * off. Missing or malformed headers are false. Never throws.
 */
export function verifyStandard(claim: StandardClaim): boolean {
  const { timestamp, nowSeconds } = claim;
  if (!/^\d{1,12}$/u.test(timestamp ?? "")) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > timestampToleranceSeconds) return false;
  return fitsStandard(claim, standardKey);
}

/** Whether a value holds a `v1` signature. */
export function isStandardSignature(signature: string): boolean {
  return signature.split(" ").flatMap(standardSignature).length > 0;
}

/**
 * Whether a `webhook-signature` was made with the secret's text instead of the bytes it stands for. It
 * explains a refusal and lets nobody pass.
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

/** The 32 bytes of a `v1` signature; nothing of any other version or form. */
function standardSignature(text: string): Buffer[] {
  const encoded = /^v1,([0-9A-Za-z+/]{43}=)$/u.exec(text)?.[1];
  return encoded === undefined ? [] : [Buffer.from(encoded, "base64")];
}
