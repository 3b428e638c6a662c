import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../core/errors.ts";
import { verifySignature, verifyStandard } from "../core/signature.ts";

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

/**
 * Lets a call pass whose signature fits its raw bytes: `X-Service-Signature`, or on a strict endpoint
 * `webhook-signature`, beside which the other is optional but must fit where it is sent.
 * @throws AppError `missing_signature`, `invalid_signature`
 */
export function requireSignature({ headers, body, secrets, strict, nowSeconds }: SignedCall): void {
  const own = oneValue(headers["x-service-signature"]);
  const signature = oneValue(headers["webhook-signature"]);
  const required = strict ? signature : own;
  if (required === undefined) {
    const name = strict ? "webhook-signature" : "X-Service-Signature";
    throw new AppError("missing_signature", `Sign the body and send the header ${name}.`);
  }
  const fits = secrets.map((secret) => verifySignature(own, secret, body));
  const ownFits = own === undefined || fits.includes(true);
  const standardFits =
    !strict ||
    verifyStandard({
      secrets,
      id: oneValue(headers["webhook-id"]),
      timestamp: oneValue(headers["webhook-timestamp"]),
      signature,
      body,
      nowSeconds,
    });
  if (ownFits && standardFits) return;
  throw new AppError(
    "invalid_signature",
    strict
      ? "A signature does not fit the body, or webhook-timestamp is more than 5 minutes off."
      : "The signature does not fit the body. Sign the very bytes that are sent.",
  );
}

/** Node joins what was sent twice with a comma, which no signature has. */
function oneValue(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.join(", ");
}
