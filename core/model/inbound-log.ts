/** What became of a call to an endpoint, in a word: the log is filtered by it. Our choice. */
export const inboundVerdicts = [
  "done",
  "repeated",
  "bad_signature",
  "refused",
  "limited",
  "failed",
] as const;
export type InboundVerdict = (typeof inboundVerdicts)[number];

/** How a call ended. */
export interface InboundEnding {
  statusCode: number;
  /** Null where it worked. */
  errorCode: string | null;
  /** Whether the answer was that of an earlier call with the same event id. */
  replayed: boolean;
}

/** The word for an ending: `refused` is the caller's to mend, `limited` came too often, `failed` is ours. */
export function inboundVerdict({ statusCode, errorCode, replayed }: InboundEnding): InboundVerdict {
  if (errorCode === null) return replayed ? "repeated" : "done";
  if (statusCode === 401) return "bad_signature";
  if (statusCode === 429) return "limited";
  return statusCode < 500 ? "refused" : "failed";
}

/**
 * Why a signature was refused: its header did not come, is not of its form, is more than 5 minutes off
 * (`stale`), was made with the other form of the secret (`wrong_key`), or fits neither bytes nor secret.
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
