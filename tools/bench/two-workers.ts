import { describeCosts, readCosts } from "./costs.ts";
import { ratioOf } from "./print.ts";
import { drain, startReceiver, subscribe } from "./queued-events.ts";
import type { BenchStack } from "./stack.ts";

const turns = 5;

/** Deliveries per second, and the costs of each. */
interface Turn {
  rate: number;
  costs: string;
}

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
  const measure = async (): Promise<Turn> => {
    const before = await readCosts(stack);
    const rate = await run(total);
    return { rate, costs: describeCosts(before, await readCosts(stack), total) };
  };
  const ofOne: Turn[] = [];
  const ofTwo: Turn[] = [];
  let older = await stack.startWorker();
  await run(total * 2);
  // In turns, because the speed of the machine changes from minute to minute. The older worker is
  // stopped, so that every measured process has run for a while. V8 compiles in the first minute of
  // a process, and that cost must not hide if two workers hinder each other.
  for (let turn = 0; turn < turns; turn += 1) {
    ofOne.push(await measure());
    const younger = await stack.startWorker();
    await run(total * 5);
    ofTwo.push(await measure());
    await older.stop(15_000);
    older = younger;
  }
  const [one, two] = [middleOf(ofOne), middleOf(ofTwo)];
  return [
    ["deliveries, one worker process", rateOf(one, ofOne)],
    ["each costs, with its event", one.costs],
    ["deliveries, two worker processes", rateOf(two, ofTwo), ratioOf(two.rate, one.rate)],
    ["each costs, with its event", two.costs],
  ];
}

function rateOf(middle: Turn, all: readonly Turn[]): string {
  const rates = all.map(({ rate }) => rate);
  return `${middle.rate.toFixed(0)}/s (${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)})`;
}

/** The turn with the median rate. */
function middleOf(all: readonly Turn[]): Turn {
  const middle = all.toSorted((a, b) => a.rate - b.rate)[Math.floor(all.length / 2)];
  if (middle === undefined) throw new Error("Nothing was measured.");
  return middle;
}
