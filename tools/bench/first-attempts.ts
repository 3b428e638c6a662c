import { setTimeout as sleep } from "node:timers/promises";
import mysql from "mysql2/promise";
import { firstArrivals, untilArrived } from "./arrivals.ts";
import { createCaller, phoneOf, type Caller } from "./caller.ts";
import { describeCosts, readCosts } from "./costs.ts";
import { measureRate, percentile, runAtRate } from "./load.ts";
import type { BenchStack } from "./stack.ts";

const concurrency = 50;
const warmUpSeconds = 5;
type Mode = "workflow" | "adaptive";

/** New contacts, so that each one causes an event and a delivery. */
interface Range {
  first: number;
  total: number;
}

let nextIndex = 1_000_000;

/**
 * Measures bursts of events from 50 callers at once, and a backlog that waits for the worker. Both
 * run in both modes. Figures: events accepted and delivered per second, and their costs.
 */
export async function benchBursts(stack: BenchStack, scale: number): Promise<string[][]> {
  const api = createCaller(stack, concurrency);
  const total = Math.round(3_000 * scale);
  const rows: string[][] = [];
  for (const mode of ["workflow", "adaptive"] as const) {
    const worker = await stack.startWorker({ FIRST_ATTEMPT: mode });
    await runBurst(stack, api, takeRange(Math.ceil(total / 10)));
    rows.push([`${mode}: a burst of ${total}`, ...(await measureBurst(stack, api, total))]);
    await worker.stop(15_000);
    rows.push([
      `${mode}: a backlog of ${total}`,
      ...(await measureBacklog(stack, api, mode, total)),
    ]);
  }
  await api.close();
  return rows;
}

async function measureBurst(stack: BenchStack, api: Caller, total: number): Promise<string[]> {
  const range = takeRange(total);
  const before = await readCosts(stack);
  const { accepted, delivered } = await runBurst(stack, api, range);
  const costs = describeCosts(before, await readCosts(stack), total);
  const rates = `accepted ${accepted.toFixed(0)}/s, delivered ${delivered.toFixed(0)}/s`;
  return [rates, `${await judge(stack, range)}; ${costs}`];
}

async function runBurst(stack: BenchStack, api: Caller, range: Range) {
  const { first, total } = range;
  const started = performance.now();
  clear(stack);
  const accepted = await measureRate(total, concurrency, (index) => api.upsert(first + index));
  const arrivals = await readArrivals(stack, range);
  const delivered = total / ((Math.max(...arrivals) - started) / 1_000);
  return { accepted, delivered };
}

/** Measures from the first arrival to the last, so that the start of the worker does not count. */
async function measureBacklog(
  stack: BenchStack,
  api: Caller,
  mode: Mode,
  total: number,
): Promise<string[]> {
  clear(stack);
  const range = takeRange(total);
  const { first } = range;
  await measureRate(total, concurrency, (index) => api.upsert(first + index));
  const before = await readCosts(stack);
  const worker = await stack.startWorker({ FIRST_ATTEMPT: mode });
  const arrivals = await readArrivals(stack, range);
  const costs = describeCosts(before, await readCosts(stack), total);
  const spanMs = Math.max(...arrivals) - Math.min(...arrivals);
  const line = [
    `delivered ${((total - 1) / (spanMs / 1_000)).toFixed(0)}/s`,
    `${await judge(stack, range)}; ${costs}`,
  ];
  await worker.stop(15_000);
  return line;
}

/**
 * Measures events at fixed rates. Each request starts when it is due, whether or not earlier ones
 * have ended. The latency runs from that moment to the arrival. Five seconds at the same rate come
 * first and do not count.
 */
