import { parseArgs } from "node:util";
import { measureBareTransaction } from "./bare-transaction.ts";
import { cases, type BenchOptions } from "./cases.ts";
import { measureFloor } from "./floor.ts";
import { measureRate, percentile } from "./load.ts";
import { inMs, printTable, ratioOf } from "./print.ts";
import { withBenchStack, type BenchStack } from "./stack.ts";
import { concurrency, createCaller, measureLatency, untilArrived, type Caller } from "./upserts.ts";

const help = `npm run bench [-- <case>] [-- --small]

Measures this machine in one run: a no-op workflow (the floor), deliveries, API upserts beside a bare
transaction, and the latency of first attempts at a fixed 50/s. Durable MySQL and Temporal of its own,
on fresh data below .local/; about two minutes. --small is a tenth of it, to see that it runs.

A case asks one thing instead, and prints how its figures stand to each other within the run:

${Object.entries(cases)
  .map(([name, { asks }]) => `  ${name.padEnd(12)} ${asks}`)
  .join("\n")}
`;

const perSecond = 50;
const slots = 600;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean", default: false },
      small: { type: "boolean", default: false },
      events: { type: "string" },
    },
  });
  const [name] = positionals;
  const chosen = name === undefined ? measureAll : cases[name]?.run;
  if (values.help || chosen === undefined) return void process.stdout.write(help);
  const events = values.events === undefined ? null : Number(values.events);
  await chosen({ scale: values.small ? 0.1 : 1, events });
}

async function measureAll({ scale }: BenchOptions): Promise<void> {
  await withBenchStack(async (stack) => {
    await report(stack, Math.round(3_000 * scale), Math.max(2, Math.round(20 * scale)));
  });
}

async function report(stack: BenchStack, total: number, seconds: number): Promise<void> {
  const floor = await measureFloor(stack.temporalAddress, total, slots);
  const bare = await measureBareTransaction(stack.databaseUrl, stack.accountId, total, concurrency);
  const api = createCaller(stack);
  await measureRate(Math.ceil(total / 10), concurrency, (index) => api.upsert(index));
  const upserts = await measureRate(total, concurrency, (index) => api.upsert(100_000 + index));
  const drained = await measureDrain(stack, total + Math.ceil(total / 10));
  const together = await measureTogether(stack, api, total);
  const latencies = await measureLatency(stack, api, {
    perSecond,
    seconds,
    firstIndex: 300_000,
  });
  await api.close();
  const ms = (p: number) => inMs(percentile(latencies, p));
  printTable([
    ["no-op workflow, one no-op local activity (the floor)", `${floor.toFixed(0)}/s`],
    [
      "deliveries, from the outbox to the receiver",
      `${drained.toFixed(0)}/s`,
      ratioOf(drained, floor),
    ],
    ["deliveries while the API accepts them, 50 at once", `${together.toFixed(0)}/s`],
    ["bare transaction with the same rows, 50 at once", `${bare.toFixed(0)}/s`],
    [
      "API contact upserts, one matching subscription, 50 at once",
      `${upserts.toFixed(0)}/s`,
      ratioOf(upserts, bare),
    ],
    [`first attempt at ${perSecond}/s, from the request: p50`, ms(0.5)],
    [`p95`, ms(0.95)],
    [`p99`, ms(0.99)],
  ]);
}

/** The worker starts with all of them waiting; the clock runs from the first to the last arrival. */
async function measureDrain(stack: BenchStack, expected: number): Promise<number> {
  await stack.startWorker();
  await untilArrived(stack.arrivals, expected);
  return rateOf([...stack.arrivals.values()]);
}

async function measureTogether(
  { arrivals }: BenchStack,
  api: Caller,
  total: number,
): Promise<number> {
  arrivals.clear();
  const started = performance.now();
  await measureRate(total, concurrency, (index) => api.upsert(200_000 + index));
  await untilArrived(arrivals, total);
  return total / ((Math.max(...arrivals.values()) - started) / 1000);
}

function rateOf(moments: number[]): number {
  const first = Math.min(...moments);
  return (moments.length - 1) / ((Math.max(...moments) - first) / 1000);
}

await main();
