import type { LaneQuota } from "../core/services/outbox-claims.ts";

/** The lane of what is no delivery: people wait for it, and no receiver's host is asked. */
const requestLane = "-";

/** The host that a lane leads to: a lane is `<account>:<host>`, the host empty where none is asked. */
export function hostOf(lane: string): string {
  return lane.slice(lane.indexOf(":") + 1);
}

/** Whether the rows of a lane ask a receiver, and not Temporal alone. */
export function leadsToHost(lane: string): boolean {
  return lane !== requestLane && hostOf(lane) !== "";
}

/** What one look may take, and who is first. */
export interface Bounds {
  deliveries: number;
  /** Of the deliveries those that lead to a host, whichever it is. */
  toHosts: number;
  requests: number;
  /** The account that was the last to get something; the one after it begins. 0: none yet. */
  lastAccount: number;
}

/** What one look takes. */
export interface Shares {
  quotas: LaneQuota[];
  lastAccount: number;
}

/**
 * How many rows of each due lane to take in one look: requests first, the rest shared among accounts
 * and within an account among hosts, never more than a host, or all of them together, have room for. So neither a host that
 * hangs nor an account with a long backlog delays another's rows; also where there is room for few,
 * since accounts take turns from one look to the next.
 */
export function shareOut(
  lanes: readonly string[],
  room: (host: string) => number,
  { deliveries: most, toHosts, requests: mostRequests, ...bounds }: Bounds,
): Shares {
  const quotas = new Map<string, number>();
  const ofHosts = new Map(lanes.map((lane) => [hostOf(lane), room(hostOf(lane))]));
  const left = { ofHosts, toHosts };
  let { lastAccount } = bounds;
  const accounts = groupByAccount(
    lanes.filter((lane) => lane !== requestLane),
    lastAccount,
  );
  for (let taken = 0; taken < most;) {
    const before = taken;
    for (const [account, queue] of accounts) {
      if (taken === most) break;
      const lane = nextOpen(queue, left);
      if (lane === null) continue;
      lastAccount = account;
      quotas.set(lane, (quotas.get(lane) ?? 0) + 1);
      taken += 1;
    }
    if (taken === before) break;
  }
  const asksRequests = mostRequests > 0 && lanes.includes(requestLane);
  const requests = asksRequests ? [{ lane: requestLane, limit: mostRequests }] : [];
  const deliveries = [...quotas].map(([lane, limit]) => ({ lane, limit }));
  return { quotas: [...requests, ...deliveries], lastAccount };
}

/** What of the bounds has not been given out. */
interface Left {
  ofHosts: Map<string, number>;
  toHosts: number;
}

/** The account's next lane that there is room for, which then goes to the end of the queue. */
function nextOpen(queue: string[], left: Left): string | null {
  for (let lane = queue.shift(); lane !== undefined; lane = queue.shift()) {
    const room = left.ofHosts.get(hostOf(lane)) ?? 0;
    const asksHost = leadsToHost(lane);
    if (room === 0 || (asksHost && left.toHosts === 0)) continue;
    left.ofHosts.set(hostOf(lane), room - 1);
    if (asksHost) left.toHosts -= 1;
    queue.push(lane);
    return lane;
  }
  return null;
}

/** The lanes of each account, the one that comes after `last` first. */
function groupByAccount(lanes: string[], last: number): [account: number, lanes: string[]][] {
  const groups = new Map<number, string[]>();
  for (const lane of lanes) {
    const account = Number(lane.slice(0, lane.indexOf(":")));
    groups.set(account, [...(groups.get(account) ?? []), lane]);
  }
  const accounts = [...groups].toSorted(([a], [b]) => a - b);
  const isBefore = ([account]: [number, string[]]) => account <= last;
  return [...accounts.filter((group) => !isBefore(group)), ...accounts.filter(isBefore)];
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
