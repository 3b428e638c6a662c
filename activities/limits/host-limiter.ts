import { createStartLimiter } from "./start-limiter.ts";

const initialLimit = 1;
const minLimit = 2;
/** Expected limit of a host without failures, for the booking of slots. */
const expectedLimit = 10;
const maxLimit = 50;
/** One outage halves a limit once, even if it ends many attempts. */
const halveEveryMs = 1_000;
/** From this share on, the receiver uses the time of a slot, not the work before the POST. */
const receiverShareThreshold = 0.8;
const minDelayMs = 250;
const maxDelayMs = 300_000;
const maxHosts = 10_000;
/** A few polls of the relay. Each poll with a backlog marks it again. */
const backlogMemoryMs = 400;

/** Answer of a host to an attempt. Null where the attempt did not reach the POST. */
export type HostAnswer = {
  reached: boolean;
  durationMs: number;
  /** Address of the connection. Null where no connection was made. */
  ip: string | null;
} | null;

/**
 * Adaptive concurrency limiter (AIMD) per host of a receiver, for this process. It bounds first attempts
 * and retries alike, so a host that hangs holds a few slots and delays no other host.
 *
 * - The limit begins at 1, and is 2 once the first attempt has ended, answered or not.
 * - Each answer adds 1, and after the first failure 1 per limit, up to 50.
 * - An attempt without an answer halves the limit, at most once a second, down to 2.
 * - At the minimum an unanswered attempt starts a cooldown of random length, up to the time of the
 *   attempt. So many hosts that hang do not end and begin in the same moments.
 * - Names that lead to one address and port share 50 slots. The address comes from answers, so the
 *   limiter needs no DNS lookup.
 */
export interface HostLimiter {
  /** @returns the number of further attempts toward a host that may begin */
  available: (host: string) => number;
  /**
   * @returns the number of further runs that may start, toward all hosts together. Few runs may
   * wait for their first attempt. The workflow thread takes in new runs first, so with many runs no
   * run would proceed in a burst.
   */
  startsAvailable: () => number;
  /** Records a backlog: deliveries are due for long, and no more runs may start. */
  markBacklog: () => void;
  /** @returns true shortly after a backlog. An attempt may then wait a little for its batch. */
  isBacklogged: () => boolean;
  /**
   * @returns milliseconds since all slots of the host were last in use. Infinity where the receiver uses
   * little of the time of its slots.
   */
  unsaturatedMs: (host: string) => number;
  /** Reserves a slot for a run that is about to start here, perhaps once more. */
  reserve: (run: string, host: string) => void;
  /** The run that started here reached its first attempt. */
  recordStarted: (run: string) => void;
  /** Takes the reserved slot of the run, or a free one. @returns false where none is free */
  acquire: (run: string, host: string) => boolean;
  /** Gives the slot back after the attempt, or where no attempt is made here. */
  release: (run: string, answer: HostAnswer) => void;
  /** @returns milliseconds until a slot may be free. Each call books one slot. */
  retryDelayMs: (host: string) => number;
}

/** An address and port, shared by names. */
interface Address {
  inFlight: number;
}

interface Host {
  /** Address of the last answer. Null before the first answer. */
  address: Address | null;
  limit: number;
  /** The host has answered every attempt so far. */
  healthy: boolean;
  inFlight: number;
  /** When all slots were last in use. */
  saturatedAt: number;
  /** Running mean of the share of a slot's time that the receiver uses. */
  receiverShare: number;
  halvedAt: number;
  /** End of the cooldown. No attempt begins before. */
  cooldownUntil: number;
  /**
   * Running mean of the time for which an attempt holds its slot: the POST and the transaction before
   * it.
   */
  meanHeldMs: number;
  /** Slots are booked until then. */
  bookedUntil: number;
}

/** A run that holds a slot. */
interface SlotHolder {
  name: string;
  /** The slot also counts for this address. The host may lead elsewhere by now. */
  address: Address | null;
  since: number;
}

interface ReleasedSlot {
  name: string;
  host: Host;
  heldMs: number;
}

/** Key of a run in the limiter. */
export function runKey({ deliveryId, run }: { deliveryId: number; run: number }): string {
  return `${deliveryId}:${run}`;
}

