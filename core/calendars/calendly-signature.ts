import { createHmac, timingSafeEqual } from "node:crypto";

/** Seconds by which the moment of a signature may differ from our clock. */
const toleranceSeconds = 300;

/** Result of a check. `stale`: rightly signed, and too old or too early. */
export type CalendlySignature = "valid" | "stale" | "missing" | "invalid";

/**
 * Checks `Calendly-Webhook-Signature: t=<seconds>,v1=<hex>`: an HMAC SHA-256 over `t`, a dot and the
 * raw body. The comparison takes the same time whichever digit is wrong.
 */
export function checkCalendlySignature(given: {
  header: string | undefined;
  key: string;
  body: Uint8Array;
  nowSeconds: number;
}): CalendlySignature {
  const { header = "", key, body, nowSeconds } = given;
  if (header === "") return "missing";
  const parts = header.split(",").map((part) => part.trim());
  const seconds = parts.map((part) => /^t=(\d{1,12})$/u.exec(part)?.[1]).find(isText);
  const digests = parts.map((part) => /^v1=([0-9a-fA-F]{64})$/u.exec(part)?.[1]).filter(isText);
  if (seconds === undefined || digests.length === 0) return "invalid";
  const expected = createHmac("sha256", key).update(`${seconds}.`).update(body).digest();
  const fits = digests.map((digest) => timingSafeEqual(Buffer.from(digest, "hex"), expected));
  if (!fits.includes(true)) return "invalid";
  return Math.abs(nowSeconds - Number(seconds)) > toleranceSeconds ? "stale" : "valid";
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
