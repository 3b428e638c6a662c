import { networkOf, wideNetworkOf } from "../../core/network.ts";
import { createRateLimiter, requireTokens, type RateLimiter } from "../http/rate-limit.ts";

/** Limits for visitors of booking pages, counted in each process. */
export interface BookingLimits {
  /** Pages of any kind, by network. Unknown slugs and tokens count too, which stops guessing. */
  pages: RateLimiter;
  /** Sent forms, by network. */
  forms: RateLimiter;
  /**
   * Sent forms, by link and wide network. A host with many networks spends at most half of a link's
   * limit.
   */
  wideForms: RateLimiter;
  /** Sent forms, by link, from all networks: no calendar is filled up in a minute. */
  linkForms: RateLimiter;
}

/** The limits of one process. @param nowMs clock of a test. */
export function createBookingLimits(nowMs?: () => number): BookingLimits {
  return {
    pages: createRateLimiter({ perMinute: 120, burst: 120 }, nowMs),
    forms: createRateLimiter({ perMinute: 10, burst: 20 }, nowMs),
    wideForms: createRateLimiter({ perMinute: 20, burst: 30 }, nowMs),
    linkForms: createRateLimiter({ perMinute: 60, burst: 60 }, nowMs),
  };
}

/** Counts a page. @throws AppError `rate_limited` */
export function countPage({ pages }: BookingLimits, ip: string): void {
  requireTokens(pages, networkOf(ip));
}

/**
 * Counts a form. A form refused by another limit costs the link nothing. @throws AppError
 * `rate_limited`
 */
export function countForm(limits: BookingLimits, ip: string, linkId: number): void {
  requireTokens(limits.forms, networkOf(ip));
  requireTokens(limits.wideForms, `${linkId} ${wideNetworkOf(ip)}`);
  requireTokens(limits.linkForms, String(linkId));
}
