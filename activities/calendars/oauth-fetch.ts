import { request, type Dispatcher } from "undici";
import { readBounded } from "../http/read-bounded.ts";

/** Time limit of a call, its answer included. */
const deadlineMs = 8_000;
const maxAnswerBytes = 4 * 1_024 * 1_024;

/** One call, as `oauth4webapi` hands it to a fetch of ours, or as we make it ourselves. */
export interface FetchCall {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/**
 * Calls a URL of the operator's settings, within a time and a size. Follows no redirect, and makes
 * no second try.
 * @throws ProviderAwayError if there is no complete answer
 */
export async function fetchOnce(
  url: string,
  { method, headers, body }: FetchCall,
  dispatcher: Dispatcher,
): Promise<Response> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  try {
    const answer = await request(url, {
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body instanceof URLSearchParams ? body.toString() : null,
      dispatcher,
      signal: deadline.signal,
      // undici's own timers are coarse, so the call has its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const bytes = await readBounded(answer.body, maxAnswerBytes);
    const type = answer.headers["content-type"];
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      status: answer.statusCode,
      headers: { "content-type": typeof type === "string" ? type : "" },
    });
  } catch {
    throw new ProviderAwayError();
  } finally {
    clearTimeout(timer);
  }
}

/** The provider did not answer in time, or not with HTTP. Nothing is known about the call. */
export class ProviderAwayError extends Error {
  override readonly name = "ProviderAwayError";

  constructor() {
    super("The provider of the calendar has not answered.");
  }
}
