import { createWaitingRuns } from "./waiting-runs.ts";

const firstCap = 1;
const leastCap = 2;
/** What a host is hoped to bear soon that has not been in trouble. */
const hopedCap = 10;
const mostCap = 50;
/** One trouble halves a cap once, however many attempts it ends. */
const halveEveryMs = 1_000;
/** From this share of a slot's time on it is the receiver that takes it, and not what comes before a POST. */
const ownShare = 0.8;
const leastDelayMs = 250;
const mostDelayMs = 300_000;
const keptHosts = 10_000;
/** Several looks of the relay, of which each says so in a backlog. */
const crowdedForMs = 400;

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
export interface ReceiverSlots {
  /** How many more attempts toward a host may be made now. */
  free: (host: string) => number;
  /**
   * How many more runs may be started now, toward all hosts together. Few may wait for their first
   * attempt: Temporal's workflow thread takes in new runs before it goes on with those it has, so a
   * burst would let no run get on until it is over.
   */
  room: () => number;
  /** Deliveries have been due for long, and no more runs may be started for them now. */
  crowd: () => void;
  /** Whether that was so a moment ago: a little longer is nothing to an attempt then. */
  isCrowded: () => boolean;
  /**
   * For how long a host has not held up what goes to it, in milliseconds: since its slots were last all
   * taken, where most of their time is the receiver's own.
   */
  notFullMs: (host: string) => number;
  /** A run is about to be started here, perhaps once more, and holds one slot from now on. */
  reserve: (run: string, host: string) => void;
  /** A run that was started here has got to its first attempt. */
  arrive: (run: string) => void;
  /** An attempt is about to be made: takes the run's slot, or one that is free. False: none is. */
  enter: (run: string, host: string) => boolean;
  /** The attempt is over, or will not be made here. */
  leave: (run: string, answer: HostAnswer) => void;
  /** When a slot may be free for an attempt that found none, in milliseconds; each call books one. */
  delayMs: (host: string) => number;
}

/** An address and port that names lead to. */
interface Address {
  held: number;
}

interface Host {
  /** Where the last answer came from; null where none has come. */
  address: Address | null;
  cap: number;
  /** It has answered all that it was asked so far. */
  calm: boolean;
  held: number;
  /** When its slots were last all taken. */
  fullAt: number;
  /** A running mean of what share of a slot's time is the receiver's. */
  share: number;
  halvedAt: number;
  /** Until when it is asked nothing. */
  restsUntil: number;
  /** A running mean of how long an attempt takes. */
  attemptMs: number;
  /** Until when slots are booked by attempts that found none. */
  bookedUntil: number;
}

/** A run that holds a slot. */
interface Holder {
  name: string;
  /** Where the slot counts besides, which the host may have left since it was taken. */
  address: Address | null;
  since: number;
}

interface Released {
  name: string;
  host: Host;
  heldMs: number;
}

/** What a run holds its slot by. */
export function runKey({ deliveryId, run }: { deliveryId: number; run: number }): string {
  return `${deliveryId}:${run}`;
}

/** Makes the slots of one process. */
export function createReceiverSlots(
  now = () => Date.now(),
  random = () => Math.random(),
): ReceiverSlots {
  const hosts = new Map<string, Host>();
  // Each attempt leaves when it ends; a run that never gets to its attempt is forgotten after 15 s.
  const holders = new Map<string, Holder>();
  const addresses = new Map<string, Address>();
  const waiting = createWaitingRuns(now);
  let crowdedAt = 0;

  const hostOf = (name: string): Host => hosts.get(name) ?? addHost(hosts, name);

  function hold(run: string, name: string): void {
    const host = hostOf(name);
    holders.set(run, { name, address: host.address, since: now() });
    addHeld(host, host.address, 1, now());
  }

  function release(run: string): Released | null {
    waiting.drop(run);
    const holder = holders.get(run);
    if (holder === undefined) return null;
    holders.delete(run);
    return giveBack(hostOf(holder.name), holder, now());
  }

  function forgetLost(): void {
    for (const run of waiting.takeLost()) release(run);
  }

  function free(name: string): number {
    forgetLost();
    return freeOf(hostOf(name), now());
  }

  return {
    free,
    room() {
      forgetLost();
      return waiting.room();
    },
    crowd: () => void (crowdedAt = now()),
    isCrowded: () => now() - crowdedAt < crowdedForMs,
    notFullMs: (name) => notFullMs(hostOf(name), now()),
    reserve(run, name) {
      // A start that was given up may still hold one, and its slot would never come back.
      release(run);
      hold(run, name);
      waiting.add(run);
    },
    arrive: (run) => waiting.began(run),
    enter(run, name) {
      if (holders.get(run)?.name === name) return true;
      release(run);
      if (free(name) === 0) return false;
      hold(run, name);
      return true;
    },
    leave(run, answer) {
      const released = release(run);
      if (released === null || answer === null) return;
      adapt(released, addresses, answer, now());
      if (!answer.reached) rest(released.host, now() + random() * answer.durationMs);
    },
    delayMs: (name) => bookSlot(hostOf(name), now()),
  };
}

