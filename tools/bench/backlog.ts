import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "./load.ts";
import { inMs } from "./print.ts";
import {
  queueEvents,
  release,
  startReceiver,
  subscribe,
  type BenchReceiver,
} from "./queued-events.ts";
import type { BenchStack } from "./stack.ts";
import { createCaller, type Caller } from "./caller.ts";
import { measureLatency } from "./latency.ts";

const perSecond = 10;
/** Seconds for which the receiver stays away after the release of its deliveries. */
const awaySeconds = 20;
/** Time limit per delivery in ms for the backlog, several times the usual time. */
const patienceMs = 60;

/**
 * Measures a receiver that returns to a backlog: its deliveries, and the latency of another
 * receiver.
 */
export async function benchBacklog(
  stack: BenchStack,
  scale: number,
  events: number | null,
): Promise<string[][]> {
  const total = events ?? Math.round(5_000 * scale);
  const receiver = await startReceiver(stack);
  await subscribe(stack, receiver.url, "appointment.created");
  await queueEvents(stack, "appointment.created", total);
  await stack.startWorker();
  const api = createCaller(stack, perSecond);
  await measureLatency(stack, api, { perSecond, seconds: 5, firstIndex: 0 });
  await receiver.close();
  await release(stack);
  const latencies = await flow(stack, api, awaySeconds, 10_000);
  await receiver.open();
  const openedAt = performance.now();
  for (let index = 20_000; receiver.arrivals.size < total; index += 10_000) {
    if (performance.now() - openedAt > 60_000 + total * patienceMs) {
      throw new Error("The backlog does not drain.");
    }
    latencies.push(...(await flow(stack, api, 10, index)));
  }
  const drainedAt = Math.max(...[...receiver.arrivals.values()].map(({ at }) => at));
  await sleep(2_000);
  await api.close();
  const { lost, duplicates } = await settle(stack, receiver, total);
  return [
    ["deliveries queued for a receiver that was away", String(total)],
    ["all arrived, from its return on", `${((drainedAt - openedAt) / 1_000).toFixed(0)} s`],
    ["lost", String(lost)],
    ["arrived twice", String(duplicates)],
    [`another receiver at ${perSecond}/s meanwhile: p50`, inMs(percentile(latencies, 0.5))],
    ["p99", inMs(percentile(latencies, 0.99))],
  ];
}

async function flow(
  stack: BenchStack,
  api: Caller,
  seconds: number,
  firstIndex: number,
): Promise<number[]> {
  return await measureLatency(stack, api, { perSecond, seconds, firstIndex });
}

async function settle({ dataSource }: BenchStack, { arrivals }: BenchReceiver, total: number) {
  const [row] = await dataSource.query<{ delivered: string }[]>(
    "SELECT COUNT(*) AS delivered FROM deliveries WHERE state = 'delivered' AND event_type = 'appointment.created'",
  );
  const duplicates = [...arrivals.values()].filter(({ times }) => times > 1).length;
  return { lost: total - Math.min(arrivals.size, Number(row?.delivered)), duplicates };
}
