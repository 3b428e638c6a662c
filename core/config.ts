import { z } from "zod";
import { databaseUrl } from "./database-url.ts";
import { parseSocketAddress } from "./doorbell/address.ts";
import { highestConcurrency } from "./model/subscription.ts";
import { maxAttempts } from "./model/workflow/delivery.ts";
import { isNameServer } from "./target-resolver.ts";

// Values that need no setting (pauses, sizes, limits) are constants where they are used.
const flag = z
  .enum(["true", "false", "1", "0"])
  .transform((value) => value === "true" || value === "1");
const port = z.coerce.number().int().min(0).max(65_535);

const waitsSchema = z
  .string()
  .transform((text) => text.split(",").map((part) => Number(part.trim())))
  .pipe(
    z
      .array(z.number().int().min(1).max(2_592_000_000))
      .length(maxAttempts, "Give six waits in milliseconds, separated by commas."),
  );

const nameServersSchema = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine(
    (servers) => servers.every(isNameServer),
    "Give addresses, `ip` or `ip:port`, separated by commas.",
  );

const socketAddress = z
  .string()
  .refine((text) => parseSocketAddress(text) !== null, "Use ip:port, or [ip]:port with IPv6.");

/** Settings that the storage in S3 cannot do without. */
const bucketSettings = [
  "MEDIA_S3_BUCKET",
  "MEDIA_S3_ACCESS_KEY_ID",
  "MEDIA_S3_SECRET_ACCESS_KEY",
] as const;

/** One key of Turnstile without the other does nothing. */
const turnstileKeys = [
  ["TURNSTILE_SITE_KEY", "TURNSTILE_SECRET_KEY"],
  ["TURNSTILE_SECRET_KEY", "TURNSTILE_SITE_KEY"],
] as const;

/**
 * Every setting of every process, by its environment variable. A test compares
 * docs/configuration.md and .env.example with this list.
 */
export const settings = {
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(500).default(20),
  SECRET_KEY: z.string().min(1),
  PORT: port.default(3000),
  HOST: z.string().default("0.0.0.0"),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default("127.0.0.1"),
  DOORBELL_LISTEN: z.literal("off").or(socketAddress).default("127.0.0.1:0"),
  DOORBELL_ADDRESS: socketAddress.optional(),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  WIDGET_URL: z.url({ protocol: /^https?$/ }).optional(),
  TRUST_PROXY: flag.default(false),
  TEMPORAL_UI_URL: z.url({ protocol: /^https?$/ }).optional(),
  TEMPORAL_NAMESPACE: z.string().default("default"),
  TAKE_NAMESPACE_FROM: z.string().optional(),
  RETRY_WAITS_MS: waitsSchema.optional(),
  RETRY_JITTER: z.coerce.number().min(0).max(0.1).default(0),
  RECEIVER_MAX_CONCURRENCY: z.coerce.number().int().min(1).max(highestConcurrency).default(50),
  ALLOW_PRIVATE_TARGETS: flag.default(false),
  DANGEROUSLY_ALLOW_PRIVATE_TARGETS_IN_PRODUCTION: flag.default(false),
  DANGEROUSLY_USE_PUBLIC_SECRET_KEY_IN_PRODUCTION: flag.default(false),
  DANGEROUSLY_USE_PLAIN_HTTP_IN_PRODUCTION: flag.default(false),
  MODEL_ALLOW_PRIVATE_TARGETS: flag.default(false),
  DNS_SERVERS: nameServersSchema.optional(),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(0).default(600),
  RATE_LIMIT_BURST: z.coerce.number().int().min(1).default(120),
  DASHBOARD_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(0).default(300),
  DASHBOARD_RATE_LIMIT_BURST: z.coerce.number().int().min(1).default(100),
  GOOGLE_API_URL: z.url({ protocol: /^https?$/ }).default("https://www.googleapis.com"),
  GOOGLE_TOKEN_URL: z.url({ protocol: /^https?$/ }).default("https://oauth2.googleapis.com/token"),
  GOOGLE_AUTH_URL: z
    .url({ protocol: /^https?$/ })
    .default("https://accounts.google.com/o/oauth2/v2/auth"),
  GOOGLE_CLIENT_ID: z.string().default(""),
  GOOGLE_CLIENT_SECRET: z.string().default(""),
  CALENDLY_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.calendly.com"),
  CALENDLY_AUTH_URL: z.url({ protocol: /^https?$/ }).default("https://auth.calendly.com"),
  CALENDLY_CLIENT_ID: z.string().optional(),
  CALENDLY_CLIENT_SECRET: z.string().optional(),
  CALENDLY_SIGNING_KEY: z.string().optional(),
  META_GRAPH_URL: z.url({ protocol: /^https?$/ }).default("https://graph.facebook.com"),
  META_INSTAGRAM_URL: z.url({ protocol: /^https?$/ }).default("https://graph.instagram.com"),
  META_API_VERSION: z
    .string()
    .regex(/^v\d{1,3}\.\d{1,2}$/u, "Use a version such as v26.0.")
    .default("v26.0"),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: z.string().optional(),
  MEDIA_STORAGE: z.enum(["local", "s3"]).default("local"),
  MEDIA_DIR: z.string().default("data/media"),
  MEDIA_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  MEDIA_S3_REGION: z.string().default("us-east-1"),
  MEDIA_S3_BUCKET: z.string().optional(),
  MEDIA_S3_ACCESS_KEY_ID: z.string().optional(),
  MEDIA_S3_SECRET_ACCESS_KEY: z.string().optional(),
  MEDIA_RETENTION_DAYS: z.coerce.number().int().min(0).max(3_650).default(365),
  IMPORT_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_073_741_824)
    .default(200 * 1_024 * 1_024),
  CLAMAV_ADDRESS: z
    .string()
    .regex(/^[\w.-]+:\d{1,5}$/u, "Use host:port.")
    .optional(),
  TURNSTILE_SITE_KEY: z.string().optional(),
  TURNSTILE_SECRET_KEY: z.string().optional(),
  TURNSTILE_URL: z.url({ protocol: /^https?$/ }).default("https://challenges.cloudflare.com"),
  WIDGET_MAX_STREAMS: z.coerce.number().int().min(1).max(200_000).default(15_000),
  WORKFLOW_SLOTS: z.coerce.number().int().min(10).max(5_000).default(600),
  FIRST_ATTEMPT: z.enum(["workflow", "adaptive"]).default("workflow"),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  NODE_ENV: z.enum(["production", "development", "test"]).default("production"),
} as const;

