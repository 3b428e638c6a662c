import { mkdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Connection, WorkflowNotFoundError } from "@temporalio/client";
import { onFreePort, releasePort, sizeOf, startChild, type Child } from "../child.ts";
import { findTemporal } from "./find-temporal.ts";
import { stopLeftover } from "../leftover.ts";
import { localPath, type Log } from "../local.ts";
import { lastLines } from "../run-command.ts";

const PREFERRED_PORT = 7233;
const PREFERRED_UI_PORT = 8233;
const STOP_TIMEOUT_MS = 15_000;
const HEALTHY_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

/**
 * - One partition per task queue: on one node, more partitions only forward to each other.
 * - Few tasks of the server at once. The server has one shard, and writes it one task at a time. With
 *   512 tasks at once, the default, a busy machine lets them wait for more than their 3 s. Then most
 *   of the work is repeated, and nothing proceeds.
 * - No rate limits: the defaults would slow a bench.
 */
const DYNAMIC_CONFIG: Record<string, number | boolean> = {
  "matching.numTaskqueueReadPartitions": 1,
  "matching.numTaskqueueWritePartitions": 1,
  "system.enableActivityEagerExecution": true,
  "history.timerProcessorSchedulerWorkerCount": 16,
  "history.transferProcessorSchedulerWorkerCount": 16,
  "history.visibilityProcessorSchedulerWorkerCount": 16,
  "frontend.rps": 100_000,
  "frontend.namespaceRPS": 100_000,
  "frontend.namespaceRPS.visibility": 10_000,
  "frontend.namespaceCount": 100_000,
  "frontend.persistenceMaxQPS": 100_000,
  "history.rps": 100_000,
  "history.persistenceMaxQPS": 100_000,
  "matching.rps": 100_000,
  "matching.persistenceMaxQPS": 100_000,
};

export type TemporalOptions = {
  /** SQLite file that keeps all state over restarts. Without one, the state is in memory. */
  dbFilename?: string;
  /** Preferred port; the next free one where it is taken. */
  port?: number;
  uiPort?: number;
  /** True: no web UI. */
  headless?: boolean;
  /** File for the process id where there is no `dbFilename` to derive its path from. */
  pidFile?: string;
  /** Further dynamic settings of the server. */
  settings?: Record<string, number | boolean>;
  /** By default `.local/log/temporal.log`. */
  logFile?: string;
  log: Log;
};

export type TemporalServer = {
  /** `host:port` of the gRPC service; the namespace is `default`. */
  address: string;
  /** Null when headless. */
  uiUrl: string | null;
  source: string;
  pid: number;
  stop: () => Promise<void>;
};

/**
 * Starts a Temporal development server on 127.0.0.1 and resolves once its namespace answers.
 * @throws Error when no server program is found, its data are in use, or it is not healthy within a
 * minute
 */
export async function startTemporal(options: TemporalOptions): Promise<TemporalServer> {
  const { headless = false, logFile = localPath("log", "temporal.log"), log } = options;
  const dbFilename = options.dbFilename === undefined ? undefined : resolve(options.dbFilename);
  const pidFile = options.pidFile ?? (dbFilename === undefined ? undefined : `${dbFilename}.pid`);
  const program = await findTemporal(log);
  if (pidFile !== undefined) await stopLeftover(pidFile, log);
  if (dbFilename !== undefined) mkdirSync(dirname(dbFilename), { recursive: true });
  const serve = async (port: number, uiPort: number | null): Promise<TemporalServer> => {
    const args = serverArgs(port, uiPort, dbFilename);
    args.push(...dynamicConfig({ ...DYNAMIC_CONFIG, ...options.settings }));
    const child = startChild({ name: "temporal", command: program.path, args, logFile, pidFile });
    const address = `127.0.0.1:${port}`;
    const stop = async (): Promise<void> => {
      await child.stop(STOP_TIMEOUT_MS);
      releasePort(port);
      if (uiPort !== null) releasePort(uiPort);
    };
    try {
      await waitUntilHealthy(address, child, logFile);
    } catch (error) {
      await child.stop(STOP_TIMEOUT_MS);
      throw error;
    }
    log(`ready on ${address} (${program.source})`);
    const uiUrl = uiPort === null ? null : `http://127.0.0.1:${uiPort}`;
    return { address, uiUrl, source: program.source, pid: child.pid, stop };
  };
  return await onFreePort(options.port ?? PREFERRED_PORT, async (port) =>
    headless
      ? await serve(port, null)
      : await onFreePort(options.uiPort ?? PREFERRED_UI_PORT, (uiPort) => serve(port, uiPort)),
  );
}

function serverArgs(port: number, uiPort: number | null, dbFilename?: string): string[] {
  const args = ["server", "start-dev", "--ip", "127.0.0.1", "--port", String(port)];
  args.push("--log-level", "warn");
  args.push(...(uiPort === null ? ["--headless"] : ["--ui-port", String(uiPort)]));
  if (dbFilename !== undefined) {
    args.push("--db-filename", dbFilename);
    args.push("--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=NORMAL");
  }
  return args;
}

function dynamicConfig(values: Record<string, number | boolean>): string[] {
  return Object.entries(values).flatMap(([key, value]) => [
    "--dynamic-config-value",
    `${key}=${JSON.stringify(value)}`,
  ]);
}

/**
 * Waits until `child` serves on `address`. Another server that took the port first answers too. So
 * our server must have written to its log, and must still run.
 * @throws Error when it ends or is not healthy within a minute
 */
export async function waitUntilHealthy(
  address: string,
  child: Child,
  logFile: string,
): Promise<void> {
  const deadline = Date.now() + HEALTHY_TIMEOUT_MS;
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  while (Date.now() < deadline && !ended) {
    const isUp = sizeOf(logFile) > child.logStart && (await isHealthy(address));
    await sleep(POLL_MS);
    if (isUp && !ended) return;
  }
  const said = lastLines(readFileSync(logFile, "utf8"));
  throw new Error(`Temporal ${ended ? "ended at once" : "does not answer"}: ${said}`);
}

/**
 * @returns true where each internal service answers, not only the frontend. After a start on
 * existing data the others may be missing for a while. A task queue and a run that do not exist
 * reach them.
 */
async function areAllServing(connection: Connection): Promise<boolean> {
  const { workflow } = new Client({ connection });
  const { namespace } = workflow.options;
  await connection.workflowService.describeNamespace({ namespace });
  await connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: "nobodys" } });
  return await workflow
    .getHandle("nobodys")
    .describe()
    .then(
      () => true,
      (error: unknown) => error instanceof WorkflowNotFoundError,
    );
}

async function isHealthy(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 2_000 });
    try {
      return await connection.withDeadline(Date.now() + 2_000, () => areAllServing(connection));
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}
