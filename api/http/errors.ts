import { AppError, WriteConflict } from "../../core/errors.ts";

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

/** The database is unreachable, or still too busy after all tries of the transaction. */
const passingCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "POOL_CLOSED",
  "PROTOCOL_CONNECTION_LOST",
  "PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR",
  "ER_CON_COUNT_ERROR",
  "ER_SERVER_SHUTDOWN",
  "ER_OPTION_PREVENTS_STATEMENT",
  "ER_READ_ONLY_MODE",
  "ER_RECORD_FILE_FULL",
  "ER_DISK_FULL_NOWAIT",
  "ER_CLIENT_INTERACTION_TIMEOUT",
  "ER_QUERY_INTERRUPTED",
  "ER_QUERY_TIMEOUT",
  "ER_LOCK_DEADLOCK",
  "ER_LOCK_WAIT_TIMEOUT",
]);

/**
 * Turns any thrown value into a refusal. An AppError stays, an unreachable or busy database is 503,
 * anything else 500.
 */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isPassing(error)) {
    // Not "nothing was changed": the connection may have been lost after the commit was sent (rule
    // C16).
    return new AppError("service_unavailable", { retryAfterSeconds: 5 });
  }
  return new AppError("internal_error");
}

function isPassing(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if (error instanceof WriteConflict) return true;
  if ("code" in error && typeof error.code === "string" && passingCodes.has(error.code))
    return true;
  // Mark of the driver for a connection that was lost between two statements, without a code.
  if ("fatal" in error && error.fatal === true) return true;
  return "driverError" in error && isPassing(error.driverError);
}
