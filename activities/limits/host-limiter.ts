import { bookSlot, type SlotQueue } from "./slot-queue.ts";
import { createStartLimiter, type StartLimiter } from "./start-limiter.ts";
import {
  createSubscriptionLimiter,
  type LimitedSubscription,
  type SubscriptionLimiter,
} from "./subscription-limiter.ts";

const initialLimit = 1;
const minLimit = 2;
/** Expected limit of a host without failures, for the booking of slots. */
const expectedLimit = 10;
/** One outage halves a limit once, even if it ends many attempts. */
const halveEveryMs = 1_000;
/** From this share on, the receiver uses the time of a slot, not the work before the POST. */
const receiverShareThreshold = 0.8;
const maxHosts = 10_000;
/** A few polls of the relay. Each poll with a backlog marks it again. */
const backlogMemoryMs = 400;

/** An address and port that names share. */
export interface SharedAddress {
  key: string;
  /** Further attempts toward it that may begin. */
  available: number;
}

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
 * - Each answer adds 1, and after the first failure 1 per limit, up to the installation's limit.
 * - An attempt without an answer halves the limit, at most once a second, down to 2.
 * - At the minimum an unanswered attempt starts a cooldown of random length, up to the time of the
 *   attempt. So many hosts that hang do not end and begin in the same moments.
 * - Names that lead to one address and port share the installation's limit. The address comes from
 *   answers, so the limiter needs no DNS lookup.
 * - A subscription with a limit of its own has that many attempts in flight, within the limit of its
 *   host.
 */
export interface HostLimiter {
  /**
   * @param subscriptionId of a subscription with a limit of its own
   * @returns the number of further attempts toward a host that may begin
   */
  available: (host: string, subscriptionId?: number | null) => number;
  /** @returns the address that a host shares with other names. Null before its first answer. */
  addressOf: (host: string) => SharedAddress | null;
  /**
   * Takes the subscription's limit as it is now.
   * @returns the number of its further attempts that may begin, whatever its host bears
   */
  availableOf: (subscription: LimitedSubscription) => number;
  /**
   * @returns the number of further runs that may start, toward all hosts together. Few runs may
   * wait for their first attempt. The workflow thread takes in new runs first, so with many runs no
   * run would proceed in a burst.
   */
  startsAvailable: () => number;
  /** @returns true while runs that start here take long to their first attempt */
  areStartsLate: () => boolean;
  /** Records a backlog: deliveries are due for long, and no more runs may start. */
  markBacklog: () => void;
  /** @returns true shortly after a backlog. An attempt may then wait a little for its batch. */
  isBacklogged: () => boolean;
  /**
   * @returns milliseconds since all slots of the host, or of the subscription, were last in use.
   * Infinity where the receiver uses little of the time of its slots.
   */
  unsaturatedMs: (host: string, subscriptionId?: number | null) => number;
  /**
   * Reserves a slot for a run that is about to start here, perhaps once more.
   * @returns false where none is free. A run that holds a slot keeps it.
   */
  reserve: (run: string, host: string, subscription?: LimitedSubscription | null) => boolean;
  /** The run that started here reached its first attempt. */
  recordStarted: (run: string) => void;
  /** Takes the reserved slot of the run, or a free one. @returns false where none is free */
  acquire: (run: string, host: string, subscription?: LimitedSubscription | null) => boolean;
  /** Gives the slot back after the attempt, or where no attempt is made here. */
  release: (run: string, answer: HostAnswer) => void;
  /** @returns milliseconds until a slot may be free. Each call books one slot. */
  retryDelayMs: (host: string, subscriptionId?: number | null) => number;
}

/** Options of the limiter. Tests have a clock and a chance of their own. */
interface HostLimiterOptions {
  /** Largest number of attempts in flight toward one host. */
  maxLimit?: number;
  now?: () => number;
  /** @returns a number from 0 to 1 */
  random?: () => number;
}

/** An address and port, shared by names. */
interface Address {
  key: string;
  inFlight: number;
}

interface Host extends SlotQueue {
  /** Address of the last answer. Null before the first answer. */
  address: Address | null;
  limit: number;
  maxLimit: number;
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
}

/** A run that holds a slot. */
interface SlotHolder {
  name: string;
  /** The slot also counts for this address. The host may lead elsewhere by now. */
  address: Address | null;
  /** The slot also counts for this subscription. Null where the caller named none. */
  subscriptionId: number | null;
  since: number;
}

interface ReleasedSlot {
  name: string;
  host: Host;
  subscriptionId: number | null;
  heldMs: number;
}

