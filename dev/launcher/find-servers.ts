import { join } from "node:path";
import { freePort } from "../child.ts";
import { isRunning } from "../leftover.ts";
import { partLog } from "../local.ts";
import { createDatabase, startMysql } from "../servers/mysql.ts";
import type { Part } from "./parts.ts";
import { startTemporal } from "../servers/temporal.ts";
import type { UpSettings } from "./up-settings.ts";

const databaseName = "parley";
const watchEveryMs = 500;

/** A running server that we started, with the log to show when it ends. */
export interface ServerPart extends Part {
  logFile: string;
}

/** The database to use. `part` is the server that must be stopped later, where we started it. */
export interface Database {
  url: string;
  part: ServerPart | null;
}

/** The Temporal to use. `part` is null where we did not start it. */
export interface Temporal {
  address: string;
  namespace: string;
  uiUrl: string | null;
  /**
   * Path of a file that does not exist. So Temporal settings in the home folder, made for another
   * server, are ignored.
   */
  configFile: string;
  part: ServerPart | null;
}

/** The MySQL of DATABASE_URL, or a private one with its data in the state folder. */
export async function findDatabase(settings: UpSettings, folder: string): Promise<Database> {
  const log = partLog("mysql");
  if (settings.DATABASE_URL !== undefined) {
    log("the one that DATABASE_URL names");
    return { url: settings.DATABASE_URL, part: null };
  }
  const dataDir = join(folder, "mysql");
  const server = await startMysql({ dataDir, port: settings.MYSQL_PORT, durable: true, log });
  const url = await createDatabase(server.url, databaseName);
  saySubstitute(log, Number(new URL(url).port), settings.MYSQL_PORT ?? 3307);
  return { url, part: serverPart("mysql", server, join(dataDir, "mysqld.log")) };
}

/** The Temporal of TEMPORAL_ADDRESS, or a private one with its state in the state folder. */
export async function findTemporalServer(settings: UpSettings, folder: string): Promise<Temporal> {
  const log = partLog("temporal");
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = settings;
  const configFile = join(folder, "temporal", "none.toml");
  if (address !== undefined) {
    log(`the one at ${address}, namespace ${namespace}, as TEMPORAL_ADDRESS says`);
    return { address, namespace, uiUrl: settings.TEMPORAL_UI_URL ?? null, configFile, part: null };
  }
  const logFile = join(folder, "log", "temporal.log");
  const server = await startTemporal({
    dbFilename: join(folder, "temporal", "temporal.db"),
    port: settings.TEMPORAL_PORT,
    uiPort: settings.TEMPORAL_UI_PORT,
    logFile,
    log,
  });
  saySubstitute(log, Number(server.address.split(":")[1]), settings.TEMPORAL_PORT ?? 7233);
  const { uiUrl } = server;
  if (uiUrl !== null) {
    saySubstitute(log, Number(new URL(uiUrl).port), settings.TEMPORAL_UI_PORT ?? 8233);
  }
  const part = serverPart("temporal", server, logFile);
  return { address: server.address, namespace: "default", uiUrl, configFile, part };
}

/**
 * Environment in which the API and the worker reach these servers. A private Temporal needs no
 * credentials. So credentials for another server are left out, even those in a file in the home
 * folder.
 */
export function serverEnvironment(
  env: NodeJS.ProcessEnv,
  database: Database,
  temporal: Temporal,
): NodeJS.ProcessEnv {
  const ui = temporal.uiUrl === null ? {} : { TEMPORAL_UI_URL: temporal.uiUrl };
  const common = { DATABASE_URL: database.url, TEMPORAL_ADDRESS: temporal.address, ...ui };
  if (temporal.part === null) return { ...env, ...common };
  const others = Object.entries(env).filter(([name]) => !name.startsWith("TEMPORAL_"));
  const own = {
    TEMPORAL_NAMESPACE: temporal.namespace,
    TEMPORAL_CONFIG_FILE: temporal.configFile,
    // No other installation uses this Temporal. Its previous database may have been deleted.
    TAKE_NAMESPACE_FROM: "any",
  };
  return { ...Object.fromEntries(others), ...common, ...own };
}

/** Calls `onEnd` once when one of the servers has ended. */
export function watchServers(servers: ServerPart[], onEnd: (server: ServerPart) => void): void {
  const timer = setInterval(() => {
    const gone = servers.find((server) => {
      const pid = server.pid();
      return pid !== null && !isRunning(pid);
    });
    if (gone === undefined) return;
    clearInterval(timer);
    onEnd(gone);
  }, watchEveryMs);
}

/** The preferred port or the next free one. Another port than the preferred one is logged. */
export async function choosePort(name: string, preferred: number): Promise<number> {
  const chosen = await freePort(preferred);
  saySubstitute(partLog(name), chosen, preferred);
  return chosen;
}

function saySubstitute(log: (line: string) => void, chosen: number, preferred: number): void {
  if (preferred === 0 || chosen === preferred) return;
  log(`port ${preferred} is taken, using ${chosen} instead`);
}

function serverPart(
  name: string,
  server: { pid: number; stop: () => Promise<void> },
  logFile: string,
): ServerPart {
  return { name, pid: () => server.pid, stop: async () => await server.stop(), logFile };
}
