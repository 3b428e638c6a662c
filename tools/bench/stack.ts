import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { scopes } from "../../core/model/principal.ts";
import { createSecretBox, generateSecretKey, type SecretBox } from "../../core/secrets.ts";
import { createAccount } from "../../core/services/accounts/accounts.ts";
import { createApiKey } from "../../core/services/accounts/api-keys.ts";
import { createSubscription } from "../../core/services/subscriptions/subscriptions.ts";
import { createDataSource } from "../../db/data-source.ts";
import { migrate } from "../../db/migrate.ts";
import { transaction } from "../../db/transaction.ts";
import { freePort, startChild, type Child } from "../../dev/child.ts";
import { localPath, partLog, repositoryRoot } from "../../dev/local.ts";
import { createDatabase, startMysql } from "../../dev/servers/mysql.ts";
import { startTemporal } from "../../dev/servers/temporal.ts";

/**
 * A whole installation on fresh data: durable MySQL, Temporal on a file, API and worker as
 * processes.
 */
export interface BenchStack {
  databaseUrl: string;
  /** For setup and counts beside the API. */
  dataSource: DataSource;
  secretBox: SecretBox;
  temporalAddress: string;
  /** Settings of its API and its workers. */
  env: Record<string, string>;
  apiUrl: string;
  apiKey: string;
  accountId: number;
  /** Event ids that the receiver got, with the time of the first arrival in `performance.now()`. */
  arrivals: Map<string, number>;
  /** Every post that the receiver got, the newest last, so that duplicates show. */
  posts: Post[];
  /** All processes but the load itself, including those that have ended. */
  processes(): { name: string; pid: number }[];
  /** Starts another worker, with further modules loaded, and waits until it takes work. */
  startWorker(settings?: Record<string, string>, modules?: readonly string[]): Promise<Child>;
  /** Registers work for the stop of the stack, after its processes have ended. */
  onStop(work: () => Promise<void>): void;
  stop(): Promise<void>;
}

/** A post that the receiver got. */
export interface Post {
  eventId: string;
  /** Phone of the contact in the event; empty in an event without one. */
  phone: string;
  at: number;
}

/**
 * Starts everything but the worker.
 * @param profiles folder in which each process leaves its CPU profile
 */
