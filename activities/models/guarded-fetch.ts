import { StepError } from "../../core/agent/step.ts";
import { TargetError } from "../../core/target-guard.ts";
import { createGuardedSend, type GuardedOptions } from "../http/guarded-request.ts";
import { LargeAnswerError } from "../http/read-bounded.ts";

/**
 * Creates the fetch for model providers.
 * @returns a fetch that throws StepError, or the signal's reason
 */
export function createModelFetch(options: GuardedOptions): typeof fetch {
  const send = createGuardedSend(options);

  async function answer(request: Request, signal: AbortSignal): Promise<Response> {
    const { status, headers, body } = await send(
      request.url,
      {
        method: "POST",
        headers: Object.fromEntries(request.headers),
        body: Buffer.from(await request.arrayBuffer()),
      },
      signal,
    );
    return new Response(isBodiless(status) ? null : body, { status, headers });
  }

  return async (input, init) => {
    const signal = init?.signal ?? new AbortController().signal;
    try {
      return await answer(new Request(input, init), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof LargeAnswerError) throw new StepError("bad_answer");
      // A refused address stays refused; a name without an address, or a lost connection, may pass.
      const isRefused = error instanceof TargetError && error.code !== "dns_error";
      throw new StepError(isRefused ? "bad_request" : "unavailable");
    }
  };
}

/** Statuses for which `Response` takes no body. */
function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