/** Key of a run in the limiter. */
export function runKey({ deliveryId, run }: { deliveryId: number; run: number }): string {
  return `${deliveryId}:${run}`;
}

/** Creates the limiter of one process. */
export function createHostLimiter({
  maxLimit = 50,
  now = () => performance.now(),
  random = () => Math.random(),
}: HostLimiterOptions = {}): HostLimiter {
  const hosts = new Map<string, Host>();
  const addresses = new Map<string, Address>();
  const waiting = createStartLimiter(now);
  const subscriptions = createSubscriptionLimiter(now);
  const hostOf = (name: string): Host => hosts.get(name) ?? addHost(hosts, name, maxLimit);
  const { vacate, available, ...slots } = createSlots({ now, hostOf, waiting, subscriptions });
  let backlogAt = Number.NEGATIVE_INFINITY;

  return {
    ...slots,
    available,
    addressOf(name) {
      const { address, maxLimit: most } = hostOf(name);
      return address === null ? null : { key: address.key, available: freeAt(address, most) };
    },
    availableOf(subscription) {
      subscriptions.update(subscription);
      return available(null, subscription.id);
    },
    startsAvailable() {
      slots.dropExpired();
      return waiting.available();
    },
    areStartsLate: waiting.areLate,
    markBacklog: () => void (backlogAt = now()),
    isBacklogged: () => now() - backlogAt < backlogMemoryMs,
    unsaturatedMs: (name, subscriptionId = null) =>
      unsaturatedMs(hostOf(name), now(), subscriptions.unsaturatedMs(subscriptionId)),
    recordStarted: (run) => waiting.recordBegun(run),
    release(run, answer) {
      const released = vacate(run);
      if (released === null || answer === null) return;
      const meanHeldMs = released.host.meanHeldMs;
      adjustLimit(released, addresses, answer, now());
      subscriptions.rescale(released.subscriptionId, released.host.meanHeldMs / meanHeldMs);
      if (!answer.reached) startCooldown(released.host, now() + random() * answer.durationMs);
    },
    retryDelayMs(name, subscriptionId = null) {
      const host = hostOf(name);
      const { meanHeldMs, cooldownUntil } = host;
      return (
        subscriptions.bookSlot(subscriptionId, { meanHeldMs, from: cooldownUntil }) ??
        bookSlot(host, { intervalMs: slotIntervalMs(host), from: cooldownUntil }, now())
      );
    },
  };
}

interface SlotDeps extends HolderDeps {
  waiting: StartLimiter;
}

/** The slots of all hosts and subscriptions. */
function createSlots({ waiting, ...deps }: SlotDeps) {
  const { now, hostOf, subscriptions } = deps;
  const holders = createHolders(deps);

  function vacate(run: string): ReleasedSlot | null {
    waiting.drop(run);
    return holders.vacate(run);
  }

  function dropExpired(): void {
    for (const run of waiting.takeExpired()) vacate(run);
  }

  /** @param name null: whatever the host bears */
  function available(name: string | null, subscriptionId: number | null = null): number {
    dropExpired();
    const ofHost = name === null ? Number.POSITIVE_INFINITY : availableOf(hostOf(name), now());
    return Math.min(ofHost, subscriptions.available(subscriptionId));
  }

  return {
    vacate,
    dropExpired,
    available,
    reserve(run: string, name: string, subscription: LimitedSubscription | null = null): boolean {
      const isHolder = holders.holds(run, name, subscription);
      // An abandoned start may still hold a slot, which would never come back.
      vacate(run);
      if (subscription !== null) subscriptions.update(subscription);
      // A run without a host posts nothing here, so no host bounds it.
      const host = name === "" ? null : name;
      if (!isHolder && available(host, subscription?.id) === 0) return false;
      holders.occupy(run, name, subscription);
      waiting.add(run);
      return true;
    },
    acquire(run: string, name: string, subscription: LimitedSubscription | null = null): boolean {
      if (holders.holds(run, name, subscription)) return true;
      vacate(run);
      if (subscription !== null) subscriptions.update(subscription);
      if (available(name, subscription?.id) === 0) return false;
      holders.occupy(run, name, subscription);
      return true;
    },
  };
}

interface HolderDeps {
  now: () => number;
  hostOf: (name: string) => Host;
  subscriptions: SubscriptionLimiter;
}

/**
 * The slots in use. An attempt releases its slot at its end. A run that never begins is dropped
 * after 15 s.
 */