export async function startBenchStack(profiles: string | null = null): Promise<BenchStack> {
  const folder = mkdtempSync(localPath("bench-"));
  const [mysql, temporal] = await Promise.all([
    startMysql({ dataDir: join(folder, "mysql"), durable: true, log: partLog("mysql") }),
    startTemporal({
      dbFilename: join(folder, "temporal.db"),
      headless: true,
      log: partLog("temporal"),
    }),
  ]);
  const databaseUrl = await createDatabase(mysql.url, "bench");
  const arrivals = new Map<string, number>();
  const posts: Post[] = [];
  const receiver = await startReceiver(arrivals, posts);
  const secretKey = generateSecretKey("bench");
  const dataSource = await createDataSource({ url: databaseUrl, poolSize: 4 }).initialize();
  const secretBox = createSecretBox(secretKey);
  const { accountId, apiKey } = await seed(dataSource, secretBox, receiver.url);
  const env = Object.assign(benchEnv(databaseUrl, secretKey, temporal.address, await freePort()), {
    MEDIA_DIR: join(folder, "media"),
  });
  const start = (name: "api" | "worker", settings = {}, modules: readonly string[] = []) =>
    startSource({ name, folder, env: { ...env, ...settings }, profiles, modules });
  const children = [start("api")];
  const endings: (() => Promise<void>)[] = [];
  const apiUrl = `http://127.0.0.1:${env.PORT}`;
  await waitFor(async () => (await fetch(`${apiUrl}/readyz`)).ok);
  return {
    databaseUrl,
    dataSource,
    secretBox,
    temporalAddress: temporal.address,
    env,
    apiUrl,
    apiKey,
    accountId,
    arrivals,
    posts,
    processes: () => [
      { name: "mysql", pid: mysql.pid },
      { name: "temporal", pid: temporal.pid },
      ...children,
    ],
    async startWorker(settings, modules) {
      const worker = start("worker", settings, modules);
      children.unshift(worker);
      await waitFor(() => isAtWork(dataSource, worker));
      return worker;
    },
    onStop: (work) => void endings.push(work),
    async stop() {
      for (const child of children) await child.stop(15_000);
      for (const end of endings) await end();
      receiver.stop();
      await dataSource.destroy();
      await Promise.all([temporal.stop(), mysql.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function benchEnv(databaseUrl: string, secretKey: string, temporalAddress: string, port: number) {
  return {
    PATH: process.env["PATH"] ?? "",
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKey,
    TEMPORAL_ADDRESS: temporalAddress,
    PORT: String(port),
    // As in production, except for private targets, plain HTTP and rate limits.
    NODE_ENV: "production",
    ALLOW_PRIVATE_TARGETS: "true",
    DANGEROUSLY_ALLOW_PRIVATE_TARGETS_IN_PRODUCTION: "true",
    DANGEROUSLY_USE_PLAIN_HTTP_IN_PRODUCTION: "true",
    RATE_LIMIT_PER_MINUTE: "0",
    DASHBOARD_RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "warn",
  };
}

function startSource({
  name,
  folder,
  env,
  profiles,
  modules,
}: {
  name: "api" | "worker";
  folder: string;
  env: Record<string, string>;
  profiles: string | null;
  modules: readonly string[];
}): Child {
  // One folder per process, because each thread of a process leaves a profile.
  const folderOfProfiles = `${profiles}/${name}-${env["FIRST_ATTEMPT"] ?? "any"}-${Date.now()}`;
  const main = `${name}/main.ts`;
  const profile = profiles === null ? [] : ["--cpu-prof", `--cpu-prof-dir=${folderOfProfiles}`];
  return startChild({
    name,
    command: process.execPath,
    args: [...profile, ...["tsx/esm", ...modules].flatMap((module) => ["--import", module]), main],
    cwd: repositoryRoot,
    env,
    logFile: join(folder, `${name}.log`),
  });
}

/** The id of a worker's heartbeat contains the id of its process. */
async function isAtWork(dataSource: DataSource, { pid }: Child): Promise<boolean> {
  const rows = await dataSource.query<unknown[]>(
    "SELECT id FROM worker_heartbeats WHERE id LIKE ? AND temporal_reachable = 1",
    [`%:${pid}:%`],
  );
  return rows.length > 0;
}

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await isTrue().catch(() => false)) return;
    await sleep(100);
  }
  throw new Error("A process of the bench did not become ready within 30 s.");
}

async function seed(dataSource: DataSource, secretBox: SecretBox, url: string) {
  await migrate(dataSource);
  const asSystem = (accountId: number) => ({ actor: { type: "system", accountId } }) as const;
  const accountId = await transaction(dataSource, asSystem(0), (tx) =>
    createAccount(tx, { name: "Bench", timeZone: "UTC", locale: "en" }),
  );
  const apiKey = await transaction(dataSource, asSystem(accountId), async (tx) => {
    await createSubscription(tx, secretBox, { url, events: ["contact.*"] });
    return (await createApiKey(tx, { name: "bench", scopes: [...scopes], expiresAt: null })).key;
  });
  return { accountId, apiKey };
}

async function startReceiver(arrivals: Map<string, number>, posts: Post[]) {
  const server = createServer((request, response) => {
    const at = performance.now();
    const eventId = String(request.headers["x-service-event-id"]);
    if (!arrivals.has(eventId)) arrivals.set(eventId, at);
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      posts.push({ eventId, phone: /"phone":"(\d+)"/.exec(body)?.[1] ?? "", at });
      response.writeHead(204).end();
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${port}/hook`, stop: () => void server.close() };
}