/** Creates the limiter of one process. */
export function createHostLimiter(
  now = () => Date.now(),
  random = () => Math.random(),
): HostLimiter {
  const hosts = new Map<string, Host>();
  // An attempt releases its slot at its end. A run that never begins is dropped after 15 s.
  const holders = new Map<string, SlotHolder>();
  const addresses = new Map<string, Address>();
  const waiting = createStartLimiter(now);
  let backlogAt = 0;

  const hostOf = (name: string): Host => hosts.get(name) ?? addHost(hosts, name);

  function occupy(run: string, name: string): void {
    const host = hostOf(name);
    holders.set(run, { name, address: host.address, since: now() });
    addInFlight(host, host.address, 1, now());
  }

  function vacate(run: string): ReleasedSlot | null {
    waiting.drop(run);
    const holder = holders.get(run);
    if (holder === undefined) return null;
    holders.delete(run);
    return returnSlot(hostOf(holder.name), holder, now());
  }

  function dropExpired(): void {
    for (const run of waiting.takeExpired()) vacate(run);
  }

  function available(name: string): number {
    dropExpired();
    return availableOf(hostOf(name), now());
  }

  return {
    available,
    startsAvailable() {
      dropExpired();
      return waiting.available();
    },
    markBacklog: () => void (backlogAt = now()),
    isBacklogged: () => now() - backlogAt < backlogMemoryMs,
    unsaturatedMs: (name) => unsaturatedMs(hostOf(name), now()),
    reserve(run, name) {
      // An abandoned start may still hold a slot, which would never come back.
      vacate(run);
      occupy(run, name);
      waiting.add(run);
    },
    recordStarted: (run) => waiting.recordBegun(run),
    acquire(run, name) {
      if (holders.get(run)?.name === name) return true;
      vacate(run);
      if (available(name) === 0) return false;
      occupy(run, name);
      return true;
    },
    release(run, answer) {
      const released = vacate(run);
      if (released === null || answer === null) return;
      adjustLimit(released, addresses, answer, now());
      if (!answer.reached) startCooldown(released.host, now() + random() * answer.durationMs);
    },
    retryDelayMs: (name) => bookSlot(hostOf(name), now()),
  };
}

function addHost(hosts: Map<string, Host>, name: string): Host {
  if (hosts.size >= maxHosts) forgetIdle(hosts);
  const times = {
    saturatedAt: 0,
    halvedAt: 0,
    cooldownUntil: 0,
    meanHeldMs: 200,
    bookedUntil: 0,
  };
  const load = { limit: initialLimit, healthy: true, inFlight: 0, receiverShare: 0 };
  const host = { address: null, ...load, ...times };
  hosts.set(name, host);
  return host;
}

function addressAt(addresses: Map<string, Address>, ip: string, name: string): Address {
  const key = `${ip} ${/:(\d+)$/.exec(name)?.[1] ?? ""}`;
  const known = addresses.get(key);
  if (known !== undefined) return known;
  if (addresses.size >= maxHosts) forgetIdle(addresses);
  const address = { inFlight: 0 };
  addresses.set(key, address);
  return address;
}

/** Books the next slot. @returns the wait for it, in milliseconds */
function bookSlot(host: Host, at: number): number {
  const free = Math.max(at, host.cooldownUntil, host.bookedUntil) + slotIntervalMs(host);
  host.bookedUntil = Math.min(free, at + maxDelayMs);
  return Math.round(Math.max(host.bookedUntil - at, minDelayMs));
}

/** Expected time between two free slots, in milliseconds. */
function slotIntervalMs({ healthy, limit, meanHeldMs }: Host): number {
  return Math.max(1, meanHeldMs) / (healthy ? Math.max(expectedLimit, limit) : limit);
}

function returnSlot(host: Host, { name, address, since }: SlotHolder, at: number): ReleasedSlot {
  addInFlight(host, address, -1, at);
  return { name, host, heldMs: at - since };
}

function addInFlight(host: Host, address: Address | null, count: number, at: number): void {
  if (isSaturated(host)) host.saturatedAt = at;
  host.inFlight += count;
  if (address !== null) address.inFlight += count;
}

function availableOf({ limit, inFlight, cooldownUntil, address }: Host, at: number): number {
  if (at < cooldownUntil) return 0;
  return Math.max(0, Math.min(Math.floor(limit) - inFlight, maxLimit - (address?.inFlight ?? 0)));
}

function isSaturated({ inFlight, limit, address }: Host): boolean {
  return inFlight >= Math.floor(limit) || (address !== null && address.inFlight >= maxLimit);
}

function unsaturatedMs(host: Host, at: number): number {
  if (host.receiverShare < receiverShareThreshold) return Number.POSITIVE_INFINITY;
  return isSaturated(host) ? 0 : at - host.saturatedAt;
}

function adjustLimit(
  { host, name, heldMs }: ReleasedSlot,
  addresses: Map<string, Address>,
  { reached, durationMs, ip }: Exclude<HostAnswer, null>,
  at: number,
): void {
  if (ip !== null) host.address = addressAt(addresses, ip, name);
  const before = slotIntervalMs(host);
  host.meanHeldMs += (Math.max(durationMs, heldMs) - host.meanHeldMs) / 10;
  host.receiverShare += (Math.min(1, durationMs / Math.max(1, heldMs)) - host.receiverShare) / 10;
  if (reached) host.limit = Math.min(maxLimit, host.limit + (host.healthy ? 1 : 1 / host.limit));
  else if (at - host.halvedAt >= halveEveryMs) {
    host.limit = Math.max(minLimit, host.limit / 2);
    host.healthy = false;
    host.halvedAt = at;
  }
  // The number of booked slots stays. A host that recovers serves them sooner.
  const leftMs = Math.max(0, host.bookedUntil - at);
  host.bookedUntil = at + (leftMs * slotIntervalMs(host)) / before;
}

function startCooldown(host: Host, until: number): void {
  if (host.limit <= minLimit) host.cooldownUntil = Math.max(host.cooldownUntil, until);
}

/** Drops hosts without attempts, for a bounded map. */
function forgetIdle(hosts: Map<string, Address>): void {
  for (const [name, { inFlight }] of hosts) if (inFlight === 0) hosts.delete(name);
}
