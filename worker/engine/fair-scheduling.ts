import type { ClaimedRow, PartitionQuota } from "../../core/services/outbox/outbox-claims.ts";

/**
 * A key of requests is `-:<account>`: people wait for them, and no receiver's host is asked. A row of
 * an older version has `-` alone, which counts as one more account.
 */
const requestMark = "-";

function isRequestPartition(key: string): boolean {
  return key === requestMark || key.startsWith(`${requestMark}:`);
}

/** The host that a key leads to: a key is `<account>:<host>`, the host empty where none is asked. */
export function hostOf(key: string): string {
  return isRequestPartition(key) ? "" : key.slice(key.indexOf(":") + 1);
}

/** Whether the rows of a key ask a receiver, and not Temporal alone. */
export function leadsToHost(key: string): boolean {
  return hostOf(key) !== "";
}

/** The accounts whose turn it was last, one for each kind of row; the one after it begins. 0: none yet. */
export interface Turns {
  lastAccount: number;
  lastRequester: number;
}

/** What one look may take, and who is first. */
export interface SchedulingLimits extends Turns {
  deliveries: number;
  /** Of the deliveries those that lead to a host, whichever it is. */
  toHosts: number;
  requests: number;
  /** Takes room for one request of an account. False: it has enough under way. */
  takeRequest: (accountId: number) => boolean;
}

/** What one look takes. */
export interface ScheduledShares extends Turns {
  quotas: PartitionQuota[];
}

/**
 * How many rows of each due key to take in one look: requests first, shared among accounts, and the
 * rest likewise; within an account deliveries are shared among hosts, never more than a host, or all of
 * them together, have room for. So neither a host that hangs nor an account with a long backlog delays
 * another's rows; also where there is room for few, since accounts take turns from one look to the next.
 */
export function scheduleFairly(
  partitions: readonly string[],
  room: (host: string) => number,
  bounds: SchedulingLimits,
): ScheduledShares {
  const ofHosts = new Map(partitions.map((key) => [hostOf(key), room(hostOf(key))]));
  const left = { ofHosts, toHosts: bounds.toHosts };
  const requests = roundRobin(partitions.filter(isRequestPartition), bounds.requests, {
    last: bounds.lastRequester,
    take: (key) => bounds.takeRequest(accountOf(key)),
  });
  const deliveries = roundRobin(
    partitions.filter((key) => !isRequestPartition(key)),
    bounds.deliveries,
    { last: bounds.lastAccount, take: (key) => takeRoom(key, left) },
  );
  return {
    quotas: [...requests.quotas, ...deliveries.quotas],
    lastAccount: deliveries.last,
    lastRequester: requests.last,
  };
}

interface RoundRobin {
  /** The account that was the last to get something. */
  last: number;
  /** Takes room for one row of a key. False: there is none. */
  take: (key: string) => boolean;
}

/** Gives out up to `most` rows, to one account after the other. */
function roundRobin(partitions: string[], most: number, { last, take }: RoundRobin) {
  const quotas = new Map<string, number>();
  const accounts = groupByAccount(partitions, last);
  for (let taken = 0; taken < most;) {
    const before = taken;
    for (const [account, queue] of accounts) {
      if (taken === most) break;
      const key = nextOpen(queue, take);
      if (key === null) continue;
      last = account;
      quotas.set(key, (quotas.get(key) ?? 0) + 1);
      taken += 1;
    }
    if (taken === before) break;
  }
  return { quotas: [...quotas].map(([key, limit]) => ({ key, limit })), last };
}

/** What of the bounds has not been given out. */
interface RemainingQuota {
  ofHosts: Map<string, number>;
  toHosts: number;
}

function takeRoom(key: string, left: RemainingQuota): boolean {
  const room = left.ofHosts.get(hostOf(key)) ?? 0;
  const asksHost = leadsToHost(key);
  if (room === 0 || (asksHost && left.toHosts === 0)) return false;
  left.ofHosts.set(hostOf(key), room - 1);
  if (asksHost) left.toHosts -= 1;
  return true;
}

/** The account's next key that there is room for, which then goes to the end of the queue. */
function nextOpen(queue: string[], take: RoundRobin["take"]): string | null {
  for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
    if (!take(key)) continue;
    queue.push(key);
    return key;
  }
  return null;
}

/** The partitions of each account, the one that comes after `last` first. */
function groupByAccount(
  partitions: string[],
  last: number,
): [account: number, partitions: string[]][] {
  const groups = new Map<number, string[]>();
  for (const key of partitions) {
    const account = accountOf(key);
    groups.set(account, [...(groups.get(account) ?? []), key]);
  }
  const accounts = [...groups].toSorted(([a], [b]) => a - b);
  const isBefore = ([account]: [number, string[]]) => account <= last;
  return [...accounts.filter((group) => !isBefore(group)), ...accounts.filter(isBefore)];
}

function accountOf(key: string): number {
  const [first = "", second = ""] = key.split(":");
  return Number(isRequestPartition(key) ? second : first);
}

/** Whether a look took all that it might, so that there may be more to take at once. */
export function isExhausted(
  quotas: readonly PartitionQuota[],
  taken: readonly Pick<ClaimedRow, "partition_key">[],
): boolean {
  return quotas.some(
    ({ key, limit }) => taken.filter((row) => row.partition_key === key).length === limit,
  );
}