/** The OAuth app at Calendly needs all of these. */
const calendlyAppSettings = [
  "CALENDLY_CLIENT_ID",
  "CALENDLY_CLIENT_SECRET",
  "CALENDLY_SIGNING_KEY",
] as const;

const environment = z.object(settings).superRefine((env, ctx) => {
  for (const [name, other] of turnstileKeys) {
    if (env[name] === undefined && env[other] !== undefined) {
      ctx.addIssue({ code: "custom", path: [name] });
    }
  }
  if (calendlyAppSettings.some((name) => env[name] !== undefined)) {
    for (const name of calendlyAppSettings) {
      if (env[name] === undefined) ctx.addIssue({ code: "custom", path: [name] });
    }
  }
  if (env.MEDIA_STORAGE !== "s3") return;
  for (const name of bucketSettings) {
    if (env[name] === undefined) ctx.addIssue({ code: "custom", path: [name] });
  }
});

/** The settings of a process, parsed once at its start and frozen. */
export type Config = Readonly<ReturnType<typeof shape>>;

/** @returns null for 0 a minute, which switches the limit off. */
function limitOf(perMinute: number, burst: number): { perMinute: number; burst: number } | null {
  return perMinute === 0 ? null : { perMinute, burst };
}

function mailOf(smtpUrl: string, from: string | undefined, publicUrl: string) {
  return { smtpUrl, from: from ?? `Parley <no-reply@${new URL(publicUrl).hostname}>` };
}

/** Storage of the files of messages. */
function mediaOf(env: z.infer<typeof environment>) {
  const [clamavHost = "", clamavPort = ""] = env.CLAMAV_ADDRESS?.split(":") ?? [];
  return {
    /** Folder of the local storage, and of files that are being written. */
    folder: env.MEDIA_DIR,
    /** Null: the local storage. */
    s3:
      env.MEDIA_STORAGE === "local"
        ? null
        : {
            endpoint: env.MEDIA_S3_ENDPOINT ?? null,
            region: env.MEDIA_S3_REGION,
            bucket: env.MEDIA_S3_BUCKET ?? "",
            accessKeyId: env.MEDIA_S3_ACCESS_KEY_ID ?? "",
            secretAccessKey: env.MEDIA_S3_SECRET_ACCESS_KEY ?? "",
          },
    /** Null: files are kept as long as their messages. */
    retentionDays: env.MEDIA_RETENTION_DAYS === 0 ? null : env.MEDIA_RETENTION_DAYS,
    /** Null: no scanner looks at files. */
    scanner:
      env.CLAMAV_ADDRESS === undefined ? null : { host: clamavHost, port: Number(clamavPort) },
  };
}

/** Cloudflare's check of visitors above a soft limit. Null: not set up. */
function turnstileOf(env: z.infer<typeof environment>) {
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secretKey } = env;
  if (siteKey === undefined || secretKey === undefined) return null;
  return { url: new URL(env.TURNSTILE_URL).origin, siteKey, secretKey };
}

