import type { Context } from "koa";
import type { AppError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { asAppError } from "./errors.ts";

/**
 * Begins the answer to an error: status and headers, and a log line for an error of ours.
 * @returns the refusal, whose body the caller writes.
 */
export function answerError(log: Logger, ctx: Context, thrown: unknown): AppError {
  const error = asAppError(thrown);
  const { status } = error;
  if (status >= 500) log.error({ request_id: ctx.state["requestId"], err: thrown }, "http.failed");
  ctx.state["errorCode"] = error.code;
  ctx.status = status;
  if (error.retryAfterSeconds !== null) ctx.set("Retry-After", String(error.retryAfterSeconds));
  if (status === 401 && error.code.endsWith("_api_key")) ctx.set("WWW-Authenticate", "Bearer");
  // The rest of a refused body is not read, so the connection ends with the answer.
  if (status === 413 || status === 408) ctx.set("Connection", "close");
  return error;
}
