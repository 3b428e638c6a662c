import { networkOf } from "../../core/network.ts";
import { createRateLimiter, requireTokens, type RateLimiter } from "../http/rate-limit.ts";

/** Who tries to log in. */
export interface LoginAttempt {
  email: string;
  ip: string;
  /** A browser that this person has logged in with before: guesses made elsewhere do not lock it out. */
  device: string | null;
}

/** Slows down the guessing of passwords, per email and per address; counted in this process. */
export interface LoginThrottle {
  /**
   * Counts an attempt before its password is looked at, so that guesses made at once count too.
   * @throws AppError `rate_limited` after too many that were not forgiven.
   */
  count(attempt: LoginAttempt): void;
  /** Takes back what was counted of an attempt that was no wrong guess. */
  forgive(attempt: LoginAttempt): void;
}

/** Ten wrong passwords at once for an email, then one every 90 s; an address (of IPv6 its /64) has five times that. */
export function createLoginThrottle(nowMs?: () => number): LoginThrottle {
  const perEmail = createRateLimiter({ perMinute: 2 / 3, burst: 10 }, nowMs);
  const perAddress = createRateLimiter({ perMinute: 10 / 3, burst: 50 }, nowMs);
  const buckets = ({ email, ip, device }: LoginAttempt): [RateLimiter, string][] =>
    device === null
      ? // The address goes first: a refused address cannot touch the buckets of emails.
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
