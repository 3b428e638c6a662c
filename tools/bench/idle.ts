import { setTimeout as sleep } from "node:timers/promises";
import { createCaller, type Caller } from "./caller.ts";
import { readCosts, type Costs } from "./costs.ts";
import { measureLatencies } from "./first-attempts.ts";
import { percentile } from "./load.ts";
import type { BenchStack } from "./stack.ts";

/**
 * Lets the processes compile their code, reach their longest pauses, and collect the garbage of the
 * last work. The collections of a worker take some 0.5 s of CPU, up to two minutes later.
 */
const settleMs = 120_000;

/**
 * Measures an installation at rest in both modes: CPU of each process as a share of one core, and
 * statements. Then one event a second: its latency, and its statements beyond those of the rest.
 */
export async function benchIdle(stack: BenchStack, scale: number): Promise<string[][]> {
  const api = createCaller(stack, 10);
  const seconds = Math.max(5, Math.round(40 * scale));
  const rows: string[][] = [];
  for (const mode of ["workflow", "adaptive"] as const) {
    const worker = await stack.startWorker({ FIRST_ATTEMPT: mode });
    rows.push(...(await measureMode(stack, api, mode, seconds)));
    await worker.stop(15_000);
  }
  await api.close();
  return rows;
}

async function measureMode(stack: BenchStack, api: Caller, mode: string, seconds: number) {
  await measureLatencies(stack, api, 20, Math.ceil(seconds / 4));
  await sleep(settleMs);
  const before = await readCosts(stack);
  await sleep(seconds * 1_000);
  const rest = await readCosts(stack);
  const { range, latencies } = await measureLatencies(stack, api, 1, seconds);
  const after = await readCosts(stack);
  const restEach = (rest.statements - before.statements) / seconds;
  // One event a second, so the statements of the rest are those of one second.
  const each = (after.statements - rest.statements) / range.total - restEach;
  const flushes = (after.flushes - rest.flushes) / range.total;
  const ms = (p: number) => percentile(latencies, p).toFixed(1);
  return [
    [`${mode}: at rest, of one core`, describeShares(before, rest, seconds)],
    [`${mode}: at rest, statements`, `${restEach.toFixed(1)}/s`],
    [`${mode}: one event a second`, `p50 ${ms(0.5)}, p99 ${ms(0.99)} ms`],
    [`${mode}: statements of an event`, `${each.toFixed(1)}, ${flushes.toFixed(1)} flushes`],
  ];
}

function describeShares(before: Costs, after: Costs, seconds: number): string {
  const shares = [...after.cpuMs].map(
    ([name, ms]) => [name, (ms - (before.cpuMs.get(name) ?? 0)) / (10 * seconds)] as const,
  );
  const all = shares.reduce((sum, [, share]) => sum + share, 0);
  const parts = shares.map(([name, share]) => `${name} ${share.toFixed(2)}`);
  return `${all.toFixed(2)} % (${parts.join(", ")})`;
}
