import type { LaneQuota } from "../core/services/outbox-claims.ts";

/**
 * A lane of requests is `-:<account>`: people wait for them, and no receiver's host is asked. A row of
 * an older version has `-` alone, which counts as one more account.
 */
const requestMark = "-";

function asksTemporalAlone(lane: string): boolean {
  return lane === requestMark || lane.startsWith(`${requestMark}:`);
}

/** The host that a lane leads to: a lane is `<account>:<host>`, the host empty where none is asked. */
export function hostOf(lane: string): string {
  return asksTemporalAlone(lane) ? "" : lane.slice(lane.indexOf(":") + 1);
}

/** Whether the rows of a lane ask a receiver, and not Temporal alone. */
export function leadsToHost(lane: string): boolean {
  return hostOf(lane) !== "";
}

/** The accounts whose turn it was last, one for each kind of row; the one after it begins. 0: none yet. */
export interface Turns {
  lastAccount: number;
  lastRequester: number;
}

/** What one look may take, and who is first. */
export interface Bounds extends Turns {
  deliveries: number;
  /** Of the deliveries those that lead to a host, whichever it is. */
  toHosts: number;
  requests: number;
  /** Takes room for one request of an account. False: it has enough under way. */
  takeRequest: (accountId: number) => boolean;
}

/** What one look takes. */
export interface Shares extends Turns {
  quotas: LaneQuota[];
}

/**
 * How many rows of each due lane to take in one look: requests first, shared among accounts, and the
 * rest likewise; within an account deliveries are shared among hosts, never more than a host, or all of
 * them together, have room for. So neither a host that hangs nor an account with a long backlog delays
 * another's rows; also where there is room for few, since accounts take turns from one look to the next.
 */
export function shareOut(
  lanes: readonly string[],
  room: (host: string) => number,
  bounds: Bounds,
): Shares {
  const ofHosts = new Map(lanes.map((lane) => [hostOf(lane), room(hostOf(lane))]));
  const left = { ofHosts, toHosts: bounds.toHosts };
  const requests = deal(lanes.filter(asksTemporalAlone), bounds.requests, {
    last: bounds.lastRequester,
    take: (lane) => bounds.takeRequest(accountOf(lane)),
  });
  const deliveries = deal(
    lanes.filter((lane) => !asksTemporalAlone(lane)),
    bounds.deliveries,
    { last: bounds.lastAccount, take: (lane) => takeRoom(lane, left) },
  );
  return {
    quotas: [...requests.quotas, ...deliveries.quotas],
    lastAccount: deliveries.last,
    lastRequester: requests.last,
  };
}

interface Dealing {
  /** The account that was the last to get something. */
  last: number;
  /** Takes room for one row of a lane. False: there is none. */
  take: (lane: string) => boolean;
}

/** Gives out up to `most` rows, to one account after the other. */
function deal(lanes: string[], most: number, { last, take }: Dealing) {
  const quotas = new Map<string, number>();
  const accounts = groupByAccount(lanes, last);
  for (let taken = 0; taken < most;) {
    const before = taken;
    for (const [account, queue] of accounts) {
      if (taken === most) break;
      const lane = nextOpen(queue, take);
      if (lane === null) continue;
      last = account;
      quotas.set(lane, (quotas.get(lane) ?? 0) + 1);
      taken += 1;
    }
    if (taken === before) break;
  }
  return { quotas: [...quotas].map(([lane, limit]) => ({ lane, limit })), last };
}

/** What of the bounds has not been given out. */
interface Left {
  ofHosts: Map<string, number>;
  toHosts: number;
}

function takeRoom(lane: string, left: Left): boolean {
  const room = left.ofHosts.get(hostOf(lane)) ?? 0;
  const asksHost = leadsToHost(lane);
  if (room === 0 || (asksHost && left.toHosts === 0)) return false;
  left.ofHosts.set(hostOf(lane), room - 1);
  if (asksHost) left.toHosts -= 1;
  return true;
}

/** The account's next lane that there is room for, which then goes to the end of the queue. */
function nextOpen(queue: string[], take: Dealing["take"]): string | null {
  for (let lane = queue.shift(); lane !== undefined; lane = queue.shift()) {
    if (!take(lane)) continue;
    queue.push(lane);
    return lane;
  }
  return null;
}

/** The lanes of each account, the one that comes after `last` first. */
function groupByAccount(lanes: string[], last: number): [account: number, lanes: string[]][] {
  const groups = new Map<number, string[]>();
  for (const lane of lanes) {
    const account = accountOf(lane);
    groups.set(account, [...(groups.get(account) ?? []), lane]);
  }
  const accounts = [...groups].toSorted(([a], [b]) => a - b);
  const isBefore = ([account]: [number, string[]]) => account <= last;
  return [...accounts.filter((group) => !isBefore(group)), ...accounts.filter(isBefore)];
}

function accountOf(lane: string): number {
  const [first = "", second = ""] = lane.split(":");
  return Number(asksTemporalAlone(lane) ? second : first);
}

/** Whether a look took all that it might, so that there may be more to take at once. */
export function isUsedUp(
  quotas: readonly LaneQuota[],
  taken: readonly { lane: string }[],
): boolean {
  return quotas.some(
    ({ lane, limit }) => taken.filter((row) => row.lane === lane).length === limit,
  );
}
