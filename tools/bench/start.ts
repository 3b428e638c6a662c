import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, startChild, type Child } from "../../dev/child.ts";
import { localPath, partLog, repositoryRoot } from "../../dev/local.ts";
import { ensureServer } from "../../dev/build/server-build.ts";
import { cpuMsOf } from "./costs.ts";
import { median } from "./load.ts";
import { inMs } from "./print.ts";
import type { BenchStack } from "./stack.ts";

const pollMs = 10;
const idleMs = 10_000;
const readyTimeoutMs = 120_000;

/** The arguments of Node that start a process from its sources, and from `dist/`. */
export const origins = {
  sources: (name: string) => ["--import", "tsx/esm", `${name}/main.ts`],
  dist: (name: string) => ["cli/parley.js", name],
};

/** One start of one process. */
interface Start {
  /** From the start of the process to the first 200 of `/readyz`. */
  readyMs: number;
  /** CPU time until then. */
  cpuMs: number;
  /** Resident memory after ten idle seconds. */
  rssMb: number;
}

/** Starts API and worker from their sources and from `dist/` in turns: a busy moment hits both. */
export async function benchStart(stack: BenchStack, scale: number): Promise<string[][]> {
  await ensureServer(partLog("server"));
  const rounds = Math.max(1, Math.round(5 * scale));
  const starts = new Map<string, Start[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of ["api", "worker"]) {
      for (const [origin, argsOf] of Object.entries(origins)) {
        const label = `${name} from ${origin}`;
        const start = await measureStart(stack, name, argsOf(name));
        starts.set(label, [...(starts.get(label) ?? []), start]);
      }
    }
  }
  return [...starts].map(([label, all]) => [
    `${label}: ready after, CPU until then, memory when idle`,
    `${inMs(median(all.map(({ readyMs }) => readyMs)))}, ${inMs(median(all.map(({ cpuMs }) => cpuMs)))}, ${median(all.map(({ rssMb }) => rssMb)).toFixed(0)} MB`,
    `median of ${all.length}`,
  ]);
}

async function measureStart(stack: BenchStack, name: string, args: string[]): Promise<Start> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const startedAt = performance.now();
  const child = startChild({
    name,
    command: process.execPath,
    args,
    cwd: repositoryRoot,
    // Production cannot trust tsx's cache, which is a shared folder.
    env: { ...stack.env, ...ports, TSX_DISABLE_CACHE: "1" },
    logFile: localPath("log", `bench-start-${name}.log`),
  });
  try {
    await untilReady(`http://127.0.0.1:${name === "api" ? port : metricsPort}/readyz`, child);
    const readyMs = performance.now() - startedAt;
    const cpuMs = cpuMsOf(child.pid);
    await sleep(idleMs);
    return { readyMs, cpuMs, rssMb: rssMbOf(child) };
  } finally {
    await child.stop(15_000);
  }
}

/** Waits until an address of a process answers 200. @throws Error after two minutes */
export async function untilReady(url: string, { name }: Child): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  while (performance.now() < deadline) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(pollMs);
  }
  throw new Error(`The ${name} did not become ready. See .local/log/bench-start-${name}.log.`);
}

/** Resident memory of a process in MB. */
export function rssMbOf({ pid }: Pick<Child, "pid">): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1024;
}
