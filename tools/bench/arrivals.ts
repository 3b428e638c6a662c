import { setTimeout as sleep } from "node:timers/promises";
import type { Post } from "./stack.ts";

/** Waits until `expected` events have arrived. @throws Error after three minutes */
export async function untilArrived(
  arrivals: ReadonlyMap<string, unknown>,
  expected: number,
): Promise<void> {
  const end = performance.now() + 180_000;
  while (arrivals.size < expected) {
    if (performance.now() > end) {
      throw new Error(`Only ${arrivals.size} of ${expected} events arrived within 180 s.`);
    }
    await sleep(20);
  }
}

/**
 * Time of the first arrival of each phone's event, in the order of the phones.
 * @throws Error where one did not arrive, whatever else did. No figure may leave it out.
 */
export function firstArrivals(posts: readonly Post[], phones: readonly string[]): number[] {
  const byPhone = new Map<string, number>();
  for (const { phone, at } of posts) if (!byPhone.has(phone)) byPhone.set(phone, at);
  const missing = phones.filter((phone) => !byPhone.has(phone));
  if (missing.length > 0) {
    throw new Error(
      `${missing.length} of ${phones.length} events did not arrive, such as ${missing[0]}'s.`,
    );
  }
  return phones.map((phone) => byPhone.get(phone) ?? Number.NaN);
}
