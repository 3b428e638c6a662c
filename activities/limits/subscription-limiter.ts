import { bookSlot, type SlotQueue } from "./slot-queue.ts";

const maxSubscriptions = 10_000;

/** A subscription, with the most attempts that it takes at once; null: as many as its host. */
export interface LimitedSubscription {
  id: number;
  maxConcurrency: number | null;
}

interface Use extends SlotQueue {
  maxConcurrency: number | null;
  inFlight: number;
  /** When all slots were last in use. */
  saturatedAt: number;
}

/**
 * Limits that subscriptions have of their own, for this process. Attempts of all subscriptions are
 * counted, because a subscription may get its limit while they are in flight.
 */
export interface SubscriptionLimiter {
  /** Takes the limit as it is now. */
  update: (subscription: LimitedSubscription) => void;
  /**
   * @returns the number of further attempts that may begin. Infinity without a limit. 1 where the
   * limit is not known yet: that attempt shows it.
   */
  available: (id: number | null) => number;
  /** @returns true where the limit was lowered below the attempts in flight */
  isExceeded: (subscription: LimitedSubscription) => boolean;
  occupy: (subscription: LimitedSubscription) => void;
  vacate: (id: number) => void;
  /** @returns milliseconds since all slots were last in use; Infinity without a limit */
  unsaturatedMs: (id: number | null) => number;
  /** @returns the wait for the next slot, as `bookSlot`; null where a slot is free */
  bookSlot: (id: number | null, slots: { meanHeldMs: number; from: number }) => number | null;
  /** The time of an attempt has changed by this factor, so the booked slots come sooner or later. */
  rescale: (id: number | null, factor: number) => void;
}

/** Creates the limiter of one process. */
export function createSubscriptionLimiter(now: () => number): SubscriptionLimiter {
  const uses = new Map<number, Use>();

  function update({ id, maxConcurrency }: LimitedSubscription): Use {
    const use = uses.get(id) ?? addUse(uses, id);
    use.maxConcurrency = maxConcurrency;
    return use;
  }

  function add(use: Use, count: number): void {
    if (isSaturated(use)) use.saturatedAt = now();
    use.inFlight += count;
  }

  function limited(id: number | null): Use | null {
    const use = id === null ? undefined : uses.get(id);
    return use === undefined || use.maxConcurrency === null ? null : use;
  }

  return {
    update: (subscription) => void update(subscription),
    available(id) {
      if (id === null) return Number.POSITIVE_INFINITY;
      const use = uses.get(id);
      return use === undefined ? 1 : availableOf(use);
    },
    isExceeded(subscription) {
      const { maxConcurrency, inFlight } = update(subscription);
      return maxConcurrency !== null && inFlight > maxConcurrency;
    },
    occupy: (subscription) => add(update(subscription), 1),
    vacate(id) {
      const use = uses.get(id);
      if (use === undefined) return;
      add(use, -1);
      if (use.inFlight === 0 && use.maxConcurrency === null) uses.delete(id);
    },
    unsaturatedMs(id) {
      const use = limited(id);
      if (use === null) return Number.POSITIVE_INFINITY;
      return isSaturated(use) ? 0 : now() - use.saturatedAt;
    },
    bookSlot(id, { meanHeldMs, from }) {
      const use = limited(id);
      if (use === null || use.maxConcurrency === null || !isSaturated(use)) return null;
      const intervalMs = Math.max(1, meanHeldMs) / use.maxConcurrency;
      return bookSlot(use, { intervalMs, from }, now());
    },
    rescale(id, factor) {
      const use = limited(id);
      if (use === null) return;
      use.bookedUntil = now() + Math.max(0, use.bookedUntil - now()) * factor;
    },
  };
}

function addUse(uses: Map<number, Use>, id: number): Use {
  if (uses.size >= maxSubscriptions) forgetIdle(uses);
  const times = { saturatedAt: Number.NEGATIVE_INFINITY, bookedUntil: 0 };
  const use = { maxConcurrency: null, inFlight: 0, ...times };
  uses.set(id, use);
  return use;
}

function availableOf({ maxConcurrency, inFlight }: Use): number {
  if (maxConcurrency === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, maxConcurrency - inFlight);
}

function isSaturated(use: Use): boolean {
  return availableOf(use) === 0;
}

/** Drops subscriptions without attempts, for a bounded map. */
function forgetIdle(uses: Map<number, Use>): void {
  for (const [id, { inFlight }] of uses) if (inFlight === 0) uses.delete(id);
}
