import { APICallError } from "ai";
import { StepError, type StepFailure } from "../../core/agent/step.ts";
import { parseRetryAfter } from "../http/answer.ts";

/**
 * The failure of a model call. The library's errors carry the whole request and the answer, so
 * nothing of them but class, status and wait goes on.
 */
export function toStepError(error: unknown): StepError {
  if (error instanceof StepError) return error;
  if (!APICallError.isInstance(error) || error.statusCode === undefined)
    return new StepError("bad_answer");
  const { statusCode, responseBody = "", responseHeaders } = error;
  const retryAfterMs = parseRetryAfter(responseHeaders?.["retry-after"], Date.now());
  return new StepError(classOf(statusCode, responseBody), statusCode, retryAfterMs);
}

/** Words by which providers say that no money is left, under a status that says something else. */
const noMoney = /insufficient_quota|billing_hard_limit|credit balance is too low/u;

function classOf(status: number, body: string): StepFailure {
  if (status < 300) return "bad_answer";
  if (status === 402 || (status < 500 && noMoney.test(body))) return "quota";
  if (status === 401 || status === 403) return "refused";
  if (status === 429) return "rate_limited";
  if (status === 408 || status === 504) return "timeout";
  if (status >= 500 || status === 409 || status === 425) return "unavailable";
  return "bad_request";
}
