import { rmSync } from "node:fs";
import { join } from "node:path";
import { freePort, releasePort } from "../../dev/child.ts";
import { localPath } from "../../dev/local.ts";
import { startMysql } from "../../dev/mysql.ts";
import { startTemporal } from "../../dev/temporal.ts";

/** A server that this test file alone uses, so that it may be killed. */
export interface OwnServer {
  /** The same after every restart: a MySQL's URL without a database, or Temporal's `host:port`. */
  address: string;
  pid(): number;
  /** kill -9; the data stay. */
  kill(): Promise<void>;
  /** Starts it, at first or after a kill, on the same port and data. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  destroy(): Promise<void>;
}

// Named as the global setup names its folder, so that it clears up after a killed test run.
const folder = localPath("test", `run-${process.pid}`);
const log = (): void => undefined;

/** A MySQL with durable settings, started. */
export async function startOwnMysql(): Promise<OwnServer> {
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
  return ownServer(first.url, first, begin);
}

/** A Temporal that keeps its state in a file; its namespace is `default`. It is not started yet. */
export async function prepareOwnTemporal(): Promise<OwnServer> {
  const port = await givenPort();
  const begin = async () =>
    await startTemporal({
      dbFilename: join(folder, "temporal.db"),
      pidFile: join(folder, "temporal.pid"),
      logFile: join(folder, "temporal.log"),
      headless: true,
      port,
      log,
    });
  return ownServer(`127.0.0.1:${port}`, null, begin);
}

/** Below the range that outgoing connections take theirs from: it stays free while the server is down. */
async function givenPort(): Promise<number> {
  const port = await freePort(20_000 + (process.pid % 10_000));
  releasePort(port);
  return port;
}

interface Running {
  pid: number;
  stop(): Promise<void>;
}

function ownServer(
  address: string,
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
    async start() {
      running = await begin();
    },
    async destroy() {
      // A test that failed may have left it frozen; a clean end also removes its socket in /tmp.
      await end("SIGCONT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
