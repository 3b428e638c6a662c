import { accountOf, hasHost, hostOf, isRequestPartition } from "../../core/model/partition-key.ts";
import type { ClaimedRow, PartitionQuota } from "../../core/services/outbox/outbox-claims.ts";

/** The accounts that were served last, one for each kind of row. The next account begins. 0: none. */
export interface Turns {
  lastAccount: number;
  lastRequester: number;
}

/** Capacity of one poll. */
export interface SchedulingLimits extends Turns {
  deliveries: number;
  /** Of `deliveries`, those that lead to any host. */
  toHosts: number;
  requests: number;
  /** Takes capacity for one request of an account. @returns false where the account has no share left */
  takeRequest: (accountId: number) => boolean;
}

/** Quotas of one poll, and the turns for the next poll. */
export interface ScheduledShares extends Turns {
  quotas: PartitionQuota[];
}

/**
 * Shares the capacity of one poll among partitions, as round robin. Requests come first, then
 * deliveries. Accounts take turns, and the hosts of an account take turns within it. So a slow host or
 * a long backlog of one account does not delay rows of others. The turns go on from poll to poll.
 * @param available free slots of a host; of the empty host, the number of rows that Temporal may take
 */
export function scheduleFairly(
  keys: readonly string[],
  available: (host: string) => number,
  limits: SchedulingLimits,
): ScheduledShares {
  const ofHosts = new Map(keys.map((key) => [hostOf(key), available(hostOf(key))]));
  const remaining = { ofHosts, toHosts: limits.toHosts };
  const requests = roundRobin(keys.filter(isRequestPartition), limits.requests, {
    last: limits.lastRequester,
    take: (key) => limits.takeRequest(accountOf(key)),
  });
  const deliveries = roundRobin(
    keys.filter((key) => !isRequestPartition(key)),
    limits.deliveries,
    { last: limits.lastAccount, take: (key) => takeSlot(key, remaining) },
  );
  return {
    quotas: [...requests.quotas, ...deliveries.quotas],
    lastAccount: deliveries.last,
    lastRequester: requests.last,
  };
}

interface RoundRobin {
  /** The account that was served last. */
  last: number;
  /** Takes capacity for one row of a partition. @returns false where none is left */
  take: (key: string) => boolean;
}

/** Gives up to `capacity` rows to one account after the other. */
function roundRobin(keys: string[], capacity: number, { last, take }: RoundRobin) {
  const quotas = new Map<string, number>();
  const accounts = groupByAccount(keys, last);
  for (let taken = 0; taken < capacity;) {
    const before = taken;
    for (const [account, queue] of accounts) {
      if (taken === capacity) break;
      const key = nextPartition(queue, take);
      if (key === null) continue;
      last = account;
      quotas.set(key, (quotas.get(key) ?? 0) + 1);
      taken += 1;
    }
    if (taken === before) break;
  }
  return { quotas: [...quotas].map(([key, limit]) => ({ key, limit })), last };
}

/** Remaining quota of this poll. */
interface RemainingQuota {
  ofHosts: Map<string, number>;
  toHosts: number;
}

function takeSlot(key: string, remaining: RemainingQuota): boolean {
  const ofHost = remaining.ofHosts.get(hostOf(key)) ?? 0;
  const leadsToHost = hasHost(key);
  if (ofHost === 0 || (leadsToHost && remaining.toHosts === 0)) return false;
  remaining.ofHosts.set(hostOf(key), ofHost - 1);
  if (leadsToHost) remaining.toHosts -= 1;
  return true;
}

/** Next partition of an account with capacity. The partition moves to the end of the queue. */
function nextPartition(queue: string[], take: RoundRobin["take"]): string | null {
  for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
    if (!take(key)) continue;
    queue.push(key);
    return key;
  }
  return null;
}

/** Partitions of each account. The account after `last` comes first. */
function groupByAccount(keys: string[], last: number): [account: number, keys: string[]][] {
  const groups = new Map<number, string[]>();
  for (const key of keys) {
    const account = accountOf(key);
    groups.set(account, [...(groups.get(account) ?? []), key]);
  }
  const accounts = [...groups].toSorted(([a], [b]) => a - b);
  const isBefore = ([account]: [number, string[]]) => account <= last;
  return [...accounts.filter((group) => !isBefore(group)), ...accounts.filter(isBefore)];
}

/** @returns true where a poll used up a quota, so that more rows may be due */
export function isExhausted(
  quotas: readonly PartitionQuota[],
  claimed: readonly Pick<ClaimedRow, "partition_key">[],
): boolean {
  return quotas.some(
    ({ key, limit }) => claimed.filter((row) => row.partition_key === key).length === limit,
  );
}
