/** Verdicts on a call to an endpoint. The log is filtered by verdict. */
export const inboundVerdicts = [
  "done",
  "repeated",
  "bad_signature",
  "refused",
  "limited",
  "failed",
] as const;
export type InboundVerdict = (typeof inboundVerdicts)[number];

/** Answer to a call, from which its verdict follows. */
export interface InboundEnding {
  statusCode: number;
  /** Null for a success. */
  errorCode: string | null;
  /** True where the answer repeats that of an earlier call with the same event id. */
  replayed: boolean;
}

/**
 * The verdict on a call. `refused`: the caller can fix the call. `limited`: calls came too often.
 * `failed`: our fault.
 */
export function inboundVerdict({ statusCode, errorCode, replayed }: InboundEnding): InboundVerdict {
  if (errorCode === null) return replayed ? "repeated" : "done";
  if (statusCode === 401) return "bad_signature";
  if (statusCode === 429) return "limited";
  return statusCode < 500 ? "refused" : "failed";
}

/**
 * Reasons to refuse a signature.
 * - `missing`: its header did not come.
 * - `malformed`: its header has another form.
 * - `stale`: the timestamp is more than 5 minutes off.
 * - `wrong_key`: the signature was made with the other form of the secret.
 * - `mismatch`: the signature fits neither these bytes nor this secret.
 */
export const signatureFaults = ["missing", "malformed", "stale", "wrong_key", "mismatch"] as const;
export type SignatureFault = (typeof signatureFaults)[number];

/** The headers that a signature consists of. */
export const signatureHeaders = [
  "x-service-signature",
  "webhook-signature",
  "webhook-id",
  "webhook-timestamp",
] as const;
export type SignatureHeader = (typeof signatureHeaders)[number];
