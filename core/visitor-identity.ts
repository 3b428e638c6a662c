import { decodeJwt, importSPKI, jwtVerify, type JWTPayload, type JWTVerifyOptions } from "jose";
import { AppError } from "./errors.ts";
import { dayMs, minuteMs } from "./model/durations.ts";
import type { VerifiedIdentity } from "./model/widget-visit.ts";
import { toWellFormed } from "./model/wire.ts";

/** Keys that may sign identities for a widget. */
export interface IdentityKeys {
  /** Public key of the widget, which `aud` names if it is present. */
  widgetKey: string;
  /** PEM of the ES256 key; null: the secrets sign with HS256. */
  publicKey: string | null;
  secrets: readonly string[];
}

/** Longest life of an identity: a leaked one ends soon. */
const maxLifeMs = dayMs;
/** Clocks of two servers may differ. */
const leewayMs = minuteMs;
const subForm = /^[\x21-\x7e]{1,120}$/u;

/**
 * Verifies a signed identity. The keys decide the algorithm, never the header of the token: so
 * `none` is refused, and the public key is never taken for a secret. One that has ended is verified
 * as of its end: a page may be open longer than its identity counts.
 * @throws AppError `identity_invalid`
 */
export async function verifyIdentity(
  token: string,
  keys: IdentityKeys,
  now: Date,
): Promise<VerifiedIdentity> {
  const end = readEnd(token);
  const hasEnded = end !== null && end.getTime() + leewayMs <= now.getTime();
  const payload = await findPayload(token, keys, hasEnded ? end : now);
  const { sub, exp = 0, aud } = payload ?? {};
  // A number would read as a text here, and the library lets it pass.
  const isNamed = typeof sub === "string" && subForm.test(sub);
  if (payload === null || !isNamed) throw invalid();
  if (exp * 1_000 - now.getTime() > maxLifeMs + leewayMs) {
    throw invalid("The identity must end within 24 hours. Set a nearer `exp`.");
  }
  if (aud !== undefined && ![aud].flat().includes(keys.widgetKey)) {
    throw invalid("The identity is for another widget. Set `aud` to the key of this one.");
  }
  return {
    sub,
    hasEnded,
    ...textOf(payload, "name", 200),
    ...textOf(payload, "email", 254),
    ...textOf(payload, "phone", 40),
  };
}

function invalid(message?: string): AppError {
  return new AppError("identity_invalid", message === undefined ? {} : { message });
}

/** The end that a token claims, before anything is verified. Null where it names none. */
function readEnd(token: string): Date | null {
  try {
    const { exp } = decodeJwt(token);
    return typeof exp === "number" ? new Date(exp * 1_000) : null;
  } catch {
    return null;
  }
}

async function findPayload(
  token: string,
  { publicKey, secrets }: IdentityKeys,
  now: Date,
): Promise<JWTPayload | null> {
  const rules: JWTVerifyOptions = {
    currentDate: now,
    clockTolerance: leewayMs / 1_000,
    requiredClaims: ["sub", "exp"],
  };
  if (publicKey !== null) {
    const key = await importSPKI(publicKey, "ES256");
    return await payloadOf(jwtVerify(token, key, { ...rules, algorithms: ["ES256"] }));
  }
  for (const secret of secrets) {
    const key = new TextEncoder().encode(secret);
    const payload = await payloadOf(jwtVerify(token, key, { ...rules, algorithms: ["HS256"] }));
    if (payload !== null) return payload;
  }
  return null;
}

async function payloadOf(verified: Promise<{ payload: JWTPayload }>): Promise<JWTPayload | null> {
  try {
    return (await verified).payload;
  } catch {
    // The reasons help a forger alone.
    return null;
  }
}

/** A claim for people; one that is no text, or too long, is left out. */
function textOf(payload: JWTPayload, claim: "name" | "email" | "phone", max: number) {
  const value = payload[claim];
  const text = typeof value === "string" ? toWellFormed(value.trim()) : "";
  return text === "" || text.length > max ? {} : { [claim]: text };
}