/** The OAuth app of this installation at Calendly; null: accounts are connected by tokens alone. */
function calendlyAppOf(env: z.infer<typeof environment>) {
  const {
    CALENDLY_CLIENT_ID: clientId,
    CALENDLY_CLIENT_SECRET: clientSecret,
    CALENDLY_SIGNING_KEY: signingKey,
  } = env;
  if (clientId === undefined || clientSecret === undefined || signingKey === undefined) return null;
  const authUrl = env.CALENDLY_AUTH_URL.replace(/\/+$/, "");
  return { authUrl, clientId, clientSecret, signingKey };
}

function shape(env: z.infer<typeof environment>) {
  const publicUrl = env.PUBLIC_URL ?? `http://127.0.0.1:${env.PORT}`;
  return {
    databaseUrl: env.DATABASE_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    /** `kid:base64(32 bytes)[,older…]`: the first encrypts, all of them decrypt. */
    secretKey: env.SECRET_KEY,
    port: env.PORT,
    host: env.HOST,
    /** Null: no metrics port is opened. */
    metricsPort: env.METRICS_PORT ?? null,
    metricsHost: env.METRICS_HOST,
    /** Address on which a worker hears of new outbox rows. Null: nobody rings, and workers poll. */
    doorbellListen: parseSocketAddress(env.DOORBELL_LISTEN),
    /** Address of that doorbell for others; null: where it listens. */
    doorbellAddress:
      env.DOORBELL_ADDRESS === undefined ? null : parseSocketAddress(env.DOORBELL_ADDRESS),
    /** Origin of every public link and of the CSRF check; never taken from a Host header. */
    publicUrl: new URL(publicUrl).origin,
    /** Origin of the web chat's script and frame. Another one than ours keeps our cookies apart. */
    widgetUrl: new URL(env.WIDGET_URL ?? publicUrl).origin,
    trustProxy: env.TRUST_PROXY,
    /** Without a slash at its end, so that paths can be put behind it. */
    temporalUiUrl: env.TEMPORAL_UI_URL?.replace(/\/+$/, "") ?? null,
    temporalNamespace: env.TEMPORAL_NAMESPACE,
    /** The installation that owned the namespace and is gone for good, or `any`; null: none. */
    takeNamespaceFrom: env.TAKE_NAMESPACE_FROM ?? null,
    /** Null: the six waits of rule C47. */
    retryWaitsMs: env.RETRY_WAITS_MS ?? null,
    retryJitter: env.RETRY_JITTER,
    /** Attempts at once toward one host of receivers, from each worker. */
    receiverMaxConcurrency: env.RECEIVER_MAX_CONCURRENCY,
    /** Development only: opens http, loopback and private addresses as webhook targets. */
    allowPrivateTargets: env.ALLOW_PRIVATE_TARGETS,
    /** Opens http, loopback and private addresses for model providers, such as a local server. */
    modelAllowPrivateTargets: env.MODEL_ALLOW_PRIVATE_TARGETS,
    /**
     * DNS servers for the addresses of webhook targets, as `ip` or `ip:port`; null: the system's.
     */
    dnsServers: env.DNS_SERVERS ?? null,
    /** Dangers that the operator accepts in production. */
    accepted: {
      privateTargets: env.DANGEROUSLY_ALLOW_PRIVATE_TARGETS_IN_PRODUCTION,
      publicSecretKey: env.DANGEROUSLY_USE_PUBLIC_SECRET_KEY_IN_PRODUCTION,
      plainHttp: env.DANGEROUSLY_USE_PLAIN_HTTP_IN_PRODUCTION,
    },
    /** Calls to API v1, all keys of an account together; null: not limited. Rule C9. */
    rateLimit: limitOf(env.RATE_LIMIT_PER_MINUTE, env.RATE_LIMIT_BURST),
    /** Writes to the Dashboard's JSON API, by login; null: not limited. */
    dashboardRateLimit: limitOf(
      env.DASHBOARD_RATE_LIMIT_PER_MINUTE,
      env.DASHBOARD_RATE_LIMIT_BURST,
    ),
    /** URLs of Google, and the client of this installation there. */
    google: {
      apiUrl: env.GOOGLE_API_URL.replace(/\/+$/, ""),
      tokenUrl: env.GOOGLE_TOKEN_URL,
      authUrl: env.GOOGLE_AUTH_URL,
      clientId: env.GOOGLE_CLIENT_ID,
      clientSecret: env.GOOGLE_CLIENT_SECRET,
    },
    /** URLs of Calendly, and its OAuth app. The operator's own, so no target guard is asked. */
    calendly: { apiUrl: env.CALENDLY_API_URL.replace(/\/+$/, ""), app: calendlyAppOf(env) },
    /** URLs of Meta's Graph API and its version. The operator's own, so no target guard is asked. */
    meta: {
      graphUrl: env.META_GRAPH_URL.replace(/\/+$/, ""),
      instagramUrl: env.META_INSTAGRAM_URL.replace(/\/+$/, ""),
      version: env.META_API_VERSION,
    },
    /** Null: no mail server is set up, and links are shown to admins. */
    mail: env.SMTP_URL === undefined ? null : mailOf(env.SMTP_URL, env.MAIL_FROM, publicUrl),
    media: mediaOf(env),
    turnstile: turnstileOf(env),
    /** Largest file of an import, in bytes. */
    importMaxBytes: env.IMPORT_MAX_BYTES,
    /** Open streams of visitors in one API process. */
    widgetMaxStreams: env.WIDGET_MAX_STREAMS,
    workflowSlots: env.WORKFLOW_SLOTS,
    /** `adaptive`: in a burst the relay makes first attempts itself. */
    firstAttempt: env.FIRST_ATTEMPT,
    logLevel: env.LOG_LEVEL,
    production: env.NODE_ENV === "production",
  };
}

