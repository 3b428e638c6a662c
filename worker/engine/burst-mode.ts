import type { DuePartition } from "../../core/services/outbox/outbox-claims.ts";
import { leadsToHost } from "./fair-scheduling.ts";

/** An outbox this far behind opens burst mode. Our choice, as the next four. */
const enterAtMs = 500;
/** One this close closes it again. */
const leaveAtMs = 100;
/** The time in which rates are counted; when it opens, all of it was spent behind. */
const windowMs = 500;
/** After that it closes though more comes than workflows could bear: they may bear it now. */
const reevaluateMs = 300_000;
/** So that a rate that only wavers closes nothing. */
const margin = 0.9;

/** What decides whether the relay makes first attempts itself. */
export interface BurstFacts {
  /** Age of the oldest delivery that could be taken now; null where those that are due have no room. */
  oldestMs: number | null;
  /** For how long such a delivery has waited for us, and not for its receiver. */
  behindMs: number;
  /** Temporal does not answer. */
  temporalAway: boolean;
  /** Deliveries taken in a second, of late. */
  perSecond: number;
  /** How many workflows bore in a second when they last fell behind; null: not known. */
  sustainableRate: number | null;
  /** Since when it has been as it is. */
  sinceMs: number;
}

/**
 * Whether burst mode is open: it opens where deliveries wait too long or Temporal is away, and closes
 * once they wait no more and come no faster than workflows bear them, since it would open again at once.
 */
export function isOverloaded(open: boolean, facts: BurstFacts): boolean {
  const { oldestMs, behindMs, temporalAway, perSecond, sustainableRate, sinceMs } = facts;
  if (temporalAway) return true;
  if (oldestMs === null) return open;
  if (!open) return behindMs > enterAtMs;
  if (oldestMs >= leaveAtMs) return true;
  if (sinceMs >= reevaluateMs || sustainableRate === null) return false;
  return perSecond > sustainableRate * margin;
}

/** What the receivers' hosts have to do with it, by the partitions that lead to them. */
export interface HostAvailability {
  isAvailable: (key: string) => boolean;
  /** For how long a host has not held up what goes to it. */
  unsaturatedMs: (key: string) => number;
}

/** What lets bursts past the workflows, from one look at the outbox to the next. */
export interface BurstMode {
  /** Judges anew. @returns whether it is open now */
  evaluate(partitions: readonly DuePartition[], hosts: HostAvailability, away: boolean): boolean;
  /** Deliveries were taken out of the outbox. */
  recordClaimed(count: number): void;
}

/** Makes a closed burstMode. */
export function createBurstMode(now = () => Date.now()): BurstMode {
  // Of the window alone, also in the mode in which no rate is ever asked for.
  const taken: { at: number; count: number }[] = [];
  let open = false;
  let changedAt = now();
  let sustainableRate: number | null = null;

  function dropOld(): void {
    while (taken[0] !== undefined && taken[0].at < now() - windowMs) taken.shift();
  }

  function perSecond(): number {
    dropOld();
    return (taken.reduce((sum, { count }) => sum + count, 0) * 1_000) / windowMs;
  }

  return {
    evaluate(partitions, hosts, away) {
      const sinceMs = now() - changedAt;
      const facts = {
        ...agesOf(partitions, hosts),
        temporalAway: away,
        perSecond: perSecond(),
        sustainableRate,
        sinceMs,
      };
      const next = isOverloaded(open, facts);
      if (next === open) return open;
      // Behind for the whole window, and so at their limit; without Temporal they tell nothing.
      if (next) sustainableRate = !away && sinceMs >= windowMs ? facts.perSecond : null;
      open = next;
      changedAt = now();
      return open;
    },
    recordClaimed(count) {
      dropOld();
      if (count > 0) taken.push({ at: now(), count });
    },
  };
}

/**
 * 0 where nothing is due. A host that takes no more now says nothing about how far we are behind, and
 * one that has just had no room says it of the time since then alone.
 */
function agesOf(
  partitions: readonly DuePartition[],
  { isAvailable, unsaturatedMs }: HostAvailability,
): Pick<BurstFacts, "oldestMs" | "behindMs"> {
  const due = partitions.filter(({ key }) => leadsToHost(key));
  const open = due.filter(({ key }) => isAvailable(key));
  if (open.length === 0) return { oldestMs: due.length === 0 ? 0 : null, behindMs: 0 };
  return {
    oldestMs: Math.max(...open.map(({ ageMs }) => ageMs)),
    behindMs: Math.max(...open.map(({ key, ageMs }) => Math.min(ageMs, unsaturatedMs(key)))),
  };
}
