import { hasHost } from "../../core/model/partition-key.ts";
import type { OutboxPartition } from "../../core/services/outbox/outbox-claims.ts";

/** A backlog this old turns burst mode on, unless the relay is given another age. */
const defaultEnterAtMs = 500;
/**
 * So do workflows that are at their limit for so long, however young the deliveries are. At the rate
 * that workflows just handle, each delivery waits for some 100 or 200 ms and none for 500 ms.
 */
const heldBackAtMs = 2_000;
/** Longest step of that time. After a longer one nobody knows what came between. */
const longestStepMs = 250;
/** A backlog this young may turn burst mode off. */
const leaveAtMs = 100;
/** Window of the rate in which an old backlog has grown. */
const backlogWindowMs = 500;
/** Window of every other rate. Long, so that arrivals at random do not turn burst mode off. */
const windowMs = 2_000;
/** After this time burst mode goes off at a high rate too. Workflows may handle the rate by now. */
const reevaluateMs = 300_000;
/**
 * Burst mode goes off at this share of the sustainable rate. The distance keeps it from going on
 * again. It also makes up for the rate of a process that was new, and slow, when it fell behind.
 */
const leaveShare = 1 / 3;

/** Partitions of messages lead to no host that may hold them up. */
export const noHosts: HostAvailability = {
  isAvailable: () => true,
  unsaturatedMs: () => Number.POSITIVE_INFINITY,
};

/** Facts that turn burst mode on or off. */
export interface BurstFacts {
  /** Age of the oldest delivery with a free slot. Null where no due delivery has a free slot. */
  oldestMs: number | null;
  /** Time that such a delivery waited for this process, not for its receiver. */
  behindMs: number;
  /** Time for which workflows were at their limit, less the time since for which they were not. */
  heldBackMs: number;
  /** Temporal does not answer. */
  temporalAway: boolean;
  /** Deliveries claimed per second, in the last two seconds. */
  perSecond: number;
  /** Deliveries per second that workflows handled when they last fell behind. Null: not known. */
  sustainableRate: number | null;
  /** Time since the last change. */
  sinceMs: number;
}

/**
 * Decides whether the relay makes first attempts itself. The decision has hysteresis: burst mode goes
 * on at 500 ms of backlog, or after 2 s of workflows at their limit. It goes off below 100 ms, and
 * only at a third of the rate that workflows can sustain.
 * @param active true while burst mode is on
 * @param enterAtMs a backlog this old turns burst mode on; at 0 burst mode stays on
 * @returns true where burst mode is on from now on
 */
export function isOverloaded(
  active: boolean,
  facts: BurstFacts,
  enterAtMs = defaultEnterAtMs,
): boolean {
  const { oldestMs, behindMs, heldBackMs, temporalAway, perSecond, sustainableRate, sinceMs } =
    facts;
  if (temporalAway) return true;
  if (oldestMs === null) return active;
  if (!active) return behindMs > enterAtMs || heldBackMs >= heldBackAtMs;
  if (oldestMs >= Math.min(leaveAtMs, enterAtMs)) return true;
  if (sinceMs >= reevaluateMs || sustainableRate === null) return false;
  return perSecond > sustainableRate * leaveShare;
}

/** State of the hosts that partitions lead to. */
export interface HostAvailability {
  /** @returns true while the host has a free slot */
  isAvailable: (key: string) => boolean;
  /** @returns the time since the host last had no free slot, in milliseconds */
  unsaturatedMs: (key: string) => number;
}

/** Burst mode of one relay, from poll to poll. */
export interface BurstMode {
  /** Re-evaluates burst mode. @returns true while it is on */
  evaluate(
    partitions: readonly OutboxPartition[],
    hosts: HostAvailability,
    temporalAway: boolean,
  ): boolean;
  /** Records the claim of a poll. */
  recordClaim(claim: PollClaim): void;
}

/** Claim of one poll. */
export interface PollClaim {
  /** Deliveries that the relay claimed. */
  count: number;
  /** Workflows are at their limit: no further run may start, or runs begin late. */
  atLimit: boolean;
}

/**
 * Creates burst mode, off.
 * @param counts true for the partitions whose age decides
 * @param enterAtMs a backlog this old turns burst mode on
 */
export function createBurstMode(
  now = () => performance.now(),
  counts = hasHost,
  enterAtMs = defaultEnterAtMs,
): BurstMode {
  // Trimmed to the window in every mode, so the array stays small.
  const claims: { at: number; count: number }[] = [];
  const heldBack = createHeldBack(now);
  let active = false;
  let changedAt = now();
  let sustainableRate: number | null = null;

  function dropOld(): void {
    while (claims[0] !== undefined && claims[0].at < now() - windowMs) claims.shift();
  }

  /** Deliveries claimed per second, in the last `ms`. */
  function rateOf(ms: number): number {
    dropOld();
    const since = now() - ms;
    const claimed = claims.reduce((sum, { at, count }) => (at >= since ? sum + count : sum), 0);
    return (claimed * 1_000) / ms;
  }

  return {
    evaluate(partitions, hosts, temporalAway) {
      const sinceMs = now() - changedAt;
      const due = partitions.filter(({ key }) => counts(key));
      const rates = { perSecond: rateOf(windowMs), sustainableRate };
      const ages = { ...agesOf(due, hosts), heldBackMs: heldBack.measure() };
      const facts = { ...ages, temporalAway, ...rates, sinceMs };
      const next = isOverloaded(active, facts, enterAtMs);
      if (next === active) return active;
      // After a whole window with a backlog, the rate is the limit of the workflows.
      const isKnown = !temporalAway && sinceMs >= backlogWindowMs;
      const limitMs = ages.behindMs > enterAtMs ? backlogWindowMs : windowMs;
      if (next) sustainableRate = isKnown ? rateOf(limitMs) : null;
      heldBack.reset();
      active = next;
      changedAt = now();
      return active;
    },
    recordClaim({ count, atLimit }) {
      dropOld();
      if (count > 0) claims.push({ at: now(), count });
      heldBack.record(atLimit);
    },
  };
}

/**
 * Measures for how long workflows are at their limit. Other time counts against it, so polls between
 * two that are at the limit do not begin it anew.
 */
function createHeldBack(now: () => number) {
  let ms = 0;
  let lookedAt = now();
  let atLimit = false;
  return {
    /** @returns milliseconds, from 0 to the time that turns burst mode on */
    measure(): number {
      const stepMs = Math.min(now() - lookedAt, longestStepMs);
      lookedAt = now();
      ms = Math.min(heldBackAtMs, Math.max(0, ms + (atLimit ? stepMs : -stepMs)));
      return ms;
    },
    record: (isAtLimit: boolean) => void (atLimit = isAtLimit),
    reset: () => void (ms = 0),
  };
}

/**
 * Ages of due deliveries. A host without a free slot says nothing about our own backlog. A host that
 * had no free slot until a moment ago counts from that moment.
 * @returns 0 where no delivery is due
 */
function agesOf(
  due: readonly OutboxPartition[],
  { isAvailable, unsaturatedMs }: HostAvailability,
): Pick<BurstFacts, "oldestMs" | "behindMs"> {
  const open = due.filter(({ key }) => isAvailable(key));
  if (open.length === 0) return { oldestMs: due.length === 0 ? 0 : null, behindMs: 0 };
  return {
    oldestMs: Math.max(...open.map(({ ageMs }) => ageMs)),
    behindMs: Math.max(...open.map(({ key, ageMs }) => Math.min(ageMs, unsaturatedMs(key)))),
  };
}
