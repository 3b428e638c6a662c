/** An answer of the API that is no success, or no answer at all. */
export class CallError extends Error {
  readonly code: string;
  /** 0 where nothing came back. */
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  readonly details: unknown;

  constructor(
    code: string,
    status: number,
    {
      retryAfterSeconds = null,
      details = null,
    }: { retryAfterSeconds?: number | null; details?: unknown } = {},
  ) {
    super(code);
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }

  /** The same call may succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429;
  }
}

/** Any other thrown value counts as `unknown`. */
export function toCallError(thrown: unknown): CallError {
  return thrown instanceof CallError ? thrown : new CallError("unknown", 0);
}
