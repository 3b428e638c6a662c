import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { forgetPid, recordPid } from "./leftover.ts";

const MAX_LOG_BYTES = 10_000_000;
const PORTS_TRIED = 200;

export type ChildOptions = {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Receives stdout and stderr. */
  logFile: string;
  /**
   * File with the process id, so that `stopLeftover` finds the child after a hard end of this
   * process.
   */
  pidFile?: string;
  /** Signal that asks the child to end; by default SIGTERM. */
  stopSignal?: NodeJS.Signals;
};

/**
 * End of a process: by itself with a code, or by a signal. Both are null where the process could
 * not be started.
 */
export type ChildExit = { code: number | null; signal: NodeJS.Signals | null };

/** A running process of ours. `exited` never rejects. */
export type Child = {
  name: string;
  pid: number;
  /** Size in bytes of the log at the start of the child, after a full log was rotated. */
  logStart: number;
  exited: Promise<ChildExit>;
  /**
   * Asks the child to end, kills its whole group after `timeoutMs`, and resolves once the child is
   * gone.
   */
  stop: (timeoutMs: number) => Promise<void>;
};

const running = new Map<number, NodeJS.Signals>();

process.on("exit", () => {
  for (const [pid, signal] of running) sendSignal(pid, signal);
});

/**
 * Starts a program in its own process group. So Ctrl-C in the terminal reaches only this process,
 * which then stops its children in order. When this process exits, its running children are asked
 * to end.
 * @throws Error when the program cannot be started at all
 */
export function startChild(options: ChildOptions): Child {
  const { name, command, args, env, cwd, logFile, pidFile, stopSignal = "SIGTERM" } = options;
  const output = openLog(logFile);
  const logStart = fstatSync(output).size;
  const child = spawn(command, args, {
    env,
    cwd,
    detached: true,
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  const exited = new Promise<ChildExit>((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} cannot be started: is ${command} executable?`);
  running.set(pid, stopSignal);
  if (pidFile !== undefined) recordPid(pidFile, pid, args);
  void exited.then(() => {
    running.delete(pid);
    if (pidFile !== undefined) forgetPid(pidFile, pid);
  });
  const stop = async (timeoutMs: number): Promise<void> => {
    if (!running.has(pid)) return;
    sendSignal(pid, stopSignal);
    // Only while the child runs do its process id and group surely belong to it.
    const timer = setTimeout(() => running.has(pid) && sendSignal(-pid, "SIGKILL"), timeoutMs);
    await exited;
    clearTimeout(timer);
  };
  return { name, pid, logStart, exited, stop };
}

/**
 * Ends this process on Ctrl-C or `kill`, for a tool that has nothing else to do then. Its children are
 * asked to end. A signal without a listener would leave them running.
 */
export function exitOnSignal(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
}

const handedOut = new Set<number>();

/**
 * A free TCP port on 127.0.0.1: `preferred` or the next free one above it, or any free one without
 * a preference. This process never gets the same port twice.
 * @throws Error when no tried port is free
 */
export async function freePort(preferred = 0): Promise<number> {
  for (let port = preferred; port < preferred + PORTS_TRIED; port += 1) {
    const free = handedOut.has(port) ? null : await tryPort(preferred === 0 ? 0 : port);
    if (free === null || handedOut.has(free)) continue;
    handedOut.add(free);
    return free;
  }
  throw new Error(`No free port between ${preferred} and ${preferred + PORTS_TRIED}.`);
}

/**
 * Runs `start` with a free port, `preferred` or the next one above it. Another process may take the
 * port before the server does. So where `start` fails and the port is taken then, it runs again with
 * the next one.
 * @throws the error of `start` where its port is still free
 */
export async function onFreePort<T>(
  preferred: number,
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (;;) {
    const port = await freePort(preferred);
    try {
      return await start(port);
    } catch (error) {
      releasePort(port);
      if ((await tryPort(port)) === port) throw error;
    }
  }
}

/** Lets `freePort` return this port again, once its server has stopped. */
export function releasePort(port: number): void {
  handedOut.delete(port);
}

async function tryPort(port: number): Promise<number | null> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const taken = typeof address === "object" && address !== null ? address.port : null;
      server.close(() => resolve(taken));
    });
  });
}

/** Size of a file in bytes; 0 without a file. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  if (sizeOf(path) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, "a", 0o600);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process is already gone, which is the purpose of the signal.
  }
}