function createHolders({ now, hostOf, subscriptions }: HolderDeps) {
  const holders = new Map<string, SlotHolder>();
  return {
    occupy(run: string, name: string, subscription: LimitedSubscription | null): void {
      const host = hostOf(name);
      const subscriptionId = subscription?.id ?? null;
      holders.set(run, { name, address: host.address, subscriptionId, since: now() });
      addInFlight(host, host.address, 1, now());
      if (subscription !== null) subscriptions.occupy(subscription);
    },
    vacate(run: string): ReleasedSlot | null {
      const holder = holders.get(run);
      if (holder === undefined) return null;
      holders.delete(run);
      if (holder.subscriptionId !== null) subscriptions.vacate(holder.subscriptionId);
      return returnSlot(hostOf(holder.name), holder, now());
    },
    /** @returns true where the run may keep its slot. A limit that was lowered takes it away. */
    holds(run: string, name: string, subscription: LimitedSubscription | null): boolean {
      if (holders.get(run)?.name !== name) return false;
      return subscription === null || !subscriptions.isExceeded(subscription);
    },
  };
}

function addHost(hosts: Map<string, Host>, name: string, maxLimit: number): Host {
  if (hosts.size >= maxHosts) forgetIdle(hosts);
  const times = {
    saturatedAt: Number.NEGATIVE_INFINITY,
    halvedAt: Number.NEGATIVE_INFINITY,
    cooldownUntil: 0,
    meanHeldMs: 200,
    bookedUntil: 0,
  };
  const load = { limit: initialLimit, healthy: true, inFlight: 0, receiverShare: 0 };
  const host = { address: null, maxLimit, ...load, ...times };
  hosts.set(name, host);
  return host;
}

function addressAt(addresses: Map<string, Address>, ip: string, name: string): Address {
  const key = `${ip} ${/:(\d+)$/.exec(name)?.[1] ?? ""}`;
  const known = addresses.get(key);
  if (known !== undefined) return known;
  if (addresses.size >= maxHosts) forgetIdle(addresses);
  const address = { key, inFlight: 0 };
  addresses.set(key, address);
  return address;
}

/** Expected time between two free slots, in milliseconds. */
function slotIntervalMs({ healthy, limit, maxLimit, meanHeldMs }: Host): number {
  const expected = Math.min(expectedLimit, maxLimit);
  return Math.max(1, meanHeldMs) / (healthy ? Math.max(expected, limit) : limit);
}

function returnSlot(
  host: Host,
  { name, address, subscriptionId, since }: SlotHolder,
  at: number,
): ReleasedSlot {
  addInFlight(host, address, -1, at);
  return { name, host, subscriptionId, heldMs: at - since };
}

function addInFlight(host: Host, address: Address | null, count: number, at: number): void {
  if (isSaturated(host)) host.saturatedAt = at;
  host.inFlight += count;
  if (address !== null) address.inFlight += count;
}

function availableOf(host: Host, at: number): number {
  const { limit, maxLimit, inFlight, cooldownUntil, address } = host;
  if (at < cooldownUntil) return 0;
  return Math.max(0, Math.min(Math.floor(limit) - inFlight, freeAt(address, maxLimit)));
}

function freeAt(address: Address | null, maxLimit: number): number {
  return Math.max(0, maxLimit - (address?.inFlight ?? 0));
}

function isSaturated({ inFlight, limit, maxLimit, address }: Host): boolean {
  return inFlight >= Math.floor(limit) || (address !== null && address.inFlight >= maxLimit);
}

function unsaturatedMs(host: Host, at: number, subscriptionMs: number): number {
  if (host.receiverShare < receiverShareThreshold) return Number.POSITIVE_INFINITY;
  return isSaturated(host) ? 0 : Math.min(at - host.saturatedAt, subscriptionMs);
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
  if (reached) {
    host.limit = Math.min(host.maxLimit, host.limit + (host.healthy ? 1 : 1 / host.limit));
  } else if (at - host.halvedAt >= halveEveryMs) {
    host.limit = Math.max(minLimitOf(host), host.limit / 2);
    host.healthy = false;
    host.halvedAt = at;
  }
  // The number of booked slots stays. A host that recovers serves them sooner.
  const leftMs = Math.max(0, host.bookedUntil - at);
  host.bookedUntil = at + (leftMs * slotIntervalMs(host)) / before;
}

function startCooldown(host: Host, until: number): void {
  if (host.limit <= minLimitOf(host)) host.cooldownUntil = Math.max(host.cooldownUntil, until);
}

function minLimitOf({ maxLimit }: Host): number {
  return Math.min(minLimit, maxLimit);
}

/** Drops hosts without attempts, for a bounded map. */
function forgetIdle(hosts: Map<string, Pick<Address, "inFlight">>): void {
  for (const [name, { inFlight }] of hosts) if (inFlight === 0) hosts.delete(name);
}
