import { hasHost } from "../../core/model/partition-key.ts";
import type { DuePartition } from "../../core/services/outbox/outbox-claims.ts";

/** A backlog this old turns burst mode on. */
const enterAtMs = 500;
/** A backlog this young may turn burst mode off. */
const leaveAtMs = 100;
/** Window of the rate. Burst mode starts after a whole window with a backlog. */
const windowMs = 500;
/** After this time burst mode goes off at a high rate too. Workflows may handle the rate by now. */
const reevaluateMs = 300_000;
/** A rate that only wavers does not turn burst mode off. */
const margin = 0.9;

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
  /** Temporal does not answer. */
  temporalAway: boolean;
  /** Deliveries claimed per second, in the last window. */
  perSecond: number;
  /** Deliveries per second that workflows handled when they last fell behind. Null: not known. */
  sustainableRate: number | null;
  /** Time since the last change. */
  sinceMs: number;
}

/**
 * Decides whether the relay makes first attempts itself. The decision has hysteresis: burst mode goes
 * on at 500 ms of backlog. It goes off below 100 ms, and only at a rate that workflows can sustain.
 * @param active true while burst mode is on
 * @returns true where burst mode is on from now on
 */
export function isOverloaded(active: boolean, facts: BurstFacts): boolean {
  const { oldestMs, behindMs, temporalAway, perSecond, sustainableRate, sinceMs } = facts;
  if (temporalAway) return true;
  if (oldestMs === null) return active;
  if (!active) return behindMs > enterAtMs;
  if (oldestMs >= leaveAtMs) return true;
  if (sinceMs >= reevaluateMs || sustainableRate === null) return false;
  return perSecond > sustainableRate * margin;
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
    partitions: readonly DuePartition[],
    hosts: HostAvailability,
    temporalAway: boolean,
  ): boolean;
  /** Counts deliveries that the relay claimed. */
  recordClaimed(count: number): void;
}

/**
 * Creates burst mode, off.
 * @param counts true for the partitions whose age decides
 */
export function createBurstMode(now = () => Date.now(), counts = hasHost): BurstMode {
  // Trimmed to the window in every mode, so the array stays small.
  const claims: { at: number; count: number }[] = [];
  let active = false;
  let changedAt = now();
  let sustainableRate: number | null = null;

  function dropOld(): void {
    while (claims[0] !== undefined && claims[0].at < now() - windowMs) claims.shift();
  }

  function perSecond(): number {
    dropOld();
    return (claims.reduce((sum, { count }) => sum + count, 0) * 1_000) / windowMs;
  }

  return {
    evaluate(partitions, hosts, temporalAway) {
      const sinceMs = now() - changedAt;
      const rates = { perSecond: perSecond(), sustainableRate };
      const due = partitions.filter(({ key }) => counts(key));
      const facts = { ...agesOf(due, hosts), temporalAway, ...rates, sinceMs };
      const next = isOverloaded(active, facts);
      if (next === active) return active;
      // After a whole window with a backlog, the rate is the limit of the workflows.
      if (next) sustainableRate = !temporalAway && sinceMs >= windowMs ? facts.perSecond : null;
      active = next;
      changedAt = now();
      return active;
    },
    recordClaimed(count) {
      dropOld();
      if (count > 0) claims.push({ at: now(), count });
    },
  };
}

/**
 * Ages of due deliveries. A host without a free slot says nothing about our own backlog. A host that
 * had no free slot until a moment ago counts from that moment.
 * @returns 0 where no delivery is due
 */
function agesOf(
  due: readonly DuePartition[],
  { isAvailable, unsaturatedMs }: HostAvailability,
): Pick<BurstFacts, "oldestMs" | "behindMs"> {
  const open = due.filter(({ key }) => isAvailable(key));
  if (open.length === 0) return { oldestMs: due.length === 0 ? 0 : null, behindMs: 0 };
  return {
    oldestMs: Math.max(...open.map(({ ageMs }) => ageMs)),
    behindMs: Math.max(...open.map(({ key, ageMs }) => Math.min(ageMs, unsaturatedMs(key)))),
  };
}
