import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { ensureServer } from "../../dev/build/server-build.ts";
import { freePort, startChild, type Child } from "../../dev/child.ts";
import { localPath, partLog, repositoryRoot } from "../../dev/local.ts";
import { cpuMsOf } from "./costs.ts";
import { percentile, runAtRate } from "./load.ts";
import { inMs } from "./print.ts";
import type { BenchStack } from "./stack.ts";
import { origins, rssMbOf, untilReady } from "./start.ts";
import { createVisitors, follow, type Arrivals, type Visitor } from "./visitors.ts";

const streamCount = 10_000;
const stalledShare = 0.01;
const perSecond = 50;
const perSecondInRestart = 5;
/** Streams that are opened at once: a queue of connections holds 511. */
const openAtOnce = 200;
/**
 * V8 collects once what the opening left, some 25 to 50 s after it. That takes a second of CPU and
 * does not come again, so it is no part of the idle time.
 */
const collectMs = 60_000;

/** Everything that the phases of the bench share. */
interface Bench {
  stack: BenchStack;
  api: ServedApi;
  visitors: Visitor[];
  arrivals: Arrivals;
  /** Calls the other API, which stays up during the restart. */
  pool: Pool;
  sent: number;
}

/** Visitors' streams in one API process: memory, latency, loop delay, and a restart. */
export async function benchWidget(stack: BenchStack, scale: number): Promise<string[][]> {
  await ensureServer(partLog("server"));
  await stack.startWorker();
  const visitors = await createVisitors(stack, Math.round(streamCount * scale));
  const api = await serveApi(stack);
  const pool = new Pool(stack.apiUrl, { connections: 32, pipelining: 1 });
  const bench: Bench = { stack, api, visitors, arrivals: new Map(), pool, sent: 0 };
  let isOver = false;
  stack.onStop(async () => {
    isOver = true;
    for (const { reader } of visitors) reader?.socket.destroy();
    await api.stop();
    await pool.close();
  });
  const seconds = Math.max(5, Math.round(20 * scale));
  const opened = await openAll(bench, () => isOver);
  const collecting = await measureCpu(api, collectMs);
  const idle = await measureCpu(api, 20_000);
  const live = await measureMessages(bench, seconds);
  const back = await measureRestart(bench, seconds);
  const lost = bench.sent - bench.arrivals.size;
  if (lost > 0) throw new Error(`${lost} of ${bench.sent} messages did not arrive.`);
  return [
    [`${visitors.length} streams of visitors: all open after`, inMs(opened.ms)],
    ["memory of each (goal: 25 KB)", `${opened.kbEach.toFixed(1)} KB`],
    ["memory of the process (goal: 350 MB)", `${opened.rssMb.toFixed(0)} MB`],
    [
      `the ${collectMs / 1_000} s after that, with one collection: CPU`,
      `${collecting.toFixed(1)} %`,
    ],
    ["idle CPU with beats (goal: 3 % of a core)", `${idle.toFixed(1)} %`],
    [`agent to panel at ${perSecond}/s: p50 (goal: 250 ms)`, inMs(percentile(live.ms, 0.5))],
    ["p99 (goal: 500 ms)", inMs(percentile(live.ms, 0.99))],
    ["of it from the sending by the worker: p50", inMs(percentile(live.fromSendingMs, 0.5))],
    ["p99", inMs(percentile(live.fromSendingMs, 0.99))],
    ["loop delay meanwhile: p99 (goal: 50 ms)", inMs(live.loopMs)],
    ["all back after a restart (goal: 30 s)", `${(back / 1_000).toFixed(1)} s`],
    ["messages lost", String(lost), `of ${bench.sent}`],
  ];
}

/** An API process of the bench, which can be restarted at its address. */
interface ServedApi {
  url: string;
  pid: () => number;
  /** 99th percentile of the loop's delay in ms, since the last call. */
  readLoopMs: () => Promise<number>;
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

async function serveApi(stack: BenchStack): Promise<ServedApi> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const env = { ...stack.env, PORT: String(port), METRICS_PORT: String(metricsPort) };
  const url = `http://127.0.0.1:${port}`;
  const start = async (): Promise<Child> => {
    const child = startChild({
      name: "api",
      command: process.execPath,
      args: origins.dist("api"),
      cwd: repositoryRoot,
      env,
      logFile: localPath("log", "bench-widget-api.log"),
    });
    await untilReady(`${url}/readyz`, child);
    return child;
  };
  let child = await start();
  return {
    url,
    pid: () => child.pid,
    async readLoopMs() {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return Number(/^nodejs_eventloop_lag_p99_seconds ([\d.e+-]+)$/m.exec(text)?.[1]) * 1_000;
    },
    stop: async () => await child.stop(15_000),
    async start() {
      child = await start();
    },
  };
}

