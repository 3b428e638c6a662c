import { setTimeout as sleep } from "node:timers/promises";

/** Runs `work` `total` times, `concurrency` at once. @returns runs per second. */
export async function measureRate(
  total: number,
  concurrency: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  const started = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return total / ((performance.now() - started) / 1000);
}

/**
 * Starts `work` at a fixed rate, whether or not earlier runs have ended. So a stall delays no start
 * and appears in every affected figure.
 * @param work gets the moment when it was due, in `performance.now()`
 */
export async function runAtRate(
  perSecond: number,
  seconds: number,
  work: (index: number, dueAt: number) => Promise<unknown>,
): Promise<void> {
  const total = perSecond * seconds;
  const started = performance.now();
  const running: Promise<unknown>[] = [];
  for (let index = 0; index < total; index += 1) {
    const dueAt = started + (index * 1000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 0) await sleep(early);
    running.push(work(index, dueAt));
  }
  await Promise.all(running);
}

/** The sample below which the share `p` of the samples lies. */
export function percentile(samples: number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

/** The middle value of an odd number of values. */
export function median(values: number[]): number {
  return percentile(values, 0.5);
}
