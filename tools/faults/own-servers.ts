import { rmSync } from "node:fs";
import { join } from "node:path";
import { freePort, releasePort } from "../../dev/child.ts";
import { localPath } from "../../dev/local.ts";
import { startMysql } from "../../dev/mysql.ts";
import { startTemporal } from "../../dev/temporal.ts";

/** A server that one run alone uses, so that it may be killed. */
export interface OwnServer {
  /** The same after every restart: a MySQL's URL without a database, or Temporal's `host:port`. */
  address: string;
  pid(): number;
  /** kill -9; the data stay. */
  kill(): Promise<void>;
  freeze(): void;
  /** Starts it, at first or after a kill, on the same port and data. */
  start(): Promise<void>;
  /** Thaws it, or starts it: it runs afterwards. */
  heal(): Promise<void>;
  /** Stops it and removes its data. */
  destroy(): Promise<void>;
}

const log = (): void => undefined;

/** A MySQL with durable settings, started, with its data in `folder`. */
export async function startOwnMysql(folder: string): Promise<OwnServer> {
  const port = await givenPort();
  const begin = async () =>
    await startMysql({
      dataDir: join(folder, "mysql"),
      templateDir: localPath("test", "mysql-template"),
      port,
      durable: true,
      log,
    });
  const first = await begin();
  return ownServer(first.url, [join(folder, "mysql")], first, begin);
}

/** A Temporal that keeps its state in `folder`; its namespace is `default`. It is not started yet. */
export async function prepareOwnTemporal(folder: string, logFolder = folder): Promise<OwnServer> {
  const port = await givenPort();
  const address = `127.0.0.1:${port}`;
  const data = join(folder, "temporal.db");
  const begin = async () => {
    const server = await startTemporal({
      dbFilename: data,
      pidFile: join(folder, "temporal.pid"),
      logFile: join(logFolder, "temporal.log"),
      headless: true,
      port,
      log,
    });
    if (server.address === address) return server;
    await server.stop();
    throw new Error(`Another program has taken ${address}.`);
  };
  const files = [data, `${data}-wal`, `${data}-shm`];
  return ownServer(address, files, null, begin);
}

/**
 * A port for a server that comes and goes: below the range that outgoing connections take theirs from,
 * so that it stays free while the server is down. Processes that start side by side have numbers side by
 * side, so each has a stretch of its own: what one of them has chosen and not yet taken looks free to the
 * others.
 */
export async function choosePort(): Promise<number> {
  return await freePort(20_000 + (process.pid % 500) * 20);
}

/** One that its server asks for by itself. */
async function givenPort(): Promise<number> {
  const port = await choosePort();
  releasePort(port);
  return port;
}

interface Running {
  pid: number;
  stop(): Promise<void>;
}

function ownServer(
  address: string,
  data: string[],
  first: Running | null,
  begin: () => Promise<Running>,
): OwnServer {
  let running = first;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (running === null) return;
    process.kill(running.pid, signal);
    await running.stop();
    running = null;
  };
  return {
    address,
    pid() {
      // Never 0, which would mean this whole process group.
      if (running === null) throw new Error("The server is not running.");
      return running.pid;
    },
    kill: () => end("SIGKILL"),
    freeze() {
      if (running !== null) process.kill(running.pid, "SIGSTOP");
    },
    async start() {
      running = await begin();
    },
    async heal() {
      if (running === null) running = await begin();
      else process.kill(running.pid, "SIGCONT");
    },
    async destroy() {
      // A test that failed may have left it frozen; a clean end also removes its socket in /tmp.
      await end("SIGCONT");
      for (const path of data) rmSync(path, { recursive: true, force: true });
    },
  };
}
