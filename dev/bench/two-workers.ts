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
  await stack.startWorker();
  await run(Math.ceil(total / 5));
  const rates = { one: [] as number[], two: [] as number[] };
  // In turns, since the machine is not the same from one minute to the next.
  for (let turn = 0; turn < turns; turn += 1) {
    rates.one.push(await run(total));
    const second = await stack.startWorker();
    rates.two.push(await run(total));
    await second.stop(15_000);
  }
  const [one, two] = [median(rates.one), median(rates.two)];
  return [
    ["deliveries, one worker process", `${one.toFixed(0)}/s`],
    ["deliveries, two worker processes", `${two.toFixed(0)}/s`, ratioOf(two, one)],
  ];
}
