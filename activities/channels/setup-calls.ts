import { reasonOfGraphError } from "../../core/channels/meta/channel-reason.ts";
import { isPassing } from "../../core/channels/meta/graph-errors.ts";
import { findGraphRefusal, type GraphRefusal } from "../../core/channels/meta/setup-answers.ts";
import {
  nextSteps,
  type ChannelCheckStep,
  type ChannelReason,
} from "../../core/model/channel-reasons.ts";
import type { ChannelCheckDetails } from "../../core/model/channel-setup.ts";
import type { Graph, GraphCall } from "./graph.ts";

/** Time that all calls of one check have together. */
export const checkLimitMs = 8_000;

/** A check that Meta has answered, and that has failed. `details` hold no secret. */
export class ChannelCheckError extends Error {
  readonly details: ChannelCheckDetails;

  constructor(details: ChannelCheckDetails) {
    super(`The step ${details.step} failed: ${details.reason}`);
    this.name = "ChannelCheckError";
    this.details = details;
  }
}

/** Meta could not be reached in time, or is out of order. Nothing is known about the channel. */
export class ProviderAwayError extends Error {
  constructor() {
    super("The Graph API has not answered in time.");
    this.name = "ProviderAwayError";
  }
}

/** Calls of one check. They share a limit of time. */
export interface SetupCalls {
  /**
   * The body of a successful answer.
   * @throws ChannelCheckError where Meta refuses, ProviderAwayError where it does not answer
   */
  call(step: ChannelCheckStep, call: SetupCall): Promise<unknown>;
  /** The same; null where Meta refuses. */
  tryCall(call: SetupCall): Promise<unknown>;
}

/** A call with the credentials of the check, unless it has its own. */
export type SetupCall = Pick<GraphCall, "method" | "path" | "query" | "body"> &
  Partial<Pick<GraphCall, "token" | "appSecret">>;

/** Host and credentials of the calls of a check. */
export type SetupCredentials = Pick<GraphCall, "base" | "token" | "appSecret">;

/** Begins a check. @param limitMs time of all its calls together */
export function beginCalls(
  graph: Graph,
  credentials: SetupCredentials,
  limitMs = checkLimitMs,
): SetupCalls {
  const endsAt = performance.now() + limitMs;

  async function exchange(call: SetupCall) {
    const timeoutMs = Math.floor(endsAt - performance.now());
    if (timeoutMs <= 0) throw new ProviderAwayError();
    const answer = await graph.call({ ...credentials, ...call, timeoutMs });
    if (!answer.answered) throw new ProviderAwayError();
    const refusal = findGraphRefusal(answer.statusCode, answer.body);
    if (refusal !== null && isAway(answer.statusCode, refusal)) throw new ProviderAwayError();
    return { refusal, body: answer.body };
  }

  return {
    async call(step, call) {
      const { refusal, body } = await exchange(call);
      if (refusal === null) return body;
      throw refusedBy(step, refusal);
    },
    async tryCall(call) {
      const { refusal, body } = await exchange(call);
      return refusal === null ? body : null;
    },
  };
}

/** An error of Meta's servers says nothing about the channel. */
function isAway(statusCode: number, { code, subcode }: GraphRefusal): boolean {
  if (code === null) return statusCode === 429 || statusCode >= 500;
  return isPassing(code, subcode);
}

/** The error of a step that Meta has refused. */
export function refusedBy(
  step: ChannelCheckStep,
  { code, subcode, message }: GraphRefusal,
  reason: ChannelReason = reasonOfGraphError(code, subcode),
): ChannelCheckError {
  const providerCode = code === null ? null : subcode === null ? `${code}` : `${code}/${subcode}`;
  return failedStep(step, reason, { provider_code: providerCode, provider_message: message });
}

/** The error of a step, by its reason. */
export function failedStep(
  step: ChannelCheckStep,
  reason: ChannelReason,
  more: Partial<Omit<ChannelCheckDetails, "step" | "reason" | "next_step">> = {},
): ChannelCheckError {
  return new ChannelCheckError({
    step,
    reason,
    missing_scopes: [],
    provider_code: null,
    provider_message: null,
    ...more,
    next_step: nextSteps[reason],
  });
}
