import type { DueLane } from "../core/services/outbox-claims.ts";
import { leadsToHost } from "./lanes.ts";

/** An outbox this far behind opens the valve. Our choice, as the next four. */
const openAtMs = 500;
/** One this close closes it again. */
const closeAtMs = 100;
/** The time in which rates are counted; when it opens, all of it was spent behind. */
const windowMs = 500;
/** After that it closes though more comes than workflows could bear: they may bear it now. */
const tryAgainMs = 300_000;
/** So that a rate that only wavers closes nothing. */
const margin = 0.9;

/** What decides whether the relay makes first attempts itself. */
export interface ValveFacts {
  /** Age of the oldest delivery that could be taken now; null where those that are due have no room. */
  oldestMs: number | null;
  /** For how long such a delivery has waited for us, and not for its receiver. */
  behindMs: number;
  /** Temporal does not answer. */
  away: boolean;
  /** Deliveries taken in a second, of late. */
  perSecond: number;
  /** How many workflows bore in a second when they last fell behind; null: not known. */
  bearable: number | null;
  /** Since when it has been as it is. */
  sinceMs: number;
}

/**
 * Whether the valve is open: it opens where deliveries wait too long or Temporal is away, and closes
 * once they wait no more and come no faster than workflows bear them, since it would open again at once.
 */
export function isValveOpen(open: boolean, facts: ValveFacts): boolean {
  const { oldestMs, behindMs, away, perSecond, bearable, sinceMs } = facts;
  if (away) return true;
  if (oldestMs === null) return open;
  if (!open) return behindMs > openAtMs;
  if (oldestMs >= closeAtMs) return true;
  if (sinceMs >= tryAgainMs || bearable === null) return false;
  return perSecond > bearable * margin;
}

/** What the receivers' hosts have to do with it, by the lanes that lead to them. */
export interface Hosts {
  hasRoom: (lane: string) => boolean;
  /** For how long a host has not held up what goes to it. */
  notFullMs: (lane: string) => number;
}

/** What lets bursts past the workflows, from one look at the outbox to the next. */
export interface Valve {
  /** Judges anew. @returns whether it is open now */
  look(lanes: readonly DueLane[], hosts: Hosts, away: boolean): boolean;
  /** Deliveries were taken out of the outbox. */
  took(count: number): void;
}

/** Makes a closed valve. */
export function createValve(now = () => Date.now()): Valve {
  // Of the window alone, also in the mode in which no rate is ever asked for.
  const taken: { at: number; count: number }[] = [];
  let open = false;
  let changedAt = now();
  let bearable: number | null = null;

  function forgetOld(): void {
    while (taken[0] !== undefined && taken[0].at < now() - windowMs) taken.shift();
  }

  function perSecond(): number {
    forgetOld();
    return (taken.reduce((sum, { count }) => sum + count, 0) * 1_000) / windowMs;
  }

  return {
    look(lanes, hosts, away) {
      const sinceMs = now() - changedAt;
      const facts = { ...agesOf(lanes, hosts), away, perSecond: perSecond(), bearable, sinceMs };
      const next = isValveOpen(open, facts);
      if (next === open) return open;
      // Behind for the whole window, and so at their limit; without Temporal they tell nothing.
      if (next) bearable = !away && sinceMs >= windowMs ? facts.perSecond : null;
      open = next;
      changedAt = now();
      return open;
    },
    took(count) {
      forgetOld();
      if (count > 0) taken.push({ at: now(), count });
    },
  };
}

/**
 * 0 where nothing is due. A host that takes no more now says nothing about how far we are behind, and
 * one that has just had no room says it of the time since then alone.
 */
function agesOf(
  lanes: readonly DueLane[],
  { hasRoom, notFullMs }: Hosts,
): Pick<ValveFacts, "oldestMs" | "behindMs"> {
  const due = lanes.filter(({ lane }) => leadsToHost(lane));
  const open = due.filter(({ lane }) => hasRoom(lane));
  if (open.length === 0) return { oldestMs: due.length === 0 ? 0 : null, behindMs: 0 };
  return {
    oldestMs: Math.max(...open.map(({ ageMs }) => ageMs)),
    behindMs: Math.max(...open.map(({ lane, ageMs }) => Math.min(ageMs, notFullMs(lane)))),
  };
}
