import type { AgentContext } from "./context.ts";
import type { Dialogue } from "./basic/dialogue.ts";
import type { ToolCall } from "./tools.ts";

/** Most tokens of an answer to one step. */
export const maxOutputTokens = 600;

/** Tokens of one step. The built-in agent uses none. */
export interface StepUsage {
  input: number;
  /** Part of `input` that the provider had cached. */
  cached: number;
  output: number;
}

/** The answer of a model, or of the built-in agent, to one step. */
export type StepOutput =
  | {
      kind: "reply";
      text: string;
      /** The text ends at the limit of tokens, not at its end. */
      cut?: boolean;
      dialogue?: Dialogue;
      usage: StepUsage;
    }
  | { kind: "calls"; text: string; calls: ToolCall[]; dialogue?: Dialogue; usage: StepUsage };

/**
 * Reasons why a step failed. `unavailable`, `rate_limited`, `timeout` and `bad_answer` may pass;
 * `refused` (401, 403), `quota` and `bad_request` do not.
 */
export const stepFailures = [
  "unavailable",
  "rate_limited",
  "timeout",
  "bad_answer",
  "refused",
  "quota",
  "bad_request",
] as const;
export type StepFailure = (typeof stepFailures)[number];

/** A step that failed. It carries nothing of the request and nothing of the answer. */
export class StepError extends Error {
  readonly failure: StepFailure;
  /** HTTP status, or null where none came. */
  readonly status: number | null;
  /** Wait that the provider asked for. */
  readonly retryAfterMs: number | null;

  constructor(
    failure: StepFailure,
    status: number | null = null,
    retryAfterMs: number | null = null,
  ) {
    super(failure);
    this.name = "StepError";
    this.failure = failure;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A language model behind one interface. Only this port knows providers. */
export interface ModelPort {
  /**
   * Makes one model call, which runs no tool.
   * @throws StepError; or the signal's reason, where `signal` was aborted.
   */
  step(
    request: { context: AgentContext; maxOutputTokens: number; repair?: string },
    signal: AbortSignal,
  ): Promise<StepOutput>;
}
