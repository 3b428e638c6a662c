import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, type Config } from "../../core/config.ts";
import { createLog } from "../../core/log.ts";
import type { Installation } from "../../core/model/installation.ts";
import { createRegistry } from "../../core/metrics.ts";
import { createApp } from "../../api/app.ts";
import { createDeps } from "../../api/create-deps.ts";
import type { Deps } from "../../api/deps.ts";
import { listen } from "../../api/http/listen.ts";
import { testSecretKey } from "./accounts.ts";
import type { TestDatabase } from "./database.ts";

/** An API on a real port, in this process. */
export interface TestApi {
  url: string;
  deps: Deps;
  /** One request; a `body` that is no string or bytes is sent as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>;
  stop(): Promise<void>;
}

/** How to call. */
export interface CallOptions {
  apiKey?: string;
  cookie?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** What came back. */
export interface TestAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON; loosely typed, since tests assert on all of it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers by their documented shape
  json: any;
}

/** Settings of a test, with everything open that development opens. */
export function testConfig(database: TestDatabase, overrides: Record<string, string> = {}): Config {
  return loadConfig({
    DATABASE_URL: database.url,
    SECRET_KEY: testSecretKey,
    NODE_ENV: "test",
    ALLOW_PRIVATE_TARGETS: "true",
    RATE_LIMIT_PER_MINUTE: "0",
    DASHBOARD_RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "silent",
    // The first file creates it.
    MEDIA_DIR: join(tmpdir(), `parley-test-media-${process.pid}`),
    // Nothing listens there, so no test reaches Meta.
    META_GRAPH_URL: "http://127.0.0.1:9",
    META_INSTAGRAM_URL: "http://127.0.0.1:9",
    ...overrides,
  });
}

/** Names in Temporal are our own ones, which most tests are about. */
export const plainInstallation: Installation = { id: "tests2", hasPlainNames: true };

/** Starts an API on `database`. `settings` are environment variables. Port 0 is any free port. */
export async function startTestApi(
  database: TestDatabase,
  settings: Record<string, string> = {},
  installation = plainInstallation,
  port = 0,
): Promise<TestApi> {
  const config = testConfig(database, settings);
  const { dataSource } = database;
  const log = createLog("api", config.logLevel);
  const deps = createDeps({
    config,
    dataSource,
    installation,
    log,
    registry: createRegistry(),
  });
  const listening = await listen(createApp(deps), "127.0.0.1", port);
  const url = `http://127.0.0.1:${listening.port}`;
  return {
    url,
    deps,
    call: (method, path, options) => callApi(url, method, path, options),
    async stop() {
      await Promise.all([deps.liveStreams.stop(), listening.stop()]);
    },
  };
}

/** One request to an API anywhere. */
export async function callApi(
  url: string,
  method: string,
  path: string,
  { apiKey, cookie, headers = {}, body }: CallOptions = {},
): Promise<TestAnswer> {
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: {
      connection: "close",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(cookie === undefined ? {} : { cookie }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
