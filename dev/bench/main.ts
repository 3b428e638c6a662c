import { cpus, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { measureBareTransaction } from "./bare-transaction.ts";
import { measureFloor } from "./floor.ts";
import { measureRate, percentile, runAtRate } from "./load.ts";
import { startBenchStack, type BenchStack } from "./stack.ts";

const help = `npm run bench [-- --small]

Measures this machine in one run: a no-op workflow (the floor), deliveries, API upserts beside a bare
transaction, and the latency of first attempts at a fixed 50/s. Durable MySQL and Temporal of its own,
on fresh data below .local/; about two minutes. --small is a tenth of it, to see that it runs.
`;

const concurrency = 50;
const perSecond = 50;
const slots = 600;

async function main(): Promise<void> {
  if (process.argv.includes("--help")) return void process.stdout.write(help);
  const scale = process.argv.includes("--small") ? 0.1 : 1;
  const stack = await startBenchStack();
  try {
    await report(stack, Math.round(3_000 * scale), Math.max(2, Math.round(20 * scale)));
  } finally {
    await stack.stop();
  }
}

async function report(stack: BenchStack, total: number, seconds: number): Promise<void> {
  const floor = await measureFloor(stack.temporalAddress, total, slots);
  const bare = await measureBareTransaction(stack.databaseUrl, stack.accountId, total, concurrency);
  const api = createCaller(stack);
  await measureRate(Math.ceil(total / 10), concurrency, (index) => api.upsert(index));
  const upserts = await measureRate(total, concurrency, (index) => api.upsert(100_000 + index));
  const drained = await measureDrain(stack, total + Math.ceil(total / 10));
  const together = await measureTogether(stack, api, total);
  const latencies = await measureLatency(stack, api, seconds);
  await api.close();
  const ms = (p: number) => `${percentile(latencies, p).toFixed(0)} ms`;
  print([
    ["no-op workflow, one no-op local activity (the floor)", `${floor.toFixed(0)}/s`],
    [
      "deliveries, from the outbox to the receiver",
      `${drained.toFixed(0)}/s`,
      ratio(drained, floor),
    ],
    ["deliveries while the API accepts them, 50 at once", `${together.toFixed(0)}/s`],
    ["bare transaction with the same rows, 50 at once", `${bare.toFixed(0)}/s`],
    [
      "API contact upserts, one matching subscription, 50 at once",
      `${upserts.toFixed(0)}/s`,
      ratio(upserts, bare),
    ],
    [`first attempt at ${perSecond}/s, from the request: p50`, ms(0.5)],
    [`p95`, ms(0.95)],
    [`p99`, ms(0.99)],
  ]);
}

function ratio(a: number, b: number): string {
  return `${(a / b).toFixed(2)} of it`;
}

function createCaller({ apiUrl, apiKey }: BenchStack) {
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

/** The worker starts with all of them waiting; the clock runs from the first to the last arrival. */
async function measureDrain(stack: BenchStack, expected: number): Promise<number> {
  await stack.startWorker();
  await untilArrived(stack.arrivals, expected);
  return rateOf([...stack.arrivals.values()]);
}

async function measureTogether(
  { arrivals }: BenchStack,
  api: ReturnType<typeof createCaller>,
  total: number,
): Promise<number> {
  arrivals.clear();
  const started = performance.now();
  await measureRate(total, concurrency, (index) => api.upsert(200_000 + index));
  await untilArrived(arrivals, total);
  return total / ((Math.max(...arrivals.values()) - started) / 1000);
}

/** From the moment a request was due to the arrival of its event, in ms. */
async function measureLatency(
  { arrivals }: BenchStack,
  api: ReturnType<typeof createCaller>,
  seconds: number,
): Promise<number[]> {
  await sleep(2_000);
  arrivals.clear();
  const dueAt: number[] = [];
  await runAtRate(perSecond, seconds, async (index, due) => {
    dueAt[index] = due;
    await api.upsert(300_000 + index);
  });
  await untilArrived(arrivals, perSecond * seconds);
  // UUIDv7 ids sort by time, and at this rate events are made in the order they were asked for.
  const inOrder = [...arrivals.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.map(([, at], index) => at - (dueAt[index] ?? Number.NaN));
}

async function untilArrived(arrivals: Map<string, number>, expected: number): Promise<void> {
  const end = performance.now() + 180_000;
  while (arrivals.size < expected) {
    if (performance.now() > end) {
      throw new Error(`Only ${arrivals.size} of ${expected} events arrived within 180 s.`);
    }
    await sleep(20);
  }
}

function rateOf(moments: number[]): number {
  const first = Math.min(...moments);
  return (moments.length - 1) / ((Math.max(...moments) - first) / 1000);
}

function print(rows: string[][]): void {
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`;
  console.log(`\nMeasured in one run on ${machine}; everything on this one machine.\n`);
  console.log("| what | figure | |\n|---|---|---|");
  for (const [what, figure, note = ""] of rows) console.log(`| ${what} | ${figure} | ${note} |`);
}

await main();
