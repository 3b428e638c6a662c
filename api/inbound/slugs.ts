import { networkOf } from "../../core/network.ts";
import { requireTokens, type RateLimiter } from "../http/rate-limit.ts";

const mostSlugs = 10_000;

/** Keeps callers who try many slugs from causing a query for each of them. */
export interface SlugGuard {
  /**
   * @returns true if no endpoint has the slug; false means that the caller looks the slug up.
   * @throws AppError `rate_limited`
   */
  isNobodys(slug: string, ip: string): boolean;
  /**
   * Marks a slug with an endpoint: calls to it are never refused for other slugs that the address
   * tried.
   */
  found(slug: string): void;
  /**
   * Records that no endpoint takes calls at this slug. `exists`: an endpoint has it all the same.
   * @throws AppError `rate_limited` if the address has tried too many such slugs
   */
  missed(slug: string, ip: string, exists: boolean): void;
}

/**
 * @param limitMisses tries of an address at slugs without an endpoint.
 * @param limitLookUps look-ups for all addresses together that have no such try left. A flood of
 * unknown slugs then costs few queries, while a valid slug that is new to this process is still
 * found.
 */
export function createSlugGuard(limitMisses: RateLimiter, limitLookUps: RateLimiter): SlugGuard {
  const known = new Set<string>();
  // Slugs are random, so no later endpoint gets an unknown slug.
  const nobodys = new Set<string>();
  return {
    isNobodys(slug, ip) {
      if (known.has(slug)) return false;
      const isNobodys = nobodys.has(slug);
      if (isNobodys) requireTokens(limitMisses, networkOf(ip));
      else if (!limitMisses(networkOf(ip), 0).allowed) requireTokens(limitLookUps, "all");
      return isNobodys;
    },
    found: (slug) => remember(known, slug),
    missed(slug, ip, exists) {
      known.delete(slug);
      if (!exists) remember(nobodys, slug);
      requireTokens(limitMisses, networkOf(ip));
    },
  };
}

/** Adds a slug, and removes the oldest one above the maximum. */
function remember(slugs: Set<string>, slug: string): void {
  slugs.add(slug);
  const [first] = slugs;
  if (slugs.size > mostSlugs && first !== undefined) slugs.delete(first);
}
