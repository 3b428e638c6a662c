import { AppError } from "../../core/errors.ts";
import { minuteMs } from "../../core/model/durations.ts";

/** Tokens per minute, and the size of a full bucket. */
export interface RateLimit {
  perMinute: number;
  burst: number;
}

/** State of a caller's bucket, as in the three response headers of rule C9. */
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

/**
 * Takes `cost` tokens of a caller, by default 1. A cost of 0 only reads, a negative one gives back.
 */
export type RateLimiter = (caller: string, cost?: number) => RateState;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * A token bucket per caller. Each process counts by itself, so several API processes allow several
 * times as much, as docs/configuration.md says. A full bucket needs no entry, so a flood of new
 * callers cannot refill the bucket of another.
 */
export function createRateLimiter(
  { perMinute, burst }: RateLimit,
  nowMs: () => number = () => performance.now(),
): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const perMs = perMinute / minuteMs;
  const tokensOf = ({ tokens, at }: Bucket, now: number) =>
    Math.min(burst, tokens + (now - at) * perMs);

  function store(caller: string, bucket: Bucket): void {
    buckets.delete(caller);
    if (bucket.tokens >= burst) return;
    buckets.set(caller, bucket);
    sweep(buckets, (other) => tokensOf(other, bucket.at), burst);
  }

  return (caller, cost = 1) => {
    const now = nowMs();
    const tokens = tokensOf(buckets.get(caller) ?? { tokens: burst, at: now }, now);
    const allowed = tokens >= 1;
    const left = allowed || cost < 0 ? Math.min(burst, tokens - cost) : tokens;
    if (cost !== 0) store(caller, { tokens: left, at: now });
    return {
      allowed,
      limit: perMinute,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil((burst - left) / perMs / 1000),
      retryAfterSeconds: Math.max(1, Math.ceil((1 - left) / perMs / 1000)),
    };
  };
}

/**
 * Checks the two entries at the front: a full bucket is deleted, any other moves to the end. Each
 * new entry costs one sweep, so full buckets do not pile up. Above the maximum the fuller of the
 * two is deleted.
 */
function sweep(
  buckets: Map<string, Bucket>,
  tokensOf: (bucket: Bucket) => number,
  burst: number,
): void {
  let fullest = { caller: "", tokens: -1 };
  for (const [caller, bucket] of firstTwo(buckets)) {
    const tokens = tokensOf(bucket);
    buckets.delete(caller);
    if (tokens < burst) buckets.set(caller, bucket);
    if (tokens < burst && tokens > fullest.tokens) fullest = { caller, tokens };
  }
  if (buckets.size > maxBuckets) buckets.delete(fullest.caller);
}

function firstTwo(buckets: Map<string, Bucket>): [string, Bucket][] {
  const entries = buckets.entries();
  return [entries.next(), entries.next()].flatMap((next) => (next.done ? [] : [next.value]));
}

/** The refusal of a caller without tokens. */
export function rateLimited(retryAfterSeconds: number): AppError {
  return new AppError("rate_limited", {
    message: `Too many requests. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

/**
 * Takes tokens of a caller; a cost of 0 only reads. @throws AppError `rate_limited` if none is
 * left.
 */
export function requireTokens(limiter: RateLimiter, caller: string, cost = 1): void {
  const { allowed, retryAfterSeconds } = limiter(caller, cost);
  if (!allowed) throw rateLimited(retryAfterSeconds);
}
