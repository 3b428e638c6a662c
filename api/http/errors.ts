import { AppError, WriteConflict } from "../../core/errors.ts";

/** HTTP status of each error code; `…_not_found` is 404. */
const statuses: Record<string, number> = {
  invalid_json: 400,
  unsupported_event: 400,
  validation_error: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  missing_signature: 401,
  invalid_signature: 401,
  session_required: 401,
  login_failed: 401,
  insufficient_scope: 403,
  forbidden_role: 403,
  csrf_rejected: 403,
  loop_detected: 403,
  method_not_allowed: 405,
  request_timeout: 408,
  already_member: 409,
  api_key_expired: 409,
  api_key_revoked: 409,
  api_key_rotated: 409,
  appointment_ambiguous: 409,
  appointment_replaced: 409,
  contact_conflict: 409,
  delivery_finished: 409,
  delivery_open: 409,
  email_unconfirmed: 409,
  event_erased: 409,
  idempotency_in_progress: 409,
  last_admin: 409,
  last_stage: 409,
  mail_off: 409,
  message_not_failed: 409,
  member_elsewhere: 409,
  outcome_unknown: 409,
  own_membership: 409,
  replay_state: 409,
  reschedule_failed: 409,
  reschedule_in_progress: 409,
  slot_taken: 409,
  stage_not_empty: 409,
  subscription_disabled: 409,
  subscription_not_active: 409,
  too_many_bookings: 409,
  user_disabled: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  appointment_not_begun: 422,
  appointment_not_confirmed: 422,
  calendar_refused: 422,
  channel_not_connected: 422,
  contact_needs_conversation: 422,
  contact_needs_identifier: 422,
  idempotency_key_reused: 422,
  messaging_window_closed: 422,
  outside_hours: 422,
  past_time: 422,
  resource_archived: 422,
  service_not_offered: 422,
  wrong_password: 422,
  rate_limited: 429,
  internal_error: 500,
  calendar_unavailable: 503,
  service_unavailable: 503,
};

/** HTTP status of an error code. @throws Error for a code without a status: our bug, and a 500. */
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

/** The database is unreachable, or still too busy after all tries of the transaction. */
const passingCodes = new Set([
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
    return new AppError(
      "service_unavailable",
      "The service cannot use its database right now. Try again in a few seconds.",
      null,
      5,
    );
  }
  return new AppError(
    "internal_error",
    "Something failed on our side. Tell us the request_id of this answer if it happens again.",
  );
}

function isPassing(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if (error instanceof WriteConflict) return true;
  if ("code" in error && typeof error.code === "string" && passingCodes.has(error.code))
    return true;
  if ("message" in error && error.message === "Pool is closed.") return true;
  // Mark of the driver for a connection that was lost between two statements, without a code.
  if ("fatal" in error && error.fatal === true) return true;
  return "driverError" in error && isPassing(error.driverError);
}
