import { errors } from "undici";
import { TargetError } from "../../core/target-guard.ts";

/** Class of a failed attempt. */
export type ErrorClass =
  | "timeout"
  | "dns_error"
  | "blocked_destination"
  | "connection_refused"
  | "connection_reset"
  | "connection_failed"
  | "tls_error"
  | "invalid_response"
  | "http_status";

/** A failure whose class is known where it happens. */
export class AttemptError extends Error {
  override readonly name = "AttemptError";

  constructor(readonly errorClass: ErrorClass) {
    super(errorClass);
  }
}

const classByCode: Record<string, ErrorClass> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  ECONNABORTED: "connection_reset",
  EPIPE: "connection_reset",
  UND_ERR_SOCKET: "connection_reset",
  ETIMEDOUT: "timeout",
  EPROTO: "tls_error",
  UND_ERR_HEADERS_OVERFLOW: "invalid_response",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "invalid_response",
};

/** The class of a failure. An unknown failure is `connection_failed`. */
export function classifyError(error: unknown): ErrorClass {
  if (error instanceof AttemptError) return error.errorClass;
  if (error instanceof TargetError)
    return error.code === "dns_error" ? "dns_error" : "blocked_destination";
  if (isUnreadable(error)) return "invalid_response";
  const code = codeOf(error) ?? "";
  if (code.startsWith("ERR_SSL") || code.startsWith("ERR_TLS")) return "tls_error";
  return classByCode[code] ?? "connection_failed";
}

/** undici's parser errors have no code, and its error for an unexpected answer has no class. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof errors.HTTPParserError) return true;
  return error instanceof errors.SocketError && /^bad (response|upgrade)$/.test(error.message);
}

const ownFaults = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
]);

/**
 * @returns true if the error is ours, not the receiver's: no file handle left, an invalid header, a
 * bug. Use only while nothing was sent, or the same request could go out again and again.
 */
export function isOwnFault(error: unknown): boolean {
  if (error instanceof AttemptError || error instanceof TargetError) return false;
  const code = codeOf(error);
  return code === null || ownFaults.has(code);
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error ? String(error.code) : null;
}

const excerptBytes = 2_048;

/** The first 2 KiB of an answer as text: invalid bytes become U+FFFD, a cut character is left out. */
export function createExcerpt(): { add(chunk: Buffer): number; text(): string } {
  const kept: Buffer[] = [];
  let bytes = 0;
  return {
    /** @returns the number of bytes so far. */
    add(chunk) {
      // Copied, because a slice would keep the whole chunk alive.
      if (bytes < excerptBytes) kept.push(Buffer.from(chunk.subarray(0, excerptBytes - bytes)));
      bytes += chunk.length;
      return bytes;
    },
    text: () => new TextDecoder("utf-8").decode(Buffer.concat(kept), { stream: true }),
  };
}

const seconds = /^\d+(\.\d+)?$/;
const httpDate = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds. The header holds decimal seconds
 * or an HTTP date. A past date gives 0, anything else null.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? "";
  if (seconds.test(text)) {
    const waitMs = Math.round(Number(text) * 1_000);
    return Number.isSafeInteger(waitMs) ? waitMs : null;
  }
  const dateMs = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
