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

/** A raw call, and the secrets that may have signed it. */
export interface SignedCall {
  headers: IncomingHttpHeaders;
  body: Uint8Array;
  /** Every secret that is valid now. A signature with any of them counts. */
  secrets: readonly string[];
  /** True if the endpoint requires the signature of Standard Webhooks. */
  strict: boolean;
  nowSeconds: number;
}

/** Reason for a refused signature, for the endpoint's log. */
export interface RefusedSignature {
  fault: SignatureFault;
  /** The header that was checked. */
  header: SignatureHeader;
  /**
   * Difference of its timestamp to our clock, positive if later; null unless the fault is `stale`.
   */
  clockOffSeconds: number | null;
}

/**
 * Checks the signature of a call's raw bytes. `X-Service-Signature` must be valid. On a strict
 * endpoint `webhook-signature` must be valid, and `X-Service-Signature` too if it is sent.
 * @returns null if the call may pass.
 */
export function findSignatureFault(call: SignedCall): RefusedSignature | null {
  const own = oneValue(call.headers["x-service-signature"]);
  if (!call.strict) return judgeOwn(call, own);
  return judgeStandard(call) ?? (own === undefined ? null : judgeOwn(call, own));
}

/** Error for the caller. It says less than the log, because the caller's identity is not proven. */
export function signatureRefusal({ fault, header }: RefusedSignature, strict: boolean): AppError {
  if (fault === "missing" && header.endsWith("-signature")) {
    const name = strict ? header : "X-Service-Signature";
    return new AppError("missing_signature", {
      message: `Sign the body and send the header ${name}.`,
    });
  }
  if (!strict) return new AppError("invalid_signature");
  return new AppError("invalid_signature", {
    message: "A signature does not fit the body, or webhook-timestamp is more than 5 minutes off.",
  });
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

/** Limits a number to a column of the log; twelve digits do not fit. */
function asInt(seconds: number): number {
  return Math.max(-2_000_000_000, Math.min(2_000_000_000, seconds));
}

/** Node joins a repeated header with a comma, which no signature contains. */
function oneValue(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.join(", ");
}
