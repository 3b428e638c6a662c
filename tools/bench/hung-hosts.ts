import { percentile } from "./load.ts";
import { inMs, ratioOf } from "./print.ts";
import { queueEvents, release, startReceiver, subscribe } from "./queued-events.ts";
import type { BenchStack } from "./stack.ts";
import { createCaller } from "./caller.ts";
import { measureLatency } from "./latency.ts";

const perSecond = 20;
const hungHosts = 20;

/** Latency of a healthy receiver, alone and beside hosts that hang with a long queue each. */
export async function benchHungHosts(
  stack: BenchStack,
  scale: number,
  events: number | null,
): Promise<string[][]> {
  const total = events ?? Math.round(5_000 * scale);
  const seconds = Math.max(5, Math.round(30 * scale));
  const queued = Math.ceil(total / hungHosts);
  await startHungHosts(stack);
  await queueEvents(stack, "appointment.created", queued);
  await stack.startWorker();
  const api = createCaller(stack, perSecond);
  const flow = { perSecond, seconds };
  await measureLatency(stack, api, { perSecond, seconds: 5, firstIndex: 0 });
  const alone = await measureLatency(stack, api, { ...flow, firstIndex: 10_000 });
  await release(stack);
  const beside = await measureLatency(stack, api, { ...flow, firstIndex: 20_000 });
  await api.close();
  const row = (p: number, what: string) => {
    const [before, after] = [percentile(alone, p), percentile(beside, p)];
    return [what, `${inMs(before)}, then ${inMs(after)}`, ratioOf(after, before)];
  };
  return [
    ["deliveries queued for hosts that hang", String(queued * hungHosts)],
    row(0.5, `a healthy receiver at ${perSecond}/s, alone and beside ${hungHosts} of them: p50`),
    row(0.95, "p95"),
    row(0.99, "p99"),
  ];
}

/**
 * An account may have 20 subscriptions, so the healthy one is marked as deleted while the others
 * are made.
 */
async function startHungHosts(stack: BenchStack): Promise<void> {
  await stack.dataSource.query("UPDATE subscriptions SET state = 'deleted', version = version + 1");
  for (let index = 0; index < hungHosts; index += 1) {
    const { url } = await startReceiver(stack, { host: `127.0.0.${index + 2}`, hangs: true });
    await subscribe(stack, url, "appointment.created");
  }
  await stack.dataSource.query("UPDATE subscriptions SET state = 'active', version = version + 1");
}