function addHost(hosts: Map<string, Host>, name: string): Host {
  if (hosts.size >= keptHosts) forgetIdle(hosts);
  const times = { fullAt: 0, halvedAt: 0, restsUntil: 0, attemptMs: 200, bookedUntil: 0 };
  const host = { address: null, cap: firstCap, calm: true, held: 0, share: 0, ...times };
  hosts.set(name, host);
  return host;
}

function addressAt(addresses: Map<string, Address>, ip: string, name: string): Address {
  const key = `${ip} ${/:(\d+)$/.exec(name)?.[1] ?? ""}`;
  const known = addresses.get(key);
  if (known !== undefined) return known;
  if (addresses.size >= keptHosts) forgetIdle(addresses);
  const address = { held: 0 };
  addresses.set(key, address);
  return address;
}

/** @returns how long to wait for it, in milliseconds. */
function bookSlot(host: Host, at: number): number {
  const free = Math.max(at, host.restsUntil, host.bookedUntil) + betweenSlotsMs(host);
  host.bookedUntil = Math.min(free, at + mostDelayMs);
  return Math.round(Math.max(host.bookedUntil - at, leastDelayMs));
}

/** How long it takes, by what the host has shown, until one more slot is free. */
function betweenSlotsMs({ calm, cap, attemptMs }: Host): number {
  return Math.max(1, attemptMs) / (calm ? Math.max(hopedCap, cap) : cap);
}

function giveBack(host: Host, { name, address, since }: Holder, at: number): Released {
  addHeld(host, address, -1, at);
  return { name, host, heldMs: at - since };
}

function addHeld(host: Host, address: Address | null, count: number, at: number): void {
  if (isFull(host)) host.fullAt = at;
  host.held += count;
  if (address !== null) address.held += count;
}

function freeOf({ cap, held, restsUntil, address }: Host, at: number): number {
  if (at < restsUntil) return 0;
  return Math.max(0, Math.min(Math.floor(cap) - held, mostCap - (address?.held ?? 0)));
}

function isFull({ held, cap, address }: Host): boolean {
  return held >= Math.floor(cap) || (address !== null && address.held >= mostCap);
}

function notFullMs(host: Host, at: number): number {
  if (host.share < ownShare) return Number.POSITIVE_INFINITY;
  return isFull(host) ? 0 : at - host.fullAt;
}

function adapt(
  { host, name, heldMs }: Released,
  addresses: Map<string, Address>,
  { reached, durationMs, ip }: Exclude<HostAnswer, null>,
  at: number,
): void {
  if (ip !== null) host.address = addressAt(addresses, ip, name);
  const before = betweenSlotsMs(host);
  host.attemptMs += (durationMs - host.attemptMs) / 10;
  host.share += (Math.min(1, durationMs / Math.max(1, heldMs)) - host.share) / 10;
  if (reached) host.cap = Math.min(mostCap, host.cap + (host.calm ? 1 : 1 / host.cap));
  else if (at - host.halvedAt >= halveEveryMs) {
    host.cap = Math.max(leastCap, host.cap / 2);
    host.calm = false;
    host.halvedAt = at;
  }
  // As many are booked as before: a host that has recovered bears them sooner.
  const leftMs = Math.max(0, host.bookedUntil - at);
  host.bookedUntil = at + (leftMs * betweenSlotsMs(host)) / before;
}

function rest(host: Host, until: number): void {
  if (host.cap <= leastCap) host.restsUntil = Math.max(host.restsUntil, until);
}

/** One without attempts is remembered only as long as there is room to. */
function forgetIdle(hosts: Map<string, Address>): void {
  for (const [name, { held }] of hosts) if (held === 0) hosts.delete(name);
}
