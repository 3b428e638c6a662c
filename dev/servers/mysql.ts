import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import mysql from "mysql2/promise";
import { messageOf } from "../../core/errors.ts";
import { onFreePort, releasePort, type Child } from "../child.ts";
import { stopLeftover } from "../leftover.ts";
import type { Log } from "../local.ts";
import { isDockerData, isDockerReady, startDockerMysql } from "./mysql-docker.ts";
import { ensureData, readPassword, startMysqld } from "./mysql-instance.ts";
import { findInstalledMysql, unpackMysql } from "./mysql-program.ts";
import { waitForMysql } from "./wait-for-mysql.ts";

const PREFERRED_PORT = 3307;
const STOP_TIMEOUT_MS = 30_000;

export type MysqlOptions = {
  /**
   * Folder of this instance: data, password, log. It is created where missing, and reused
   * otherwise.
   */
  dataDir: string;
  /** Preferred port; the next free one where it is taken. */
  port?: number;
  /** True: every commit reaches the disk before its answer. Only tests may pass false. */
  durable: boolean;
  /**
   * A data folder to copy for new data, which is faster than creating them. It is created where
   * missing.
   */
  templateDir?: string;
  log: Log;
};

export type MysqlServer = {
  /** `mysql://user:password@127.0.0.1:port`, without a database. */
  url: string;
  /** Version and origin, for people. */
  source: string;
  pid: number;
  /** Stops the server cleanly. Its data stay. */
  stop: () => Promise<void>;
};

/**
 * Starts a private MySQL that listens on 127.0.0.1 only, in UTC and utf8mb4. Its user has every
 * right and a random password, which is stored beside the data. The installed MySQL is tried first,
 * then the packages of the distribution below `.local/`, then Docker. Existing data are never
 * replaced by empty ones.
 * @throws Error that names every way to get a MySQL when none works, or when the data are in use
 */
export async function startMysql(given: MysqlOptions): Promise<MysqlServer> {
  const options = { ...given, dataDir: resolve(given.dataDir) };
  const { dataDir, log } = options;
  await stopLeftover(join(dataDir, "mysqld.pid"), log);
  const failures: string[] = [];
  for (const way of waysToStart(options)) {
    try {
      const server = await way();
      if (server !== null) return server;
    } catch (error) {
      log(messageOf(error));
      failures.push(messageOf(error));
    }
  }
  throw new Error(describeFailure(failures));
}

/**
 * Creates a database if it does not exist.
 * @param name letters, digits and underscores
 * @returns the URL of the server with the database
 */
export async function createDatabase(url: string, name: string): Promise<string> {
  if (!/^\w+$/.test(name)) throw new Error(`"${name}" is no name for a database.`);
  const connection = await mysql.createConnection(url);
  try {
    await connection.query(`CREATE DATABASE IF NOT EXISTS \`${name}\``);
  } finally {
    await connection.end();
  }
  const withName = new URL(url);
  withName.pathname = `/${name}`;
  return withName.toString();
}

type Way = () => Promise<MysqlServer | null>;

function waysToStart(options: MysqlOptions): Way[] {
  const { dataDir, log } = options;
  const onPort = async (from: string, start: (port: number) => Promise<Child>) =>
    await onFreePort(
      options.port ?? PREFERRED_PORT,
      async (port) => await whenReady(await start(port), port, from, options),
    );
  const native = async (program: Awaited<ReturnType<typeof findInstalledMysql>>) => {
    if (program === null) return null;
    // Before the port is chosen: new data take seconds, in which another process may take it.
    await ensureData(program, options);
    return await onPort(program.source, async (port) => startMysqld(program, port, options));
  };
  const docker = async (): Promise<MysqlServer | null> => {
    if (!(await isDockerReady(log))) return null;
    return await onPort("in Docker", async (port) => await startDockerMysql(port, options));
  };
  const inProcess = [
    async () => await native(await findInstalledMysql(log)),
    async () => await native(await unpackMysql(log)),
  ];
  if (isDockerData(dataDir)) return [docker];
  return existsSync(join(dataDir, "data")) ? inProcess : [...inProcess, docker];
}

async function whenReady(
  child: Child,
  port: number,
  from: string,
  { dataDir, log }: MysqlOptions,
): Promise<MysqlServer> {
  const url = `mysql://parley:${readPassword(dataDir)}@127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await child.stop(STOP_TIMEOUT_MS);
    releasePort(port);
  };
  try {
    const version = await waitForMysql(url, child, join(dataDir, "mysqld.log"));
    const source = `MySQL ${version}, ${from}`;
    log(`ready on 127.0.0.1:${port} (${source})`);
    return { url, source, pid: child.pid, stop };
  } catch (error) {
    await child.stop(STOP_TIMEOUT_MS);
    throw error;
  }
}

function describeFailure(failures: string[]): string {
  const ways = [
    "set DATABASE_URL to a MySQL 8.4 or newer",
    "install MySQL 8.4 or newer, from your package manager or from dev.mysql.com",
    "start Docker",
    "use Debian, or an Ubuntu whose packages have MySQL 8.4, with the package mirror in reach",
  ];
  const why = failures.map((failure) => `\n  tried: ${failure}`).join("");
  return `No MySQL could be started. Any of these helps: ${ways.join("; ")}.${why}`;
}
