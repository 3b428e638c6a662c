/** Thrown where an attempt may not be made yet. It was not, and is asked for again after a while. */
export class RetryLaterError extends Error {
  override readonly name: string = "TryLater";

  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

/** A host has no slot free. */
export class HostBusy extends RetryLaterError {
  override readonly name = "HostBusy";

  constructor(retryAfterMs: number) {
    super("The receiver's host has as many attempts under way as it may have.", retryAfterMs);
  }
}

/** The same attempt was begun a moment ago and may still be posting. */
export class AttemptUnderWay extends RetryLaterError {
  override readonly name = "AttemptUnderWay";

  constructor(retryAfterMs: number) {
    super("The same attempt may still be under way.", retryAfterMs);
  }
}
