import { networkOf } from "../../core/network.ts";
import { requireTokens, type RateLimiter } from "../http/rate-limit.ts";

const mostSlugs = 10_000;

/** Keeps whoever tries slugs from asking the database for each of them. */
export interface SlugGuard {
  /**
   * @returns true if the slug is known to be nobody's; false: look it up.
   * @throws AppError `rate_limited`
   */
  isNobodys(slug: string, ip: string): boolean;
  /** The slug has an endpoint: calls to it are never refused for other slugs that the address tried. */
  found(slug: string): void;
  /**
   * No endpoint takes calls at this slug. `exists`: one has it all the same.
   * @throws AppError `rate_limited` where the address has tried too many of them
   */
  missed(slug: string, ip: string, exists: boolean): void;
}

/**
 * @param limitMisses tries of an address at slugs without an endpoint.
 * @param limitLookUps look-ups for all addresses together that have no such try left. So a valid slug
 *   that this process has not seen yet is found, while a flood of others costs the database little.
 */
export function createSlugGuard(limitMisses: RateLimiter, limitLookUps: RateLimiter): SlugGuard {
  const known = new Set<string>();
  // Slugs are made at random: one that is nobody's stays so.
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

/** The one that was added first makes room. */
function remember(slugs: Set<string>, slug: string): void {
  slugs.add(slug);
  const [first] = slugs;
  if (slugs.size > mostSlugs && first !== undefined) slugs.delete(first);
}
