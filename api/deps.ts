import type { DataSource } from "typeorm";
import type { Config } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import type { TemporalNaming } from "../core/model/installation.ts";
import type { SecretBox } from "../core/secrets.ts";
import type { TargetPolicy, TargetResolver } from "../core/target-guard.ts";
import type { BookingLimits } from "./booking/limits.ts";
import type { LoginThrottle } from "./dashboard/login-throttle.ts";
import type { SlugGuard } from "./inbound/slugs.ts";
import type { LimitedCallCounts } from "./inbound/limited-calls.ts";
import type { LiveStreams } from "./live/live-streams.ts";
import type { ApiMetrics } from "./metrics.ts";
import type { ApiKeyAuth } from "./http/api-key-auth.ts";
import type { RateLimiter } from "./http/rate-limit.ts";
import type { WorkGate } from "./http/work-gate.ts";

/** What the API process is made of, put together once in `main.ts` or by a test. */
export interface Deps {
  config: Config;
  /** Names in Temporal, for links to its UI. */
  naming: TemporalNaming;
  dataSource: DataSource;
  log: Logger;
  secretBox: SecretBox;
  targetPolicy: TargetPolicy;
  /** Looks up webhook hosts when a subscription is saved. */
  resolver: TargetResolver;
  metrics: ApiMetrics;
  /** What open Dashboards follow. Ends before the server does. */
  liveStreams: LiveStreams;
  loginThrottle: LoginThrottle;
  /** Tokens of one-time links that open nothing, per address. */
  limitLinks: RateLimiter;
  /** Mails that an account or a stranger asks for. */
  limitMails: RateLimiter;
  /** Test pings per subscription: without a limit they would serve to scan ports. */
  limitTests: RateLimiter;
  /** Tries of slugs that are no endpoint's. */
  slugGuard: SlugGuard;
  /** Signed calls per inbound endpoint. */
  limitInbound: RateLimiter;
  /** Calls without a fitting signature, per endpoint and address. */
  limitUnsignedCaller: RateLimiter;
  /** The same of all addresses together, per endpoint. */
  limitUnsignedEndpoint: RateLimiter;
  /** Calls to inbound endpoints that these three refused. */
  limitedCalls: LimitedCallCounts;
  /** Requests to booking pages, by what is counted. */
  bookingLimits: BookingLimits;
  /** Searches for free times, by booking link: anybody may ask for them. */
  slotSearches: WorkGate;
  /** Parse every answer with its documented schema and fail loudly: on everywhere but in production. */
  checkAnswers: boolean;
  apiKeyAuth: ApiKeyAuth;
  /** Calls per account, with whichever of its API keys. Null: switched off. */
  limitRate: RateLimiter | null;
  /** Writes per login. Null: switched off. */
  limitWrites: RateLimiter | null;
  /** Attempts asked for by hand, per delivery: without a limit they would be a hose at any public URL. */
  limitRepeats: RateLimiter;
}
