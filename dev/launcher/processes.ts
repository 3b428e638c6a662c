import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { sizeOf, startChild, type Child, type ChildExit } from "../child.ts";
import { stopLeftover } from "../leftover.ts";
import { partLog, repositoryRoot } from "../local.ts";

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** A process that ran for this long does not count as failing at its start. */
const steadyMs = 60_000;
const tailBytes = 8_192;
const tailLines = 8;
const lineLength = 300;

/** One of our own programs, to be kept running. */
export interface ServiceOptions {
  name: string;
  /** TypeScript file below the repository, and its arguments. */
  program: string[];
  env: NodeJS.ProcessEnv;
  /** The state folder: logs go to `log/`, process ids to `run/`. */
  folder: string;
}

/** A program that is started again whenever it ends by itself. */
export interface Service {
  name: string;
  /** Id of the present process; null between two processes. */
  pid: () => number | null;
  /** Path of the log. */
  logFile: string;
  /** Number of ends in a row, each less than a minute after its start. */
  deaths: () => number;
  /**
   * Asks the process to end, kills it after `timeoutMs`, and resolves once it is gone. It does not
   * start again.
   */
  stop: (timeoutMs: number) => Promise<void>;
}

/**
 * Starts a program and keeps it running. After an unexpected end the terminal shows its last lines.
 * The program starts again after a pause that doubles from 0.5 s to 30 s.
 */
export function startService({ name, program, env, folder }: ServiceOptions): Service {
  const log = partLog(name);
  const logFile = join(folder, "log", `${name}.log`);
  let child: Child | null = null;
  let deaths = 0;
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;

  const launch = (): void => {
    const startedAt = Date.now();
    const pidFile = pidFileOf(folder, name);
    const args = ["--import", "tsx/esm", ...program];
    child = startChild({
      name,
      command: process.execPath,
      args,
      env,
      cwd: repositoryRoot,
      logFile,
      pidFile,
    });
    const { logStart } = child;
    if (deaths > 0) log(`started again as process ${child.pid}`);
    void child.exited.then((exit) => {
      child = null;
      if (stopping) return;
      deaths = Date.now() - startedAt > steadyMs ? 1 : deaths + 1;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (deaths - 1));
      log(`ended unexpectedly (${describeExit(exit)}), starts again in ${pauseMs / 1_000} s`);
      for (const line of readTail(logFile, logStart)) log(`  ${line}`);
      timer = setTimeout(launch, pauseMs);
    });
  };

  launch();
  return {
    name,
    pid: () => child?.pid ?? null,
    logFile,
    deaths: () => deaths,
    stop: async (timeoutMs) => {
      stopping = true;
      clearTimeout(timer);
      await child?.stop(timeoutMs);
    },
  };
}

/**
 * Stops processes that a killed launcher left running.
 * @throws Error when that launcher still runs
 */
export async function stopLeftoverServices(folder: string, names: string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => await stopLeftover(pidFileOf(folder, name), partLog(name))),
  );
}

/** The last lines of a log after the byte `from`, each cut to 300 characters. */
export function readTail(path: string, from = 0): string[] {
  const size = sizeOf(path);
  if (size === 0) return [];
  const file = openSync(path, "r");
  try {
    const start = Math.max(size - tailBytes, from > size ? 0 : from);
    const buffer = Buffer.alloc(tailBytes);
    const text = buffer.toString("utf8", 0, readSync(file, buffer, 0, tailBytes, start));
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return lines.slice(-tailLines).map((line) => line.slice(0, lineLength));
  } finally {
    closeSync(file);
  }
}

function pidFileOf(folder: string, name: string): string {
  return join(folder, "run", `${name}.pid`);
}

function describeExit({ code, signal }: ChildExit): string {
  return code === null ? `by ${signal ?? "a failed start"}` : `exit code ${code}`;
}
