import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../../core/errors.ts";
import type { SignatureFault, SignatureHeader } from "../../core/model/inbound-log.ts";
import {
  isSignature,
  isStandardSignature,
  signedWithDecodedSecret,
  signedWithSecretText,
  timestampToleranceSeconds,
  verifySignature,
  verifyStandard,
} from "../../core/signature.ts";

/** A call as it came, and what it must be signed with. */
export interface SignedCall {
  headers: IncomingHttpHeaders;
  body: Uint8Array;
  /** Every secret that is valid now; any of them will do. */
  secrets: readonly string[];
  /** Whether the endpoint insists on the signature of Standard Webhooks. */
  strict: boolean;
  nowSeconds: number;
}

/** Why a signature does not count, for the endpoint's log. */
export interface RefusedSignature {
  fault: SignatureFault;
  /** The header that was read. */
  header: SignatureHeader;
  /** How far its timestamp lies from our clock, later ones positive; null unless it is `stale`. */
  clockOffSeconds: number | null;
}

/**
 * Judges a call by its raw bytes: `X-Service-Signature` must fit, or on a strict endpoint
 * `webhook-signature`, beside which the other is optional but must fit where it is sent.
 * @returns null where the call may pass.
 */
export function findSignatureFault(call: SignedCall): RefusedSignature | null {
  const own = oneValue(call.headers["x-service-signature"]);
  if (!call.strict) return judgeOwn(call, own);
  return judgeStandard(call) ?? (own === undefined ? null : judgeOwn(call, own));
}

/** What the caller reads: less than the log says, since nothing of theirs is proven. */
export function signatureRefusal({ fault, header }: RefusedSignature, strict: boolean): AppError {
  if (fault === "missing" && header.endsWith("-signature")) {
    const name = strict ? header : "X-Service-Signature";
    return new AppError("missing_signature", `Sign the body and send the header ${name}.`);
  }
  return new AppError(
    "invalid_signature",
    strict
      ? "A signature does not fit the body, or webhook-timestamp is more than 5 minutes off."
      : "The signature does not fit the body. Sign the very bytes that are sent.",
  );
}

function judgeOwn(
  { body, secrets }: SignedCall,
  value: string | undefined,
): RefusedSignature | null {
  const refuse = (fault: SignatureFault) => refused(fault, "x-service-signature");
  if (value === undefined) return refuse("missing");
  if (!isSignature(value)) return refuse("malformed");
  const fits = secrets.map((secret) => verifySignature(value, secret, body));
  if (fits.includes(true)) return null;
  const slipped = secrets.some((secret) => signedWithDecodedSecret(value, secret, body));
  return refuse(slipped ? "wrong_key" : "mismatch");
}

function judgeStandard(call: SignedCall): RefusedSignature | null {
  const { headers, body, secrets, nowSeconds } = call;
  const signature = oneValue(headers["webhook-signature"]);
  const id = oneValue(headers["webhook-id"]);
  const timestamp = oneValue(headers["webhook-timestamp"]);
  if (signature === undefined) return refused("missing", "webhook-signature");
  const claim = { secrets, id, timestamp, signature, body, nowSeconds };
  if (verifyStandard(claim)) return null;
  if (!id) return refused("missing", "webhook-id");
  if (timestamp === undefined) return refused("missing", "webhook-timestamp");
  if (!/^\d{1,12}$/u.test(timestamp)) return refused("malformed", "webhook-timestamp");
  const off = Number(timestamp) - nowSeconds;
  if (Math.abs(off) > timestampToleranceSeconds) {
    return { ...refused("stale", "webhook-timestamp"), clockOffSeconds: asInt(off) };
  }
  if (!isStandardSignature(signature)) return refused("malformed", "webhook-signature");
  return refused(signedWithSecretText(claim) ? "wrong_key" : "mismatch", "webhook-signature");
}

function refused(fault: SignatureFault, header: SignatureHeader): RefusedSignature {
  return { fault, header, clockOffSeconds: null };
}

/** Twelve digits hold more than a column of the log. */
function asInt(seconds: number): number {
  return Math.max(-2_000_000_000, Math.min(2_000_000_000, seconds));
}

/** Node joins what was sent twice with a comma, which no signature has. */
function oneValue(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.join(", ");
}
