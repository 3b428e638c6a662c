import { rateLimited, type RateLimiter } from "./middleware/rate-limit.ts";

const mostSlugs = 10_000;

/** Keeps whoever tries slugs from asking the database for each of them. */
export interface SlugGuard {
  /** @returns whether the slug is known to be nobody's. @throws AppError `rate_limited` */
  isNobodys(slug: string, ip: string): boolean;
  /** The slug has an endpoint: calls to it are never refused for other slugs that the address tried. */
  found(slug: string): void;
  /** No endpoint takes calls at this slug. `exists`: one has it all the same. */
  missed(slug: string, ip: string, exists: boolean): void;
}

/** @param limitMisses tries of an address at slugs without an endpoint. */
export function createSlugGuard(limitMisses: RateLimiter): SlugGuard {
  const known = new Set<string>();
  // Slugs are made at random: one that is nobody's stays so.
  const nobodys = new Set<string>();
  return {
    isNobodys(slug, ip) {
      if (known.has(slug)) return false;
      const { allowed, retryAfterSeconds } = limitMisses(ip, 0);
      if (!allowed) throw rateLimited(retryAfterSeconds);
      const isNobodys = nobodys.has(slug);
      if (isNobodys) limitMisses(ip);
      return isNobodys;
    },
    found: (slug) => remember(known, slug),
    missed(slug, ip, exists) {
      limitMisses(ip);
      if (!exists) remember(nobodys, slug);
    },
  };
}

/** The one that was added first makes room. */
function remember(slugs: Set<string>, slug: string): void {
  slugs.add(slug);
  const [first] = slugs;
  if (slugs.size > mostSlugs && first !== undefined) slugs.delete(first);
}
