import type { EventType } from "../../core/model/event-types.ts";
import { median } from "./load.ts";
import { ratioOf } from "./print.ts";
import { drain, startReceiver, subscribe, type BenchReceiver } from "./queued-events.ts";
import type { BenchStack } from "./stack.ts";

const wide = 5;

/** Deliveries per second for events with one subscription, and for events with five. */
export async function benchFanOut(stack: BenchStack, scale: number): Promise<string[][]> {
  const deliveries = Math.round(1_500 * scale);
  const one = await startReceivers(stack, "appointment.created", 1);
  const five = await startReceivers(stack, "appointment.cancelled", wide);
  await stack.startWorker();
  // In turns, because the speed of the machine changes from minute to minute.
  await drain(stack, "appointment.created", one, Math.ceil(deliveries / 5));
  const rates = { one: [] as number[], five: [] as number[] };
  for (let turn = 0; turn < 3; turn += 1) {
    rates.one.push(await drain(stack, "appointment.created", one, deliveries));
    rates.five.push(await drain(stack, "appointment.cancelled", five, deliveries));
  }
  const [alone, together] = [median(rates.one), median(rates.five)];
  return [
    ["deliveries of events that one subscription wants", `${alone.toFixed(0)}/s`],
    [
      `deliveries of events that ${wide} subscriptions want`,
      `${together.toFixed(0)}/s`,
      ratioOf(together, alone),
    ],
  ];
}

async function startReceivers(
  stack: BenchStack,
  type: EventType,
  count: number,
): Promise<BenchReceiver[]> {
  const receivers: BenchReceiver[] = [];
  for (let index = 0; index < count; index += 1) {
    const receiver = await startReceiver(stack);
    await subscribe(stack, receiver.url, type);
    receivers.push(receiver);
  }
  return receivers;
}
