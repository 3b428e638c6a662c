const minDelayMs = 250;
const maxDelayMs = 300_000;

/** Slots that attempts wait for, in turn. */
export interface Booking {
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
  booking: Booking,
  { intervalMs, from }: { intervalMs: number; from: number },
  at: number,
): number {
  const free = Math.max(at, from, booking.bookedUntil) + intervalMs;
  booking.bookedUntil = Math.min(free, at + maxDelayMs);
  return Math.round(Math.max(booking.bookedUntil - at, minDelayMs));
}