/**
 * Reads the settings of a process. The only reader of the environment.
 * @throws Error naming every setting that is missing or wrong, one a line, without its value.
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in settings && value !== ""),
  );
  const parsed = environment.safeParse(given);
  if (parsed.success) return Object.freeze(shape(parsed.data));
  const lines = parsed.error.issues.map(
    (issue) =>
      `  ${issue.path.join(".")}: ${given[String(issue.path[0])] === undefined ? "is required" : issue.message}`,
  );
  throw new Error(
    `Some settings are missing or wrong:\n${lines.join("\n")}\nSee docs/configuration.md.`,
  );
}

/** The key in docker-compose.yml, which is public. */
const publicKey = "cGFybGV5LWRldmVsb3BtZW50LWtleS0tbm90LXNhZmU=";

/**
 * Refuses settings that open an installation to strangers. Development may use them.
 * @throws Error with one line for each danger, which says what to set.
 */
export function refuseUnsafeProduction(config: Config): void {
  const { production, accepted, allowPrivateTargets, secretKey, publicUrl } = config;
  if (!production) return;
  const keys = secretKey.split(",").map((entry) => entry.slice(entry.indexOf(":") + 1).trim());
  const dangers = [
    allowPrivateTargets &&
      !accepted.privateTargets &&
      "ALLOW_PRIVATE_TARGETS: set it to false. Webhooks would reach private addresses. To accept that, set DANGEROUSLY_ALLOW_PRIVATE_TARGETS_IN_PRODUCTION=true.",
    keys.includes(publicKey) &&
      !accepted.publicSecretKey &&
      "SECRET_KEY: set a key of your own. The present one is public. To accept that, set DANGEROUSLY_USE_PUBLIC_SECRET_KEY_IN_PRODUCTION=true.",
    !publicUrl.startsWith("https:") &&
      !accepted.plainHttp &&
      "PUBLIC_URL: set the https address of this installation. Logins would travel in plain text. To accept that, set DANGEROUSLY_USE_PLAIN_HTTP_IN_PRODUCTION=true.",
  ].filter((danger) => danger !== false);
  if (dangers.length === 0) return;
  const lines = dangers.map((danger) => `  ${danger}`).join("\n");
  throw new Error(
    `Unsafe settings in production:\n${lines}\nOn your own desk, set NODE_ENV=development instead.`,
  );
}

/** The settings as a process may log them: no password, no key. */
export function describeConfig(config: Config): Record<string, unknown> {
  const database = new URL(config.databaseUrl);
  return {
    ...config,
    databaseUrl: `mysql://${database.host}${database.pathname}`,
    secretKey: config.secretKey.split(",").map((entry) => entry.split(":")[0]),
    mail:
      config.mail === null ? null : { ...config.mail, smtpUrl: new URL(config.mail.smtpUrl).host },
    media: {
      ...config.media,
      s3: config.media.s3 === null ? null : { ...config.media.s3, secretAccessKey: "set" },
    },
    turnstile: config.turnstile && { ...config.turnstile, secretKey: "set" },
    google: { ...config.google, clientSecret: config.google.clientSecret === "" ? "" : "set" },
    calendly: {
      ...config.calendly,
      app: config.calendly.app && {
        ...config.calendly.app,
        clientSecret: "set",
        signingKey: "set",
      },
    },
  };
}

/** Warnings about the settings of an API process, for the log. */
export function describeRiskyConfig({ publicUrl, trustProxy }: Config): string[] {
  if (!publicUrl.startsWith("https:") || trustProxy) return [];
  // No process here speaks TLS itself.
  return [
    "PUBLIC_URL is https, so a proxy stands before this process, but TRUST_PROXY is off: all callers share the proxy's address, and one who guesses passwords locks out everyone.",
  ];
}
