import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { generateSecretKey } from "../../core/secrets.ts";
import { localPath, partLog } from "../../dev/local.ts";
import { createDatabase } from "../../dev/servers/mysql.ts";
import { ensureServer } from "../../dev/build/server-build.ts";
import {
  seedAccounts,
  type CallingAccount,
  type SeedOptions,
  type WantedSubscription,
} from "./accounts.ts";
import type { SubscriptionLine } from "./ledger.ts";
import { startMysqlProxy, type MysqlProxy } from "./mysql-proxy.ts";
import { choosePort, prepareOwnTemporal, startOwnMysql, type OwnServer } from "./own-servers.ts";
import { startSink, type Sink } from "./sink.ts";
import { supervise, type Supervised } from "./supervised.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
import { startUdpProxy, type UdpProxy } from "./udp-proxy.ts";

/** Size and settings of an installation. */
export interface Shape {
  apis: number;
  workers: number;
  accounts: number;
  subscriptions: readonly WantedSubscription[];
  waitsMs: readonly number[];
  /** Further settings of every process. */
  settings?: Record<string, string>;
}

/** An API process with its URL. */
export interface SupervisedApi extends Supervised {
  url: string;
}

/** A whole installation of real processes on loopback, with a fault proxy at every connection. */
export interface Installation {
  shape: Shape;
  /** URL without a proxy, for checks. */
  databaseUrl: string;
  mysql: OwnServer;
  temporal: OwnServer;
  proxies: {
    apiMysql: MysqlProxy;
    workerMysql: MysqlProxy;
    workerTemporal: TcpProxy;
    receivers: TcpProxy;
    /** Another host, for receivers in trouble. */
    troubled: TcpProxy;
  };
  /** In front of the doorbell of each worker, in their order. */
  doorbells: UdpProxy[];
  sink: Sink;
  apis: SupervisedApi[];
  workers: Supervised[];
  accounts: CallingAccount[];
  subscriptions: SubscriptionLine[];
  /** Input of its accounts, to create them again. */
  seed: SeedOptions;
  /** Folder of the processes' logs. */
  logFolder: string;
  /** Folder of the servers' data, for a fault that restores an earlier state. */
  folder: string;
  /** Stops processes, proxies and servers, in this order, and removes the data. */
  stop(): Promise<void>;
}

type Proxies = Installation["proxies"];

/** Timeout in ms of `readyz`, which waits for MySQL. */
const answerMs = 5_000;
/** Number of connections of each process. */
export const poolSize = 20;

