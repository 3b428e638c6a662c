import type { DataSource } from "typeorm";
import type { Config } from "../core/config.ts";
import type { ModelPort } from "../core/agent/step.ts";
import type { OpenMedia } from "../core/media/open-storage.ts";
import type { Logger } from "../core/log.ts";
import type { TemporalNaming } from "../core/model/installation.ts";
import type { ProofOfWork } from "../core/proof-of-work.ts";
import type { SecretBox } from "../core/secrets.ts";
import type { TargetPolicy, TargetResolver } from "../core/target-guard.ts";
import type { AgentProvider } from "../db/entities/agent.ts";
import type { RequestCount } from "./busy-reports.ts";
import type { BookingLimits } from "./booking/limits.ts";
import type { Calendly } from "../activities/calendars/calendly.ts";
import type { GoogleAccounts } from "../activities/calendars/google-account.ts";
import type { Graph } from "../activities/channels/graph.ts";
import type { BadSignatures } from "./channels/bad-signatures.ts";
import type { CalledApps } from "./channels/called-apps.ts";
import type { WebhookBatches } from "./channels/webhook-batches.ts";
import type { LoginThrottle } from "./dashboard/login-throttle.ts";
import type { SlugGuard } from "./inbound/slugs.ts";
import type { LimitedCallCounts } from "./inbound/limited-calls.ts";
import type { LiveStreams } from "./live/live-streams.ts";
import type { ApiMetrics } from "./metrics.ts";
import type { ApiKeyAuth } from "./http/api-key-auth.ts";
import type { RateLimiter } from "./http/rate-limit.ts";
import type { WorkGate } from "./http/work-gate.ts";
import type { WidgetLimits } from "./widget/limits.ts";
import type { Turnstile } from "./widget/turnstile.ts";

/** Parts of the API process, created once in `main.ts` or by a test. */
export interface Deps {
  config: Config;
  /** Names in Temporal, for links to its UI. */
  naming: TemporalNaming;
  dataSource: DataSource;
  log: Logger;
  secretBox: SecretBox;
  targetPolicy: TargetPolicy;
  /** Resolves webhook hosts when a subscription is saved. */
  resolver: TargetResolver;
  /** Files of messages. */
  media: OpenMedia;
  metrics: ApiMetrics;
  /** Streams of open Dashboards. They end before the server does. */
  liveStreams: LiveStreams;
  loginThrottle: LoginThrottle;
  /** Unknown tokens of one-time links, per address. */
  limitLinks: RateLimiter;
  /** Mails that an account or a stranger requests. */
  limitMails: RateLimiter;
  /** Test pings per subscription: without a limit they could scan ports. */
  limitTests: RateLimiter;
  /** Limits guesses of slugs. */
  slugGuard: SlugGuard;
  /** Signed calls per inbound endpoint. */
  limitInbound: RateLimiter;
  /** Calls without a valid signature, per endpoint and address. */
  limitUnsignedCaller: RateLimiter;
  /** Calls without a valid signature from all addresses together, per endpoint. */
  limitUnsignedEndpoint: RateLimiter;
  /** Counts of calls to inbound endpoints that these three limits refused. */
  limitedCalls: LimitedCallCounts;
  /** Meta apps whose URLs are called. */
  calledApps: CalledApps;
  /** Counts webhooks of Meta apps with a wrong signature. */
  badSignatures: BadSignatures;
  /** Calls Meta while an admin connects or checks a channel. */
  graph: Graph;
  /** Calls Calendly while an admin connects an account. */
  calendly: Calendly;
  /** Calls Google while an admin connects an account or chooses its calendars. */
  googleAccounts: GoogleAccounts;
  /** Calls to providers of calendars at once, per account. */
  calendarCalls: WorkGate;
  /** Checks of channels at once, per account: each holds a connection to Meta. */
  channelChecks: WorkGate;
  /** Requests of this process, by which imports give way to callers. */
  requestCount: RequestCount;
  /** Uploads of imports that are read at once, per account. */
  fileReads: WorkGate;
  /** Stores the webhooks of Meta apps. */
  webhookBatches: WebhookBatches;
  /** Limits for requests to booking pages. */
  bookingLimits: BookingLimits;
  /** Limits for visitors of web chat. */
  widgetLimits: WidgetLimits;
  /** Work that a visitor's browser does above a soft limit. */
  proofOfWork: ProofOfWork;
  /** Cloudflare's check in place of that work. Null: not set up. */
  turnstile: Turnstile | null;
  /** Limits searches for free times, by booking link: the pages are public. */
  slotSearches: WorkGate;
  /** Connects to the model of a provider, for trials of the agent. */
  models: (provider: AgentProvider) => Promise<ModelPort>;
  /** Trials of the agent at once, per account: each holds a connection to a model. */
  trials: WorkGate;
  /** Trials of the agent per account: each may cost money that no budget counts. */
  limitTrials: RateLimiter;
  /**
   * Parse every answer with its documented schema, and fail on a mismatch. On except in production.
   */
  checkAnswers: boolean;
  apiKeyAuth: ApiKeyAuth;
  /** Calls per account, with any of its API keys (rule C9). Null: switched off. */
  limitRate: RateLimiter | null;
  /** Writes per login. Null: switched off. */
  limitWrites: RateLimiter | null;
  /** Manual attempts per delivery. Without a limit they could flood any public URL. */
  limitRepeats: RateLimiter;
}
