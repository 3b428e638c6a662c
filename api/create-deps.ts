import { Resolver } from "node:dns/promises";
import type { Registry } from "prom-client";
import type { DataSource } from "typeorm";
import type { Config } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import { createSecretBox } from "../core/secrets.ts";
import { targetPolicyOf } from "../core/target-policy.ts";
import { createLoginThrottle } from "./dashboard/login-throttle.ts";
import type { Deps } from "./deps.ts";
import { createApiMetrics } from "./metrics.ts";
import { createApiKeyAuth } from "./middleware/api-key-auth.ts";
import { createRateLimiter } from "./middleware/rate-limit.ts";

/** Puts the parts of an API process together. */
export function createDeps(parts: {
  config: Config;
  dataSource: DataSource;
  log: Logger;
  registry: Registry;
}): Deps {
  const { config, dataSource, log, registry } = parts;
  const { rateLimitPerMinute: perMinute, rateLimitBurst: burst } = config;
  return {
    config,
    dataSource,
    log,
    secretBox: createSecretBox(config.secretKey),
    targetPolicy: targetPolicyOf(config),
    resolver: new Resolver({ timeout: 1_000, tries: 2 }),
    metrics: createApiMetrics(registry),
    loginThrottle: createLoginThrottle(),
    limitTests: createRateLimiter({ perMinute: 10, burst: 10 }),
    checkAnswers: !config.production,
    apiKeyAuth: createApiKeyAuth(dataSource),
    limitRate: perMinute === 0 ? null : createRateLimiter({ perMinute, burst }),
  };
}
