/** Thrown if an attempt may not begin yet. It was not made, and is repeated after a while. */
export class RetryLaterError extends Error {
  override readonly name: string = "TryLater";

  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

/** A host has no free slot. */
export class HostBusy extends RetryLaterError {
  override readonly name = "HostBusy";

  constructor(retryAfterMs: number) {
    super("The receiver's host has as many attempts under way as it may have.", retryAfterMs);
  }
}

/** The same attempt began a moment ago and may still be in flight. */
export class AttemptUnderWay extends RetryLaterError {
  override readonly name = "AttemptUnderWay";

  constructor(retryAfterMs: number) {
    super("The same attempt may still be under way.", retryAfterMs);
  }
}
