import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { scopes } from "../../core/model/principal.ts";
import { createSecretBox, generateSecretKey } from "../../core/secrets.ts";
import { actAs } from "../../core/services/act-as.ts";
import { createAccount } from "../../core/services/accounts/accounts.ts";
import { createApiKey } from "../../core/services/accounts/api-keys.ts";
import { createInboundEndpoint } from "../../core/services/inbound/inbound-endpoints.ts";
import { createDataSource } from "../../db/data-source.ts";
import { migrate } from "../../db/migrate.ts";
import { transaction } from "../../db/transaction.ts";
import { freePort, startChild, type Child } from "../../dev/child.ts";
import { localPath, partLog, repositoryRoot } from "../../dev/local.ts";
import { createDatabase, startMysql } from "../../dev/servers/mysql.ts";

/** Number of answers of one operation with one status. */
export interface AnswerCount {
  /** `GET /api/v1/contacts`; the path is `-` for an unknown route. */
  operation: string;
  status: number;
  count: number;
}

/** An API on its own MySQL, with two accounts that both have data. */
export interface FuzzedInstallation {
  apiUrl: string;
  /** Key of the first account, with all scopes. */
  apiKey: string;
  /** Slug of the first account's inbound endpoint. */
  slug: string;
  /** Log file of the API. */
  logFile: string;
  /** Counts the answers by operation and status. */
  countAnswers(): Promise<AnswerCount[]>;
  stop(): Promise<void>;
}

/**
 * Starts an installation on fresh data, without rate limits. The API itself checks every answer.
 */
export async function startFuzzedInstallation(): Promise<FuzzedInstallation> {
  const folder = mkdtempSync(localPath("fuzz-"));
  const logFile = localPath("log", "fuzz-api.log");
  rmSync(logFile, { force: true });
  const mysql = await startMysql({
    dataDir: join(folder, "mysql"),
    durable: false,
    log: partLog("mysql"),
  });
  let api: Child | null = null;
  const stop = async (): Promise<void> => {
    await api?.stop(15_000);
    await mysql.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const databaseUrl = await createDatabase(mysql.url, "fuzz");
    const secretKey = generateSecretKey("fuzz");
    const [account, other] = await createAccounts(databaseUrl, secretKey);
    const [port, metricsPort] = [await freePort(), await freePort()];
    api = startApi(logFile, {
      DATABASE_URL: databaseUrl,
      SECRET_KEY: secretKey,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
    });
    const apiUrl = `http://127.0.0.1:${port}`;
    await waitUntilReady(apiUrl, api);
    for (let count = 0; count < 4; count += 1) {
      await fill(apiUrl, account.apiKey, count);
      await fill(apiUrl, other.apiKey, count);
    }
    return {
      apiUrl,
      ...account,
      logFile,
      countAnswers: async () => await countAnswers(`http://127.0.0.1:${metricsPort}/metrics`),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createAccounts(databaseUrl: string, secretKey: string) {
  const dataSource = await createDataSource({ url: databaseUrl, poolSize: 2 }).initialize();
  await migrate(dataSource);
  const secretBox = createSecretBox(secretKey);
  const create = async (name: string) =>
    await transaction(dataSource, { actor: { type: "system", accountId: 0 } }, async (tx) => {
      const accountId = await createAccount(tx, { name, timeZone: "UTC", locale: "en" });
      const inAccount = actAs(tx, "system", accountId);
      const key = { name: "fuzz", scopes: [...scopes], expiresAt: null };
      const { key: apiKey } = await createApiKey(inAccount, key);
      const endpoint = { name: "fuzz", strict: false };
      const { row } = await createInboundEndpoint(inAccount, secretBox, "inbound", endpoint);
      return { apiKey, slug: row.slug };
    });
  try {
    return [await create("Fuzzed"), await create("Not to be seen")] as const;
  } finally {
    await dataSource.destroy();
  }
}

function startApi(logFile: string, settings: Record<string, string>): Child {
  return startChild({
    name: "api",
    command: process.execPath,
    args: ["--import", "tsx/esm", "api/main.ts"],
    cwd: repositoryRoot,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOST: "127.0.0.1",
      // Outside of production the API checks its own answers against their schemas.
      NODE_ENV: "development",
      RATE_LIMIT_PER_MINUTE: "0",
      DASHBOARD_RATE_LIMIT_PER_MINUTE: "0",
      LOG_LEVEL: "warn",
      ...settings,
    },
    logFile,
  });
}

async function waitUntilReady(apiUrl: string, api: Child): Promise<void> {
  let ended = false;
  void api.exited.then(() => (ended = true));
  for (let tries = 0; tries < 600 && !ended; tries += 1) {
    const ready = await fetch(`${apiUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await sleep(100);
  }
  throw new Error("The API did not become ready. Its last words are in .local/log/fuzz-api.log.");
}

async function countAnswers(metricsUrl: string): Promise<AnswerCount[]> {
  const text = await (await fetch(metricsUrl)).text();
  const lines = text.matchAll(
    /^parley_http_requests_total\{method="(.+)",route="(.+)",status="(\d+)"\} (\d+)$/gm,
  );
  return [...lines].map(([, method, route, status, count]) => ({
    operation: `${method} ${route}`,
    status: Number(status),
    count: Number(count),
  }));
}

/** Creates a contact with a conversation and two messages. */
async function fill(apiUrl: string, apiKey: string, count: number): Promise<void> {
  const post = async (path: string, body: object): Promise<number> => {
    const response = await fetch(`${apiUrl}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} was answered with ${response.status}.`);
    const { data } = (await response.json()) as { data: { id: number } };
    return data.id;
  };
  const phone = String(5_215_550_000_001 + count);
  await post("/contacts", { phone, name: `Contact ${count}` });
  const id = await post("/conversations", { phone, initial_message: "Hello" });
  await post(`/conversations/${id}/messages`, { content: "Hello again" });
}
