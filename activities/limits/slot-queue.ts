const minDelayMs = 250;
const maxDelayMs = 300_000;

/** Slots that attempts wait for, in turn. */
export interface SlotQueue {
  /** Slots are booked until then. */
  bookedUntil: number;
}

/**
 * Books the next slot.
 * @param intervalMs expected time between two free slots
 * @param from no slot is free before
 * @returns the wait for the slot, 250 ms to 5 min
 */
export function bookSlot(
  queue: SlotQueue,
  { intervalMs, from }: { intervalMs: number; from: number },
  at: number,
): number {
  const free = Math.max(at, from, queue.bookedUntil) + intervalMs;
  queue.bookedUntil = Math.min(free, at + maxDelayMs);
  return Math.round(Math.max(queue.bookedUntil - at, minDelayMs));
}
