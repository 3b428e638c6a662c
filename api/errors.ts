import { AppError } from "../core/errors.ts";

/** HTTP status of each error code; `…_not_found` is 404. Our choice, the contract leaves it open. */
const statuses: Record<string, number> = {
  invalid_json: 400,
  validation_error: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  session_required: 401,
  login_failed: 401,
  insufficient_scope: 403,
  forbidden_role: 403,
  csrf_rejected: 403,
  method_not_allowed: 405,
  request_timeout: 408,
  api_key_revoked: 409,
  contact_conflict: 409,
  idempotency_in_progress: 409,
  subscription_not_active: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  contact_needs_identifier: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
};

/** HTTP status of an error code. @throws Error for a code that was never given one: our bug, and a 500. */
export function errorStatus(code: string): number {
  const status = statuses[code] ?? (code.endsWith("_not_found") ? 404 : undefined);
  if (status === undefined) throw new Error(`No HTTP status for error code ${code}.`);
  return status;
}

/** The body of every error answer. */
export function presentError(error: AppError, requestId: string) {
  return {
    success: false as const,
    error: {
      code: error.code,
      message: error.message,
      details: error.details,
      request_id: requestId,
    },
  };
}

const connectionCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "PROTOCOL_CONNECTION_LOST",
  "PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR",
  "ER_CON_COUNT_ERROR",
  "ER_SERVER_SHUTDOWN",
  "ER_OPTION_PREVENTS_STATEMENT",
  "ER_READ_ONLY_MODE",
  "ER_RECORD_FILE_FULL",
  "ER_DISK_FULL_NOWAIT",
]);

/** Any thrown thing as the refusal the caller reads: ours as it is, a lost database as 503, else 500. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseAway(error)) {
    return new AppError(
      "service_unavailable",
      "The service cannot reach its database right now. Nothing was changed; try again.",
      null,
      5,
    );
  }
  return new AppError("internal_error", "Something failed on our side. Nothing was changed.");
}

function isDatabaseAway(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if ("code" in error && typeof error.code === "string" && connectionCodes.has(error.code))
    return true;
  if ("message" in error && error.message === "Pool is closed.") return true;
  return "driverError" in error && isDatabaseAway(error.driverError);
}
