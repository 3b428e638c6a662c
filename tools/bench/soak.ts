import { readFile, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "../../dev/child.ts";
import { localPath } from "../../dev/local.ts";
import { drain, startReceiver, subscribe, type BenchReceiver } from "./queued-events.ts";
import type { BenchStack } from "./stack.ts";

const allEvents = 200_000;
/**
 * Size of a backlog. A worker delivers it in seconds, so the backlog itself does not show in the
 * heap.
 */
const eventsAtOnce = 1_000;
/** The heap is read after each part. A multiple of 4, because the first reading is at a quarter. */
const parts = 8;
const type = "conversation.closed";
const mostGrowth = 5_000_000;
/** Pause in ms after the last delivery, in which rows are deleted and workflows leave the cache. */
const calmMs = 3_000;

/**
 * Delivers many events in both modes. It compares the worker's heap, after a collection, at a
 * quarter of the events and at the end.
 * @throws Error where the heap has grown by 5 MB or more
 */
export async function benchSoak(
  stack: BenchStack,
  scale: number,
  events: number | null,
): Promise<string[][]> {
  const total = events ?? Math.round(allEvents * scale);
  const receiver = await startReceiver(stack);
  await subscribe(stack, receiver.url, type);
  const rows: string[][] = [];
  for (const mode of ["adaptive", "workflow"] as const) {
    rows.push(await soak(stack, receiver, mode, total));
  }
  return rows;
}

async function soak(
  stack: BenchStack,
  receiver: BenchReceiver,
  mode: "workflow" | "adaptive",
  total: number,
): Promise<string[]> {
  const heapFile = localPath(`soak-${process.pid}-${mode}.json`);
  const settings = { FIRST_ATTEMPT: mode, HEAP_FILE: heapFile };
  const worker = await stack.startWorker(settings, ["./tools/bench/report-heap.mjs"]);
  const heaps: number[] = [];
  for (let part = 1; part <= parts; part += 1) {
    await deliver(stack, receiver, Math.ceil(total / parts));
    const heap = await heapOf(worker, heapFile);
    heaps.push(heap);
    console.log(`${mode}: ${Math.ceil(total / parts) * part} events, heap ${inMb(heap)}`);
  }
  await worker.stop(15_000);
  const [before = 0, after = 0] = [heaps[parts / 4 - 1], heaps.at(-1)];
  const growth = after - before;
  const counts = `after ${Math.ceil(total / 4)} and ${total} events`;
  if (growth >= mostGrowth) {
    const words = `${counts}: ${inMb(before)}, ${inMb(after)}`;
    throw new Error(`The worker's heap has grown by ${inMb(growth)} in mode ${mode}, ${words}.`);
  }
  return [`${mode}: heap ${counts}`, `${inMb(before)}, ${inMb(after)}`];
}

async function deliver(stack: BenchStack, receiver: BenchReceiver, events: number): Promise<void> {
  for (let left = events; left > 0; left -= eventsAtOnce) {
    await drain(stack, type, [receiver], Math.min(left, eventsAtOnce));
  }
}

/** Bytes in use after a collection, which the worker itself measures on SIGUSR2. */
async function heapOf({ pid }: Child, heapFile: string): Promise<number> {
  await sleep(calmMs);
  process.kill(pid, "SIGUSR2");
  for (let tries = 0; tries < 100; tries += 1) {
    await sleep(100);
    const text = await readFile(heapFile, "utf8").catch(() => "");
    if (text === "") continue;
    await rm(heapFile);
    return Number(text);
  }
  throw new Error("The worker did not tell of its heap within 10 s.");
}

function inMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
