import { AppError } from "../../core/errors.ts";

/** Tokens per minute, and how many may be saved up. */
export interface RateLimit {
  perMinute: number;
  burst: number;
}

/** What is left of a caller's tokens, as the three response headers say it. */
export interface RateState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetSeconds: number;
  /** Seconds until the next token. */
  retryAfterSeconds: number;
}

const maxBuckets = 100_000;

/** Takes `cost` tokens of a caller, one by default; 0 only looks, less than 0 gives back. */
export type RateLimiter = (caller: string, cost?: number) => RateState;

/**
 * A token bucket per caller. Counted in this process alone: several API processes allow that many
 * times as much, as the README says.
 */
export function createRateLimiter(
  { perMinute, burst }: RateLimit,
  nowMs: () => number = () => performance.now(),
): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const perMs = perMinute / 60_000;
  return (caller, cost = 1) => {
    const now = nowMs();
    const bucket = buckets.get(caller) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) * perMs);
    const allowed = tokens >= 1;
    const left = allowed || cost < 0 ? Math.min(burst, tokens - cost) : tokens;
    // Re-inserted at the end, so that the first one is always the longest idle.
    buckets.delete(caller);
    buckets.set(caller, { tokens: left, at: now });
    if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value ?? "");
    return {
      allowed,
      limit: perMinute,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil((burst - left) / perMs / 1000),
      retryAfterSeconds: Math.max(1, Math.ceil((1 - left) / perMs / 1000)),
    };
  };
}

/** The refusal of a caller without tokens. */
export function rateLimited(retryAfterSeconds: number): AppError {
  return new AppError(
    "rate_limited",
    `Too many requests. Try again in ${retryAfterSeconds} s.`,
    null,
    retryAfterSeconds,
  );
}
