import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { runAtRate } from "./load.ts";
import type { BenchStack } from "./stack.ts";

/** Requests at once, at most. */
export const concurrency = 50;

/** What calls the API of a bench: each upsert makes a contact and so one event for the stack's receiver. */
export type Caller = ReturnType<typeof createCaller>;

/** Opens the connections of a caller. */
export function createCaller({ apiUrl, apiKey }: BenchStack) {
  const pool = new Pool(apiUrl, { connections: concurrency, pipelining: 1 });
  return {
    async upsert(index: number): Promise<void> {
      const { statusCode, body } = await pool.request({
        method: "POST",
        path: "/api/v1/contacts",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ phone: String(52_000_000_000 + index), name: `Bench ${index}` }),
      });
      await body.dump();
      if (statusCode !== 201) throw new Error(`The API answered ${statusCode}.`);
    },
    close: () => pool.close(),
  };
}

/** A steady flow of upserts, numbered from `firstIndex` on. */
export interface Flow {
  perSecond: number;
  seconds: number;
  firstIndex: number;
}

/** From the moment a request was due to the arrival of its event, in ms. */
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
  // UUIDv7 ids sort by time, and at this rate events are made in the order they were asked for.
  const inOrder = [...arrivals.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.map(([, at], index) => at - (dueAt[index] ?? Number.NaN));
}

/** Waits until that many events have arrived. @throws after three minutes. */
export async function untilArrived(
  arrivals: ReadonlyMap<string, unknown>,
  expected: number,
): Promise<void> {
  const end = performance.now() + 180_000;
  while (arrivals.size < expected) {
    if (performance.now() > end) {
      throw new Error(`Only ${arrivals.size} of ${expected} events arrived within 180 s.`);
    }
    await sleep(20);
  }
}