async function openAll({ api, visitors, arrivals }: Bench, isOver: () => boolean) {
  const before = rssMbOf({ pid: api.pid() });
  const startedAt = performance.now();
  for (let from = 0; from < visitors.length; from += openAtOnce) {
    const group = visitors.slice(from, from + openAtOnce);
    for (const visitor of group) {
      follow(visitor, { url: api.url, arrivals, isOver, onGreeted: () => undefined });
    }
    await until(() => group.every(({ isGreeted }) => isGreeted), 60_000);
  }
  const ms = performance.now() - startedAt;
  await sleep(2_000);
  const rssMb = rssMbOf({ pid: api.pid() });
  return { ms, rssMb, kbEach: ((rssMb - before) * 1_024) / visitors.length };
}

/** @returns CPU of a process in percent of a core */
async function measureCpu(api: ServedApi, ms: number): Promise<number> {
  const before = cpuMsOf(api.pid());
  await sleep(ms);
  return ((cpuMsOf(api.pid()) - before) * 100) / ms;
}

/** Messages of the company to visitors in turns. Some readers take nothing meanwhile. */
async function measureMessages(bench: Bench, seconds: number) {
  const { api, visitors, arrivals } = bench;
  const stalled = visitors.slice(0, Math.round(visitors.length * stalledShare));
  for (const { reader } of stalled) reader?.socket.pause();
  await sendAtRate(bench, 2, stalled.length);
  await api.readLoopMs();
  const dueAt = await sendAtRate(bench, seconds, stalled.length);
  await until(() => [...dueAt.keys()].every((number) => arrivals.has(number)), 60_000);
  const loopMs = await api.readLoopMs();
  for (const visitor of stalled) await sendMessage(bench, visitor);
  for (const { reader } of stalled) reader?.socket.resume();
  await until(() => arrivals.size === bench.sent, 60_000);
  const ms = [...dueAt].map(([number, due]) => (arrivals.get(number) ?? due) - due);
  return { loopMs, ms, fromSendingMs: await measureFromSending(bench, [...dueAt.keys()]) };
}

/** Milliseconds from the transaction that made a message `sent`, by the worker, to its arrival. */
async function measureFromSending({ stack, arrivals }: Bench, numbers: number[]) {
  const rows = await stack.dataSource.query<{ content: string; sentAt: Date }[]>(
    "SELECT content, sent_at AS sentAt FROM messages WHERE content LIKE 'bench-%' AND sent_at IS NOT NULL",
  );
  const sentAt = new Map(rows.map((row) => [row.content, row.sentAt.getTime()]));
  return numbers.flatMap((number) => {
    const [sent, arrived] = [sentAt.get(`bench-${number}`), arrivals.get(number)];
    if (sent === undefined || arrived === undefined) return [];
    return [performance.timeOrigin + arrived - sent];
  });
}

/** @returns the moment when each message was due, by its number */
async function sendAtRate(
  bench: Bench,
  seconds: number,
  skipped: number,
  rate = perSecond,
): Promise<Map<number, number>> {
  const dueAt = new Map<number, number>();
  const readers = bench.visitors.slice(skipped);
  await runAtRate(rate, seconds, async (index, due) => {
    // A step without a common divisor spreads the messages over all visitors.
    const visitor = readers[(index * 7_919) % readers.length];
    if (visitor !== undefined) dueAt.set(await sendMessage(bench, visitor), due);
  });
  return dueAt;
}

/** @returns the number of the message */
async function sendMessage(bench: Bench, { conversationId }: Visitor): Promise<number> {
  const number = (bench.sent += 1);
  const { statusCode, body } = await bench.pool.request({
    method: "POST",
    path: `/api/v1/conversations/${conversationId}/messages`,
    headers: {
      authorization: `Bearer ${bench.stack.apiKey}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ type: "text", content: `bench-${number}` }),
  });
  const answer = await body.text();
  if (statusCode !== 201) throw new Error(`The API answered ${statusCode}: ${answer}`);
  return number;
}

/** Restarts the API while messages go on. @returns ms from its start to the last visitor's return */
async function measureRestart(bench: Bench, seconds: number): Promise<number> {
  const { api, visitors, arrivals } = bench;
  const sending = sendAtRate(bench, seconds, 0, perSecondInRestart);
  await api.stop();
  const startedAt = performance.now();
  await api.start();
  await until(() => visitors.every(({ isGreeted }) => isGreeted), 120_000);
  const ms = performance.now() - startedAt;
  await sending;
  await until(() => arrivals.size === bench.sent, 60_000);
  return ms;
}

async function until(isTrue: () => boolean, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error("The streams did not get there in time.");
    await sleep(20);
  }
}
