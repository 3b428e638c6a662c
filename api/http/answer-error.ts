import type { Context } from "koa";
import type { AppError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { asAppError, errorStatus } from "./errors.ts";

/**
 * Begins the answer to what was thrown: status and headers, and a line in the log for a fault of ours.
 * @returns the refusal, whose body is still to be written.
 */
export function answerError(log: Logger, ctx: Context, thrown: unknown): AppError {
  const error = asAppError(thrown);
  const status = errorStatus(error.code);
  if (status >= 500) log.error({ request_id: ctx.state["requestId"], err: thrown }, "http.failed");
  ctx.state["errorCode"] = error.code;
  ctx.status = status;
  if (error.retryAfterSeconds !== null) ctx.set("Retry-After", String(error.retryAfterSeconds));
  if (status === 401 && error.code.endsWith("_api_key")) ctx.set("WWW-Authenticate", "Bearer");
  // What is left of a refused body is not read; the connection ends with the answer.
  if (status === 413 || status === 408) ctx.set("Connection", "close");
  return error;
}
