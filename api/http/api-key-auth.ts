import type { DataSource } from "typeorm";
import { AppError } from "../../core/errors.ts";
import type { Principal } from "../../core/model/principal.ts";
import { networkOf } from "../../core/network.ts";
import { isWellFormedApiKey } from "../../core/secrets.ts";
import { findApiKeyPrincipal, recordApiKeyUse } from "../../core/services/accounts/api-keys.ts";
import { createRateLimiter, requireTokens } from "./rate-limit.ts";

/** The principal of an API key. */
export type ApiKeyPrincipal = Extract<Principal, { type: "api_key" }>;

/** Turns `Authorization` headers into principals. */
export interface ApiKeyAuth {
  /**
   * Accepts a valid key even if many keys of its address failed.
   * @throws AppError `missing_api_key`; `invalid_api_key`: unknown, malformed, revoked, expired
   * alike; `rate_limited` if too many keys of this address failed.
   */
  authenticate(authorization: string | undefined, ip: string): Promise<ApiKeyPrincipal>;
  /** Stores the last use of the keys that were used since the last call. */
  flushUses(): Promise<void>;
}

/** Maximum age of a look-up. A revoked key is refused everywhere within a second (rule C8). */
const cacheMs = 800;
const maxCached = 10_000;

/**
 * Looks keys up in MySQL, each about once a second at most. Malformed keys are refused before that.
 */
export function createApiKeyAuth(dataSource: DataSource): ApiKeyAuth {
  // A promise, so that look-ups at once return one principal.
  const cache = new Map<string, { at: number; principal: Promise<ApiKeyPrincipal | null> }>();
  // At most one entry for each existing key.
  const uses = new Map<number, Date>();
  const limitFailures = createRateLimiter({ perMinute: 60, burst: 100 });

  async function lookUp(key: string): Promise<ApiKeyPrincipal | null> {
    const cached = cache.get(key);
    if (cached !== undefined && performance.now() - cached.at < cacheMs) {
      return await cached.principal;
    }
    // The age counts from before the query, because its result may be as old as that.
    const at = performance.now();
    const principal = findApiKeyPrincipal(dataSource.manager, key, new Date());
    if (cache.size >= maxCached) cache.clear();
    const entry = { at, principal };
    cache.set(key, entry);
    try {
      return await principal;
    } catch (error) {
      if (cache.get(key) === entry) cache.delete(key);
      throw error;
    }
  }

  return {
    async authenticate(authorization, ip) {
      if (authorization === undefined || authorization === "") {
        throw new AppError("missing_api_key");
      }
      const key = /^Bearer ([\w]+)$/i.exec(authorization)?.[1];
      const principal = key !== undefined && isWellFormedApiKey(key) ? await lookUp(key) : null;
      if (principal === null) {
        requireTokens(limitFailures, networkOf(ip));
        throw new AppError("invalid_api_key");
      }
      uses.set(principal.apiKeyId, new Date());
      return principal;
    },
    async flushUses() {
      const batch = new Map(uses);
      if (batch.size === 0) return;
      await recordApiKeyUse(dataSource.manager, batch);
      for (const [id, usedAt] of batch) if (uses.get(id) === usedAt) uses.delete(id);
    },
  };
}
