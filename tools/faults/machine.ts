import { readFileSync } from "node:fs";
import type { Disturbance } from "./ledger.ts";

/** Watches the CPU. */
export interface MachineWatch {
  /** Periods without idle CPU, whatever process used it. Lateness in them is excused. */
  busy: Disturbance[];
  stop(): void;
}

const everyMs = 1_000;
const leastIdleShare = 0.1;
/** Time in ms after a busy period in which delayed work catches up. */
const catchUpMs = 3_000;

/** Starts to watch. */
export function watchMachine(): MachineWatch {
  const busy: Disturbance[] = [];
  let before = readTicks();
  let lookedAt = performance.now();
  const timer = setInterval(() => {
    const [now, at] = [readTicks(), performance.now()];
    const idleShare = (now.idle - before.idle) / Math.max(1, now.total - before.total);
    if (idleShare < leastIdleShare) busy.push({ from: lookedAt, to: at, calmAt: at + catchUpMs });
    [before, lookedAt] = [now, at];
  }, everyMs);
  return { busy, stop: () => clearInterval(timer) };
}

/** Busy time in ms between two moments. */
export function countBusyMs(busy: readonly Disturbance[], from: number, until: number): number {
  return busy.reduce(
    (sum, line) => sum + Math.max(0, Math.min(line.to, until) - Math.max(line.from, from)),
    0,
  );
}

/**
 * CPU ticks of all cores since boot, from /proc/stat; see proc(5). Waiting for a disk counts as
 * idle.
 */
function readTicks(): { idle: number; total: number } {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { idle, total: ticks.reduce((sum, one) => sum + one, 0) };
}