export async function benchRates(stack: BenchStack, scale: number): Promise<string[][]> {
  const api = createCaller(stack, 200);
  const seconds = Math.max(2, Math.round(15 * scale));
  const rows: string[][] = [];
  const plan: [Mode, number[]][] = [
    ["workflow", [50]],
    ["adaptive", [50, 100, 200, 400]],
  ];
  for (const [mode, rates] of plan) {
    const worker = await stack.startWorker({ FIRST_ATTEMPT: mode });
    // A new process still compiles its code, which would distort the first rate.
    await runBurst(stack, api, takeRange(Math.round(1_000 * scale)));
    for (const rate of rates) {
      rows.push([`${mode}: ${rate}/s`, ...(await measureAtRate(stack, api, rate, seconds))]);
    }
    await worker.stop(15_000);
  }
  await api.close();
  return rows;
}

async function measureAtRate(
  stack: BenchStack,
  api: Caller,
  rate: number,
  seconds: number,
): Promise<string[]> {
  const before = await readCosts(stack);
  const { range, latencies } = await measureLatencies(stack, api, rate, seconds);
  const costs = describeCosts(before, await readCosts(stack), range.total);
  const ms = (p: number) => percentile(latencies, p).toFixed(0);
  return [
    `p50 ${ms(0.5)}, p95 ${ms(0.95)}, p99 ${ms(0.99)} ms`,
    `${await judge(stack, range)}; ${costs}`,
  ];
}

/** Milliseconds from the moment at which each event was due to its arrival, at a fixed rate. */
export async function measureLatencies(
  stack: BenchStack,
  api: Caller,
  rate: number,
  seconds: number,
): Promise<{ range: Range; latencies: number[] }> {
  clear(stack);
  const warmUp = warmUpSeconds * rate;
  const range = takeRange(warmUp + rate * seconds);
  const dueAt: number[] = [];
  await runAtRate(rate, warmUpSeconds + seconds, async (index, due) => {
    dueAt[index] = due;
    await api.upsert(range.first + index);
  });
  const arrivals = await readArrivals(stack, range);
  const latencies = arrivals.map((at, index) => at - (dueAt[index] ?? Number.NaN)).slice(warmUp);
  return { range, latencies };
}

function takeRange(total: number): Range {
  const first = nextIndex;
  nextIndex += total;
  return { first, total };
}

function clear({ arrivals, posts }: BenchStack): void {
  arrivals.clear();
  posts.length = 0;
}

/**
 * Time of the first arrival of each contact's event, in the order of the contacts.
 * @throws Error where one did not arrive
 */
async function readArrivals({ posts, arrivals }: BenchStack, range: Range): Promise<number[]> {
  const { first, total } = range;
  await untilArrived(arrivals, total);
  return firstArrivals(
    posts,
    Array.from({ length: total }, (_, index) => phoneOf(first + index)),
  );
}

/**
 * Text about losses and duplicates. Lost: accepted events whose rows are not `delivered`, although
 * all have arrived by now. Twice: posts beyond the first of an event.
 */
async function judge(
  { databaseUrl, posts, arrivals }: BenchStack,
  { first, total }: Range,
): Promise<string> {
  const connection = await mysql.createConnection(databaseUrl);
  let lost = Number.NaN;
  let byRelay = 0;
  for (let tries = 0; tries < 100 && lost !== 0; tries += 1) {
    if (tries > 0) await sleep(100);
    const [[row]] = await connection.query<mysql.RowDataPacket[]>(
      `SELECT COUNT(CASE WHEN d.state = 'delivered' THEN 1 END) AS delivered,
              COUNT(CASE WHEN d.via = 'relay' THEN 1 END) AS byRelay
         FROM contacts c JOIN events e ON e.contact_id = c.id JOIN deliveries d ON d.event_id = e.id
        WHERE c.phone BETWEEN ? AND ?`,
      [phoneOf(first), phoneOf(first + total - 1)],
    );
    lost = total - Number(row?.["delivered"]);
    byRelay = Number(row?.["byRelay"]);
  }
  await connection.end();
  const share = Math.round((100 * byRelay) / total);
  return `lost ${lost}, twice ${posts.length - arrivals.size}, ${share}% by the relay`;
}
