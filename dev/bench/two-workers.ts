import { describeCosts, readCosts } from "./costs.ts";
import { median } from "./load.ts";
import { ratioOf } from "./print.ts";
import { drain, startReceiver, subscribe } from "./queued-events.ts";
import type { BenchStack } from "./stack.ts";

const turns = 3;

/** Deliveries per second of one worker process, and of two on the same machine. */
export async function benchTwoWorkers(
  stack: BenchStack,
  scale: number,
  events: number | null,
): Promise<string[][]> {
  const total = events ?? Math.round(1_500 * scale);
  const receiver = await startReceiver(stack);
  await subscribe(stack, receiver.url, "appointment.created");
  const run = (count: number) => drain(stack, "appointment.created", [receiver], count);
  const rates = { one: [] as number[], two: [] as number[] };
  const costs = { one: "", two: "" };
  const measure = async (workers: "one" | "two") => {
    const before = await readCosts(stack);
    rates[workers].push(await run(total));
    costs[workers] = describeCosts(before, await readCosts(stack), total);
  };
  let older = await stack.startWorker();
  await run(total * 2);
  // In turns, since the machine is not the same from one minute to the next. The older one goes, so that
  // each measurement is of processes that have run for a while: what is asked is whether two hinder each
  // other, not what V8 spends on compiling in the first half minute of a process.
  for (let turn = 0; turn < turns; turn += 1) {
    await measure("one");
    const younger = await stack.startWorker();
    await run(total * 3);
    await measure("two");
    await older.stop(15_000);
    older = younger;
  }
  const [one, two] = [median(rates.one), median(rates.two)];
  return [
    ["deliveries, one worker process", `${one.toFixed(0)}/s`],
    ["each costs, with its event", costs.one],
    ["deliveries, two worker processes", `${two.toFixed(0)}/s`, ratioOf(two, one)],
    ["each costs, with its event", costs.two],
  ];
}
