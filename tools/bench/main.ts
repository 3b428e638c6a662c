import { mkdtempSync } from "node:fs";
import { parseArgs } from "node:util";
import { benchAgent } from "./agent.ts";
import { benchAgentBasic } from "./agent-basic.ts";
import { untilArrived } from "./arrivals.ts";
import { benchBacklog } from "./backlog.ts";
import { measureBareTransaction } from "./bare-transaction.ts";
import { benchCalendars } from "./calendars.ts";
import { createCaller, type Caller } from "./caller.ts";
import { benchChannels } from "./channels.ts";
import { benchFanOut } from "./fan-out.ts";
import { benchBursts, benchRates } from "./first-attempts.ts";
import { measureFloor } from "./floor.ts";
import { benchHungHosts } from "./hung-hosts.ts";
import { benchIdle } from "./idle.ts";
import { benchImports } from "./imports.ts";
import { measureLatency } from "./latency.ts";
import { measureRate, percentile } from "./load.ts";
import { benchMedia } from "./media.ts";
import { inMs, printTable, ratioOf } from "./print.ts";
import { describeProfiles } from "./profile.ts";
import { benchPurge } from "./purge.ts";
import { exitOnSignal } from "../../dev/child.ts";
import { localPath } from "../../dev/local.ts";
import { benchSoak } from "./soak.ts";
import { benchStart } from "./start.ts";
import { startBenchStack, type BenchStack } from "./stack.ts";
import { benchStreams } from "./streams.ts";
import { benchTwoWorkers } from "./two-workers.ts";
import { benchWidget } from "./widget.ts";

const concurrency = 50;
const perSecond = 50;
const slots = 600;

/** A case of the bench. `run` gets its own stack and returns the rows of a table. */
interface BenchCase {
  about: string;
  /**
   * @param scale 1, or 0.1 for a small run
   * @param events number of events where the command line has one
   */
  run: (stack: BenchStack, scale: number, events: number | null) => Promise<string[][]>;
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
  idle: {
    about:
      "CPU and statements of an installation at rest, and of one event a second, in both modes",
    run: benchIdle,
  },
  "hung-hosts": { about: "do 20 hosts that hang delay one that does not?", run: benchHungHosts },
  "fan-out": { about: "does one delivery of five cost more than one alone?", run: benchFanOut },
  "two-workers": { about: "do two worker processes hinder each other?", run: benchTwoWorkers },
  backlog: {
    about: "does a receiver that was away get all it missed, once? (--events)",
    run: benchBacklog,
  },
  soak: {
    about: "does a worker's heap grow over 200,000 events, in either mode? (--events)",
    run: benchSoak,
  },
  start: {
    about: "start and memory of API and worker, from their sources and from dist/",
    run: benchStart,
  },
  agent: {
    about: "overhead and rate of the agent's turns; time from a pause to the closed connection",
    run: benchAgent,
  },
  channels: {
    about: "Meta's webhooks: 1,000 posts/s, from a webhook to its event, statuses drained",
    run: benchChannels,
  },
  calendars: {
    about: "Google: a first reading of 10,000 events, and the time from an edit to the Dashboard",
    run: benchCalendars,
  },
  streams: {
    about: "1,000 streams of Dashboards: idle cost, and the time from a request to its change",
    run: benchStreams,
  },
  widget: {
    about: "10,000 streams of visitors, 50 messages/s, stalled readers, and a restart of the API",
    run: benchWidget,
  },
  imports: {
    about: "rows/s of 100,000 contacts, idle, beside API calls and undone; of chats (--events)",
    run: benchImports,
  },
  purge: {
    about: "does deleting 1,000,000 old deliveries delay new ones? (--events)",
    run: benchPurge,
  },
};

/** Cases that need neither MySQL nor Temporal. */
const pureCases: Record<string, { about: string; run: (scale: number) => Promise<string[][]> }> = {
  "agent-basic": {
    about: "CPU of the built-in agent per step, hostile texts too; search of 5,000 items",
    run: benchAgentBasic,
  },
  media: {
    about: "memory of a worker for a file of 100 MiB, from Meta and to Meta",
    run: benchMedia,
  },
};

const help = `npm run bench [-- [case…] [--small] [--events n] [--profile]]

Measures this machine, each case on fresh data below .local/ with a durable MySQL and a Temporal of its
own; one to ten minutes each. --small is a tenth of it, to see that it runs. Without a case: base.
--profile also tells where the CPU of API and worker went, and keeps their profiles below .local/.

${Object.entries({ ...cases, ...pureCases })
  .map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`)
  .join("\n")}
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean", default: false },
      small: { type: "boolean", default: false },
      events: { type: "string" },
      profile: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const events = values.events === undefined ? null : Number(values.events);
  for (const name of positionals.length === 0 ? ["base"] : positionals) {
    const pure = pureCases[name];
    if (pure !== undefined) {
      printTable(await pure.run(values.small ? 0.1 : 1));
      continue;
    }
    const found = cases[name];
    if (found === undefined) throw new Error(`There is no case ${name}.\n\n${help}`);
    const profiles = values.profile ? mkdtempSync(localPath("profiles-")) : null;
    const stack = await startBenchStack(profiles);
    try {
      printTable(await found.run(stack, values.small ? 0.1 : 1, events));
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
  const latencies = await measureLatency(stack, api, {
    perSecond,
    seconds,
    firstIndex: 300_000,
  });
  await api.close();
  const ms = (p: number) => inMs(percentile(latencies, p));
  return [
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
  ];
}

/**
 * The worker starts with all deliveries waiting. The time runs from the first to the last arrival.
 */
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

exitOnSignal();
await main();
