import { networkOf, wideNetworkOf } from "../../core/network.ts";
import { createRateLimiter, requireTokens, type RateLimiter } from "../http/rate-limit.ts";

/** What strangers may do on booking pages; counted in each process. Our choice. */
export interface BookingLimits {
  /** Pages of any kind, by network: unknown slugs and tokens count, so nobody tries them out. */
  pages: RateLimiter;
  /** Forms sent, by network. */
  forms: RateLimiter;
  /** Forms sent, by link and wide network: a host with many networks spends half of a link's at most. */
  wideForms: RateLimiter;
  /** Forms sent, by link, from wherever they come: an agenda is not filled up in a minute. */
  linkForms: RateLimiter;
}

/** The limits of one process. @param nowMs a clock of a test. */
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

/** Counts a form. A form that is refused takes nothing from the link. @throws AppError `rate_limited` */
export function countForm(limits: BookingLimits, ip: string, linkId: number): void {
  requireTokens(limits.forms, networkOf(ip));
  requireTokens(limits.wideForms, `${linkId} ${wideNetworkOf(ip)}`);
  requireTokens(limits.linkForms, String(linkId));
}
