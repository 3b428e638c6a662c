import { rmSync } from "node:fs";
import { join } from "node:path";
import { freePort, releasePort } from "../../dev/child.ts";
import { localPath } from "../../dev/local.ts";
import { startMysql } from "../../dev/servers/mysql.ts";
import { startTemporal } from "../../dev/servers/temporal.ts";

/** A server that only one run uses, so that the run may kill it. */
export interface OwnServer {
  /** Unchanged by a restart: a MySQL's URL without a database, or Temporal's `host:port`. */
  address: string;
  pid(): number;
  /** Kills the server with SIGKILL. The data stay. */
  kill(): Promise<void>;
  freeze(): void;
  /** Starts the server, at first or after a kill, on the same port and data. */
  start(): Promise<void>;
  /** Continues a frozen server or starts a stopped one. */
  heal(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

const log = (): void => undefined;

/** Starts a MySQL with durable settings and its data in `folder`. */
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

/**
 * Prepares a Temporal with its state in `folder` and the namespace `default`. It is not started
 * yet.
 */
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
 * A port for a server that stops and starts again. It is below the range of outgoing connections,
 * so it stays free while the server is down. Each process has its own range: a port that one
 * process has chosen but not yet bound looks free to others. Processes that start together have
 * adjacent process ids, so their ranges are apart.
 */
export async function choosePort(): Promise<number> {
  return await freePort(20_000 + (process.pid % 500) * 20);
}

/** A port that the server itself requests again. */
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
    async stop() {
      // A failed test may have left the server frozen. A clean end also removes its socket in /tmp.
      await end("SIGCONT");
      for (const path of data) rmSync(path, { recursive: true, force: true });
    },
  };
}
