import { networkOf } from "../../core/network.ts";
import { createRateLimiter, requireTokens, type RateLimiter } from "../http/rate-limit.ts";

/** One attempt to log in. */
export interface LoginAttempt {
  email: string;
  ip: string;
  /**
   * The person of a browser's earlier login, where the guess is at that login alone. Guesses made
   * elsewhere do not lock the browser out. Cookies do not count: each login makes another one.
   */
  device: number | null;
}

/** Slows down the guessing of passwords, per email and per address. Counted in this process. */
export interface LoginThrottle {
  /**
   * Counts an attempt before its password is checked, so that guesses made at once count too.
   * @throws AppError `rate_limited` after too many attempts that were not forgiven.
   */
  count(attempt: LoginAttempt): void;
  /** Takes back the count of an attempt that was no wrong guess. */
  forgive(attempt: LoginAttempt): void;
}

/**
 * Allows ten wrong passwords at once for an email, then one every 90 s. An address (of IPv6 its
 * /64) may have five times as many.
 */
export function createLoginThrottle(nowMs?: () => number): LoginThrottle {
  const perEmail = createRateLimiter({ perMinute: 2 / 3, burst: 10 }, nowMs);
  const perAddress = createRateLimiter({ perMinute: 10 / 3, burst: 50 }, nowMs);
  const buckets = ({ email, ip, device }: LoginAttempt): [RateLimiter, string][] =>
    device === null
      ? // The address is checked first: a refused address cannot touch the buckets of emails.
        [
          [perAddress, networkOf(ip)],
          [perEmail, `email:${email}`],
        ]
      : [[perEmail, `device:${device}`]];
  return {
    count(attempt) {
      for (const [limiter, caller] of buckets(attempt)) requireTokens(limiter, caller, 0);
      for (const [limiter, caller] of buckets(attempt)) limiter(caller);
    },
    forgive(attempt) {
      for (const [limiter, caller] of buckets(attempt)) limiter(caller, -1);
    },
  };
}
