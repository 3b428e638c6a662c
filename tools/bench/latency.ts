import { setTimeout as sleep } from "node:timers/promises";
import { untilArrived } from "./arrivals.ts";
import type { Caller } from "./caller.ts";
import { runAtRate } from "./load.ts";
import type { BenchStack } from "./stack.ts";

/** A steady flow of upserts, numbered from `firstIndex`. */
export interface Flow {
  perSecond: number;
  seconds: number;
  firstIndex: number;
}

/** Latencies in ms, from the moment when a request was due to the arrival of its event. */
export async function measureLatency(
  { arrivals }: BenchStack,
  api: Caller,
  { perSecond, seconds, firstIndex }: Flow,
): Promise<number[]> {
  await sleep(2_000);
  arrivals.clear();
  const dueAt: number[] = [];
  await runAtRate(perSecond, seconds, async (index, due) => {
    dueAt[index] = due;
    await api.upsert(firstIndex + index);
  });
  await untilArrived(arrivals, perSecond * seconds);
  // UUIDv7 ids sort by time. At this rate events are created in the order of the requests.
  const inOrder = [...arrivals.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.map(([, at], index) => at - (dueAt[index] ?? Number.NaN));
}