/** Starts servers, proxies and sink, and creates the accounts. The processes do not run yet. */
export async function createInstallation(
  name: string,
  shape: Shape,
  random: () => number,
): Promise<Installation> {
  mkdirSync(localPath(), { recursive: true });
  const folder = mkdtempSync(localPath("faults-"));
  const logFolder = localPath("log", "faults", name);
  rmSync(logFolder, { recursive: true, force: true });
  const stops: (() => Promise<void>)[] = [
    async () => rmSync(folder, { recursive: true, force: true }),
  ];
  const keep = <T extends { stop(): Promise<void> }>(one: T): T => {
    stops.unshift(() => one.stop());
    return one;
  };
  const stop = async (): Promise<void> => {
    for (const end of stops) await end();
  };
  try {
    await ensureServer(partLog("server"));
    const [mysql, temporal] = [
      await startOwnMysql(folder),
      await prepareOwnTemporal(folder, logFolder),
    ];
    stops.unshift(() => mysql.stop());
    stops.unshift(() => temporal.stop());
    await temporal.start();
    const databaseUrl = await createDatabase(mysql.address, "faults");
    const sink = keep(await startSink());
    const proxies = await startProxies({ databaseUrl, temporal, sink, random });
    for (const proxy of Object.values(proxies)) keep(proxy);
    const doorbells: UdpProxy[] = [];
    for (const _ of numbered(shape.workers)) doorbells.push(keep(await startUdpProxy()));
    const secretKey = generateSecretKey("faults");
    const seed: SeedOptions = {
      databaseUrl,
      secretKey,
      origins: {
        usual: `http://127.0.0.1:${proxies.receivers.port}`,
        troubled: `http://127.0.0.1:${proxies.troubled.port}`,
      },
      port: sink.port,
      count: shape.accounts,
      wanted: shape.subscriptions,
    };
    const seeded = await seedAccounts(seed);
    const { apis, workers } = await superviseAll(shape, secretKey, logFolder, {
      proxies,
      doorbells,
    });
    for (const one of [...apis, ...workers]) keep(one);
    const parts = { shape, databaseUrl, mysql, temporal, proxies, doorbells, sink, apis, workers };
    return { ...parts, ...seeded, seed, folder, logFolder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts all proxies. After a failed start the earlier ones stay until this process ends; nothing
 * uses them yet.
 */
async function startProxies(given: {
  databaseUrl: string;
  temporal: OwnServer;
  sink: Sink;
  random: () => number;
}): Promise<Proxies> {
  const { databaseUrl, temporal, sink, random } = given;
  const toSink = () => ({ host: "127.0.0.1", port: sink.port });
  const toTemporal = () => targetOf(temporal.address);
  return {
    apiMysql: await startMysqlProxy(databaseUrl, random),
    workerMysql: await startMysqlProxy(databaseUrl, random),
    workerTemporal: await startTcpProxy({ target: toTemporal, random }),
    receivers: await startTcpProxy({ target: toSink, random }),
    troubled: await startTcpProxy({ target: toSink, random }),
  };
}

async function superviseAll(
  shape: Shape,
  secretKey: string,
  logFolder: string,
  { proxies, doorbells }: { proxies: Proxies; doorbells: readonly UdpProxy[] },
) {
  const settings = settingsOf(shape, secretKey);
  const apis: SupervisedApi[] = [];
  for (const n of numbered(shape.apis)) {
    apis.push(await superviseApi(`api-${n}`, logFolder, settings, proxies.apiMysql));
  }
  const workers = doorbells.map(({ port, targetPort }, index) =>
    superviseWorker(`worker-${index + 1}`, logFolder, {
      ...settings,
      DATABASE_URL: proxies.workerMysql.url,
      TEMPORAL_ADDRESS: `127.0.0.1:${proxies.workerTemporal.port}`,
      DOORBELL_LISTEN: `127.0.0.1:${targetPort}`,
      DOORBELL_ADDRESS: `127.0.0.1:${port}`,
    }),
  );
  return { apis, workers };
}

function settingsOf({ waitsMs, settings }: Shape, secretKey: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    SECRET_KEY: secretKey,
    HOST: "127.0.0.1",
    DATABASE_POOL_SIZE: String(poolSize),
    RETRY_WAITS_MS: waitsMs.join(),
    // As in production, except for private targets, plain HTTP and rate limits.
    NODE_ENV: "production",
    ALLOW_PRIVATE_TARGETS: "true",
    DANGEROUSLY_ALLOW_PRIVATE_TARGETS_IN_PRODUCTION: "true",
    DANGEROUSLY_USE_PLAIN_HTTP_IN_PRODUCTION: "true",
    RATE_LIMIT_PER_MINUTE: "0",
    DASHBOARD_RATE_LIMIT_PER_MINUTE: "0",
    ...settings,
  };
}

async function superviseApi(
  name: string,
  logFolder: string,
  settings: Record<string, string>,
  proxy: MysqlProxy,
): Promise<SupervisedApi> {
  const port = await choosePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...settings, DATABASE_URL: proxy.url, PORT: String(port) };
  const isReady = async () =>
    (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMs) })).ok;
  return {
    ...supervise({
      name,
      args: ["cli/parley.js", "api"],
      env,
      logFile: join(logFolder, `${name}.log`),
      isReady,
    }),
    url,
  };
}

function superviseWorker(name: string, logFolder: string, env: Record<string, string>): Supervised {
  const isReady = async (output: string) => output.includes("worker.started");
  return supervise({
    name,
    args: ["cli/parley.js", "worker"],
    env,
    logFile: join(logFolder, `${name}.log`),
    isReady,
  });
}

function numbered(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function targetOf(address: string): { host: string; port: number } {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname, port: Number(port) };
}
