import { createStartLimiter } from "./start-limiter.ts";

const initialLimit = 1;
const minLimit = 2;
/** What a host is hoped to bear soon that has not been in trouble. */
const expectedLimit = 10;
const maxLimit = 50;
/** One trouble halves a cap once, however many attempts it ends. */
const halveEveryMs = 1_000;
/** From this share of a slot's time on it is the receiver that takes it, and not what comes before a POST. */
const receiverShareThreshold = 0.8;
const minDelayMs = 250;
const maxDelayMs = 300_000;
const maxHosts = 10_000;
/** Several looks of the relay, of which each says so in a backlog. */
const backlogMemoryMs = 400;

/** What a receiver's host made of an attempt; null where it was not asked. */
export type HostAnswer = {
  reached: boolean;
  durationMs: number;
  /** The address that was asked; null where no connection came about. */
  ip: string | null;
} | null;

/**
 * How many attempts each receiver's host may have under way from this process: a cap of 2 to 50
 * that begins at 1, grows with answers (by one each until the first trouble) and is halved by hosts that
 * do not answer, for first attempts and retries alike. One that keeps silent with a cap of 2 rests for up
 * to as long as it was silent, so that many which hang do not all end and begin in the same moments. So a
 * host that hangs holds a few slots and delays nobody else. Names that lead to one
 * address and port have 50 together, as one name has at most: it is learned from answers, so that no
 * name is looked up for it. Our choice.
 */
export interface HostLimiter {
  /** How many more attempts toward a host may be made now. */
  available: (host: string) => number;
  /**
   * How many more runs may be started now, toward all hosts together. Few may wait for their first
   * attempt: Temporal's workflow thread takes in new runs before it goes on with those it has, so a
   * burst would let no run get on until it is over.
   */
  startsAvailable: () => number;
  /** Deliveries have been due for long, and no more runs may be started for them now. */
  markBacklog: () => void;
  /** Whether that was so a moment ago: a little longer is nothing to an attempt then. */
  isBacklogged: () => boolean;
  /**
   * For how long a host has not held up what goes to it, in milliseconds: since its slots were last all
   * taken, where most of their time is the receiver's own.
   */
  unsaturatedMs: (host: string) => number;
  /** A run is about to be started here, perhaps once more, and holds one slot from now on. */
  reserve: (run: string, host: string) => void;
  /** A run that was started here has got to its first attempt. */
  recordStarted: (run: string) => void;
  /** An attempt is about to be made: takes the run's slot, or one that is free. False: none is. */
  acquire: (run: string, host: string) => boolean;
  /** The attempt is over, or will not be made here. */
  release: (run: string, answer: HostAnswer) => void;
  /** When a slot may be free for an attempt that found none, in milliseconds; each call books one. */
  retryDelayMs: (host: string) => number;
}

/** An address and port that names lead to. */
interface Address {
  inFlight: number;
}

interface Host {
  /** Where the last answer came from; null where none has come. */
  address: Address | null;
  limit: number;
  /** It has answered all that it was asked so far. */
  healthy: boolean;
  inFlight: number;
  /** When its slots were last all taken. */
  saturatedAt: number;
  /** A running mean of what share of a slot's time is the receiver's. */
  receiverShare: number;
  halvedAt: number;
  /** Until when it is asked nothing. */
  cooldownUntil: number;
  /** A running mean of how long an attempt takes. */
  meanAttemptMs: number;
  /** Until when slots are booked by attempts that found none. */
  bookedUntil: number;
}

/** A run that holds a slot. */
interface SlotHolder {
  name: string;
  /** Where the slot counts besides, which the host may have left since it was taken. */
  address: Address | null;
  since: number;
}

interface ReleasedSlot {
  name: string;
  host: Host;
  heldMs: number;
}

/** What a run holds its slot by. */
export function runKey({ deliveryId, run }: { deliveryId: number; run: number }): string {
  return `${deliveryId}:${run}`;
}

/** Makes the slots of one process. */
export function createHostLimiter(
  now = () => Date.now(),
  random = () => Math.random(),
): HostLimiter {
  const hosts = new Map<string, Host>();
  // Each attempt leaves when it ends; a run that never gets to its attempt is forgotten after 15 s.
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
      // A start that was given up may still hold one, and its slot would never come back.
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
    meanAttemptMs: 200,
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

/** @returns how long to wait for it, in milliseconds. */
function bookSlot(host: Host, at: number): number {
  const free = Math.max(at, host.cooldownUntil, host.bookedUntil) + slotIntervalMs(host);
  host.bookedUntil = Math.min(free, at + maxDelayMs);
  return Math.round(Math.max(host.bookedUntil - at, minDelayMs));
}

/** How long it takes, by what the host has shown, until one more slot is free. */
function slotIntervalMs({ healthy, limit, meanAttemptMs }: Host): number {
  return Math.max(1, meanAttemptMs) / (healthy ? Math.max(expectedLimit, limit) : limit);
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
  host.meanAttemptMs += (durationMs - host.meanAttemptMs) / 10;
  host.receiverShare += (Math.min(1, durationMs / Math.max(1, heldMs)) - host.receiverShare) / 10;
  if (reached) host.limit = Math.min(maxLimit, host.limit + (host.healthy ? 1 : 1 / host.limit));
  else if (at - host.halvedAt >= halveEveryMs) {
    host.limit = Math.max(minLimit, host.limit / 2);
    host.healthy = false;
    host.halvedAt = at;
  }
  // As many are booked as before: a host that has recovered bears them sooner.
  const leftMs = Math.max(0, host.bookedUntil - at);
  host.bookedUntil = at + (leftMs * slotIntervalMs(host)) / before;
}

function startCooldown(host: Host, until: number): void {
  if (host.limit <= minLimit) host.cooldownUntil = Math.max(host.cooldownUntil, until);
}

/** One without attempts is remembered only as long as there is room to. */
function forgetIdle(hosts: Map<string, Address>): void {
  for (const [name, { inFlight }] of hosts) if (inFlight === 0) hosts.delete(name);
}
