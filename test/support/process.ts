import { spawn, type ChildProcess } from "node:child_process";
import { inject } from "vitest";
import { freePort } from "../../dev/child.ts";
import { testSecretKey } from "./accounts.ts";
import { eventually } from "./eventually.ts";
import { startedProcesses } from "./started-processes.ts";

/** An API or worker as operators run it: a process of its own, which a test may kill. */
export interface TestProcess {
  pid: number;
  /** Everything it wrote so far. */
  output(): string;
  /** Its exit code, null where a signal ended it. */
  exited: Promise<number | null>;
  /** Sends the signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** Settings that every process of a test gets. */
export function processEnv(
  databaseUrl: string,
  settings: Record<string, string>,
): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    DATABASE_URL: databaseUrl,
    SECRET_KEY: testSecretKey,
    TEMPORAL_ADDRESS: inject("temporalAddress"),
    NODE_ENV: "test",
    ALLOW_PRIVATE_TARGETS: "true",
    RATE_LIMIT_PER_MINUTE: "0",
    DASHBOARD_RATE_LIMIT_PER_MINUTE: "0",
    ...settings,
  };
}

/** Starts the built `api` or `worker`: of this run, or the one in the folder `built`. */
export function startProcess(
  which: "api" | "worker",
  env: Record<string, string>,
  built = inject("serverBuild"),
): TestProcess {
  const child = spawn(process.execPath, ["cli/parley.js", which], { cwd: built, env });
  const chunks: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  const exited = exitOf(child);
  const one: TestProcess = {
    pid: child.pid ?? 0,
    output: () => chunks.join(""),
    exited,
    async kill(signal) {
      child.kill(signal);
      return await exited;
    },
  };
  startedProcesses.push({ which, process: one });
  return one;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}

/** Starts an API process and waits until it is ready. */
export async function startApiProcess(
  databaseUrl: string,
  settings: Record<string, string> = {},
  built?: string,
): Promise<TestProcess & { url: string }> {
  const port = await freePort();
  const env = processEnv(databaseUrl, { PORT: String(port), ...settings });
  const api = startProcess("api", env, built);
  const url = `http://127.0.0.1:${port}`;
  await ready(api, async () => (await fetch(`${url}/readyz`)).status === 200);
  return { ...api, url };
}

/** Starts a worker process and waits until it polls. */
export async function startWorkerProcess(
  databaseUrl: string,
  namespace: string,
  settings: Record<string, string> = {},
  built?: string,
): Promise<TestProcess> {
  const env = processEnv(databaseUrl, { TEMPORAL_NAMESPACE: namespace, ...settings });
  const worker = startProcess("worker", env, built);
  await ready(worker, () => worker.output().includes("worker.started"));
  return worker;
}

/** Several processes that start side by side on a busy machine take their time. */
const startMs = 90_000;

async function ready(one: TestProcess, look: () => boolean | Promise<boolean>): Promise<void> {
  try {
    await eventually(async () => {
      if (!(await look())) throw new Error(one.output());
    }, startMs);
  } catch (error) {
    await one.kill("SIGKILL");
    throw error;
  }
}
