import type { Registry } from "prom-client";
import type { DataSource } from "typeorm";
import type { Config } from "../core/config.ts";
import type { ModelPort } from "../core/agent/step.ts";
import { openMedia } from "../core/media/open-storage.ts";
import type { Logger } from "../core/log.ts";
import { namingOf, type Installation } from "../core/model/installation.ts";
import { createProofOfWork } from "../core/proof-of-work.ts";
import { createSecretBox, type SecretBox } from "../core/secrets.ts";
import { hostsFileOf, modelTargetPolicyOf, targetPolicyOf } from "../core/target-policy.ts";
import { createTargetResolver } from "../core/target-resolver.ts";
import type { AgentProvider } from "../db/entities/agent.ts";
import { createCalendly } from "../activities/calendars/calendly.ts";
import { createGoogleAccounts } from "../activities/calendars/google-account.ts";
import { createGraph } from "../activities/channels/graph.ts";
import { createBookingLimits } from "./booking/limits.ts";
import { createBadSignatures } from "./channels/bad-signatures.ts";
import { createCalledApps } from "./channels/called-apps.ts";
import { createWebhookBatches } from "./channels/webhook-batches.ts";
import { createRequestCount } from "./busy-reports.ts";
import { createLoginThrottle } from "./dashboard/login-throttle.ts";
import type { Deps } from "./deps.ts";
import { createWorkGate } from "./http/work-gate.ts";
import { createSlugGuard } from "./inbound/slugs.ts";
import { createLimitedCallCounts } from "./inbound/limited-calls.ts";
import { createLiveStreams } from "./live/live-streams.ts";
import { createApiMetrics } from "./metrics.ts";
import { createApiKeyAuth } from "./http/api-key-auth.ts";
import { createRateLimiter } from "./http/rate-limit.ts";
import { createWidgetLimits } from "./widget/limits.ts";
import { createTurnstile } from "./widget/turnstile.ts";

/** Creates the parts of an API process. */
export function createDeps(parts: {
  config: Config;
  dataSource: DataSource;
  installation: Installation;
  log: Logger;
  registry: Registry;
}): Deps {
  const { config, dataSource, installation, log, registry } = parts;
  const { rateLimit, dashboardRateLimit } = config;
  const metrics = createApiMetrics(registry);
  const targetPolicy = targetPolicyOf(config);
  const secretBox = createSecretBox(config.secretKey);
  return {
    config,
    naming: namingOf(installation),
    dataSource,
    log,
    secretBox,
    targetPolicy,
    resolver: createTargetResolver({
      servers: config.dnsServers,
      timeoutMs: 1_000,
      hostsFile: hostsFileOf(targetPolicy),
    }),
    media: openMedia(config.media),
    metrics,
    liveStreams: createLiveStreams({ config, dataSource, log, metrics, secretBox }),
    loginThrottle: createLoginThrottle(),
    limitLinks: createRateLimiter({ perMinute: 10, burst: 50 }),
    limitMails: createRateLimiter({ perMinute: 1, burst: 20 }),
    limitTests: createRateLimiter({ perMinute: 10, burst: 10 }),
    slugGuard: createSlugGuard(
      createRateLimiter({ perMinute: 60, burst: 60 }),
      createRateLimiter({ perMinute: 300, burst: 60 }),
    ),
    // The burst equals the minute's tokens, so 300 calls within any minute are never refused.
    limitInbound: createRateLimiter({ perMinute: 300, burst: 300 }),
    limitUnsignedCaller: createRateLimiter({ perMinute: 60, burst: 60 }),
    limitUnsignedEndpoint: createRateLimiter({ perMinute: 300, burst: 300 }),
    limitedCalls: createLimitedCallCounts(dataSource, log),
    calledApps: createCalledApps(dataSource),
    badSignatures: createBadSignatures(dataSource, log),
    graph: createGraph(config.meta),
    ...createCalendars(config),
    ...createWorkGates(),
    requestCount: createRequestCount(),
    webhookBatches: createWebhookBatches(dataSource),
    bookingLimits: createBookingLimits(),
    widgetLimits: createWidgetLimits(),
    // A key of its own purpose, which all processes of the installation derive alike.
    proofOfWork: createProofOfWork(secretBox.sign("challenge", "widget_proof")),
    turnstile: config.turnstile && createTurnstile(config.turnstile),
    models: createTrialModels(config, secretBox),
    limitTrials: createRateLimiter({ perMinute: 20, burst: 20 }),
    checkAnswers: !config.production,
    apiKeyAuth: createApiKeyAuth(dataSource),
    limitRate: rateLimit && createRateLimiter(rateLimit),
    limitWrites: dashboardRateLimit && createRateLimiter(dashboardRateLimit),
    limitRepeats: createRateLimiter({ perMinute: 10, burst: 10 }),
  };
}

/** Clients of external calendars, and the limit of calls for admins. */
function createCalendars(config: Config): Pick<Deps, "calendly" | "googleAccounts"> {
  return {
    calendly: createCalendly(config.calendly),
    googleAccounts: createGoogleAccounts(config.google),
  };
}

/** Loads the libraries of providers with the first trial: most API processes never need them. */
function createTrialModels(config: Config, secretBox: SecretBox): Deps["models"] {
  const options = { policy: modelTargetPolicyOf(config), dnsServers: config.dnsServers };
  let connect: Promise<(provider: AgentProvider) => ModelPort> | undefined;
  return async (provider) => {
    connect ??= import("../activities/provider-models.ts").then(({ createModels }) =>
      createModels(secretBox, options),
    );
    return (await connect)(provider);
  };
}

/** Costly work at once, per account or booking link, and the calls that may wait for it. */
function createWorkGates() {
  return {
    channelChecks: createWorkGate({ atOnce: 2, waiting: 4 }),
    fileReads: createWorkGate({ atOnce: 1, waiting: 3 }),
    slotSearches: createWorkGate({ atOnce: 2, waiting: 10 }),
    trials: createWorkGate({ atOnce: 2, waiting: 2 }),
    calendarCalls: createWorkGate({ atOnce: 2, waiting: 4 }),
  };
}
