import { closeSync, openSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { sizeOf, startChild, type Child } from "../../dev/child.ts";
import { repositoryRoot } from "../../dev/local.ts";

/**
 * A process of ours under a supervisor, as in operation. A process that ends by itself is started
 * again.
 */
export interface Supervised {
  name: string;
  /** @throws Error while the process does not run */
  pid(): number;
  isRunning(): boolean;
  /**
   * Number of times the process ended by itself, including crashes by its own signal. SIGKILL does
   * not count.
   */
  ends: () => number;
  /** Starts the process unless it runs. Resolves once it is ready. */
  start(): Promise<void>;
  /** Starts the process without waiting. */
  launch(): void;
  /** Kills the process with SIGKILL. It stays down. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Asks the process to end. It stays down. */
  stop(): Promise<void>;
}

const restartMs = 500;
const readyMs = 60_000;
const stopMs = 15_000;

/** Description of a supervised process. */
interface SupervisedOptions {
  name: string;
  /** Arguments of Node: the program and its own arguments. */
  args: string[];
  env: Record<string, string>;
  logFile: string;
  /** @returns true where the process is ready, given its output since the start */
  isReady: (output: string) => Promise<boolean>;
}

/** Creates a supervisor of a program. The program does not run yet. */
export function supervise(options: SupervisedOptions): Supervised {
  const { name, logFile, isReady } = options;
  let child: Child | null = null;
  let wanted = false;
  let from = 0;
  let ends = 0;

  function launch(): void {
    wanted = true;
    if (child !== null) return;
    const started = startNode(options);
    from = started.logStart;
    child = started;
    void started.exited.then(async ({ signal: by }) => {
      child = null;
      if (wanted && by !== "SIGKILL") ends += 1;
      await sleep(restartMs);
      if (wanted) launch();
    });
  }

  function signal(what: NodeJS.Signals): void {
    if (child !== null) process.kill(child.pid, what);
  }

  async function end(by: NodeJS.Signals): Promise<void> {
    wanted = false;
    const ending = child;
    if (ending === null) return;
    signal("SIGCONT");
    if (by === "SIGKILL") signal("SIGKILL");
    await ending.stop(stopMs);
  }

  async function untilReady(): Promise<void> {
    const deadline = performance.now() + readyMs;
    while (!(await isReady(readFrom(logFile, from)).catch(() => false))) {
      if (performance.now() > deadline) throw new Error(`${name} is not ready; see ${logFile}.`);
      await sleep(100);
    }
  }

  return {
    name,
    pid() {
      if (child === null) throw new Error(`${name} does not run.`);
      return child.pid;
    },
    isRunning: () => child !== null,
    ends: () => ends,
    async start() {
      launch();
      await untilReady();
    },
    launch,
    kill: async () => await end("SIGKILL"),
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    stop: async () => await end("SIGTERM"),
  };
}

function startNode({ name, args, env, logFile }: SupervisedOptions): Child {
  return startChild({
    name,
    command: process.execPath,
    args,
    cwd: repositoryRoot,
    env,
    logFile,
  });
}

function readFrom(path: string, from: number): string {
  const length = sizeOf(path) - from;
  if (length <= 0) return "";
  const file = openSync(path, "r");
  try {
    const text = Buffer.alloc(length);
    readSync(file, text, 0, length, from);
    return text.toString("utf8");
  } finally {
    closeSync(file);
  }
}
