import { mkdtempSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { measureBareTransaction } from "./bare-transaction.ts";
import { createCaller, type Caller } from "./caller.ts";
import { benchBursts, benchRates } from "./first-attempts.ts";
import { measureFloor } from "./floor.ts";
import { measureRate, percentile, runAtRate } from "./load.ts";
import { localPath } from "../local.ts";
import { describeProfiles } from "./profile.ts";
import { startBenchStack, type BenchStack } from "./stack.ts";

const concurrency = 50;
const perSecond = 50;
const slots = 600;

/** What can be measured: `run` gets a stack of its own and gives the rows of a table. */
interface BenchCase {
  about: string;
  run: (stack: BenchStack, scale: number) => Promise<string[][]>;
}

const cases: Record<string, BenchCase> = {
  base: {
    about:
      "a no-op workflow (the floor), deliveries, API upserts beside a bare transaction, latency at 50/s",
    run: (stack, scale) =>
      report(stack, Math.round(3_000 * scale), Math.max(2, Math.round(20 * scale))),
  },
  burst: { about: "3,000 events at once and a backlog, in both modes", run: benchBursts },
  rates: { about: "latency at fixed rates, 50 to 400/s, in both modes", run: benchRates },
};

const help = `npm run bench [-- [case…] [--small] [--profile]]

Measures this machine, each case on fresh data below .local/ with a durable MySQL and a Temporal of its
own; one to five minutes each. --small is a tenth of it, to see that it runs. Without a case: base.
--profile also tells where the CPU of API and worker went, and keeps their profiles below .local/.

${Object.entries(cases)
  .map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`)
  .join("\n")}
`;

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes("--help")) return void process.stdout.write(help);
  const scale = args.includes("--small") ? 0.1 : 1;
  const names = args.filter((arg) => !arg.startsWith("--"));
  for (const name of names.length === 0 ? ["base"] : names) {
    const found = cases[name];
    if (found === undefined) throw new Error(`There is no case ${name}.\n\n${help}`);
    const profiles = args.includes("--profile") ? mkdtempSync(localPath("profiles-")) : null;
    const stack = await startBenchStack(profiles);
    try {
      print(await found.run(stack, scale));
    } finally {
      await stack.stop();
    }
    if (profiles !== null) console.log(`\n${profiles}\n${describeProfiles(profiles)}`);
  }
}

async function report(stack: BenchStack, total: number, seconds: number): Promise<string[][]> {
  const floor = await measureFloor(stack.temporalAddress, total, slots);
  const bare = await measureBareTransaction(stack.databaseUrl, stack.accountId, total, concurrency);
  const api = createCaller(stack, concurrency);
  await measureRate(Math.ceil(total / 10), concurrency, (index) => api.upsert(index));
  const upserts = await measureRate(total, concurrency, (index) => api.upsert(100_000 + index));
  const drained = await measureDrain(stack, total + Math.ceil(total / 10));
  const together = await measureTogether(stack, api, total);
  const latencies = await measureLatency(stack, api, seconds);
  await api.close();
  const ms = (p: number) => `${percentile(latencies, p).toFixed(0)} ms`;
  return [
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
  ];
}

function ratio(a: number, b: number): string {
  return `${(a / b).toFixed(2)} of it`;
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

/** From the moment a request was due to the arrival of its event, in ms. */
async function measureLatency(
  { arrivals }: BenchStack,
  api: Caller,
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
