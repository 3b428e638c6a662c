import type { ConsentOutcome } from "./model/google-consent.ts";
import { errorCatalogue, type ErrorCode, type ErrorNoun } from "./model/error-catalogue.ts";

/** One fault of the input, as `error.details` holds it. */
export interface ErrorDetail {
  /** Where: `body.phone`, `query.limit`, `headers.idempotency-key`. */
  path: string;
  /** Stable, for programs: `invalid_phone`, `unknown_field`. */
  code: string;
  /** For people: what is wrong and what to send instead. */
  message: string;
}

/** `details` of an error: every issue of a validation, or an object for some codes. */
export type ErrorDetails = ErrorDetail[] | Record<string, unknown> | null;

interface ErrorOptions {
  /** Replaces the catalogue's text where this one knows more. */
  message?: string;
  details?: ErrorDetails;
  /** Seconds after which the same call may succeed, sent as `Retry-After`. */
  retryAfterSeconds?: number | null;
}

/**
 * A refusal that the caller can read, with its status and text from the error catalogue. Anything
 * else that is thrown is our own fault and reads as `internal_error`.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly status: number;
  readonly details: ErrorDetails;
  readonly retryAfterSeconds: number | null;

  constructor(
    readonly code: ErrorCode,
    { message, details = null, retryAfterSeconds = null }: ErrorOptions = {},
  ) {
    super(message ?? errorCatalogue[code].message);
    this.status = errorCatalogue[code].status;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** An id that does not exist or belongs to another account. The two read alike. Rule C10. */
export function notFound(noun: ErrorNoun): AppError {
  return new AppError(`${noun}_not_found`);
}

/** Input refused by a rule that a schema cannot see, such as a target address. */
export function invalidField(path: string, code: string, message: string): AppError {
  return new AppError("validation_error", { details: [{ path, code, message }] });
}

/**
 * Thrown on a write conflict: another transaction committed a row first. The whole transaction runs
 * again and then finds that row. To continue in the same transaction would keep the shared lock of
 * the failed insert. Two such transactions would deadlock on that lock.
 */
export class WriteConflict extends Error {
  override readonly name = "WriteConflict";
}

/** Error numbers of MySQL. */
export const mysqlError = {
  duplicateKey: 1062,
  lockWaitTimeout: 1205,
  deadlock: 1213,
  /** A statement ran longer than its `MAX_EXECUTION_TIME`. */
  statementTimeout: 3024,
} as const;

/** MySQL's number of a statement's error, or null. */
export function errorNumber(error: unknown): number | null {
  if (typeof error !== "object" || error === null) return null;
  if ("errno" in error && typeof error.errno === "number") return error.errno;
  return "driverError" in error ? errorNumber(error.driverError) : null;
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A consent at a calendar provider that gives no usable grant. */
export class ConsentError extends Error {
  override readonly name = "ConsentError";

  constructor(readonly outcome: Exclude<ConsentOutcome, "connected">) {
    super(`The consent gave no grant: ${outcome}.`);
  }
}
