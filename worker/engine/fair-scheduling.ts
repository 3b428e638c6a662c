import {
  accountOf,
  channelOf,
  hasHost,
  hostOf,
  isRequestPartition,
  limitedSubscriptionOf,
} from "../../core/model/partition-key.ts";
import type {
  ClaimedRow,
  OutboxPartition,
  PartitionQuota,
} from "../../core/services/outbox/outbox-claims.ts";
import type { SharedAddress } from "../../activities/limits/host-limiter.ts";
import type { RequestQuota } from "./request-limiter.ts";

/** First attempts that the relay makes at once in burst mode. */
const maxAttemptsInFlight = 600;
/** First hand-overs that the relay makes at once. Each waits for a network, and holds no connection. */
const maxSendsInFlight = 200;

/** The accounts that were served last, one for each kind of row. The next account begins. 0: none. */
export interface Turns {
  lastAccount: number;
  lastRequester: number;
  lastSender: number;
}

/** State of the relay and its limiters at one poll. */
export interface PollState {
  turns: Turns;
  /** True in burst mode, where the relay makes first attempts itself. */
  bursting: boolean;
  /** First attempts of the relay that have not ended. */
  attemptsUnderWay: number;
  /** Calls to Temporal that may begin. */
  starts: number;
  /** Runs that may start, toward all hosts together. */
  runs: number;
  /** Free slots of each host. */
  slots: ReadonlyMap<string, number>;
  /** The address that a host shares with other names. */
  addresses: ReadonlyMap<string, SharedAddress>;
  /** Free slots of each subscription with a partition of its own. */
  subscriptionSlots: ReadonlyMap<number, number>;
  requests: RequestQuota;
  /** First hand-overs by the relay; null while messages get their workflow at once. */
  sends: SendCapacity | null;
}

/** Capacity for first hand-overs. */
export interface SendCapacity {
  underWay: number;
  /** Messages that the pace of each number lets begin, by partition key. */
  rooms: ReadonlyMap<string, number>;
}

/** Rows to claim in one poll. */
export interface PollPlan {
  quotas: PartitionQuota[];
  /** Most rows of this poll that lead to any host. */
  toHosts: number;
  /** Turns of the next poll. */
  turns: Turns;
}

/**
 * Shares the capacity of one poll among partitions, as round robin. Requests come first, then
 * deliveries. Accounts take turns, and the hosts of an account take turns within it. So a slow host or
 * a long backlog of one account does not delay rows of others. The turns go on from poll to poll.
 *
 * Pure: the same partitions and the same state give the same plan.
 */
export function plan(partitions: readonly OutboxPartition[], state: PollState): PollPlan {
  const { bursting, starts, turns } = state;
  const most = bursting ? maxAttemptsInFlight - state.attemptsUnderWay : starts;
  const toHosts = bursting ? most : Math.min(starts, state.runs);
  const keys = partitions.map(({ key }) => key);
  const isSent = (key: string) => state.sends !== null && channelOf(key) !== null;
  const requestKeys = keys.filter((key) => isRequestPartition(key) && !isSent(key));
  const requests = roundRobin(requestKeys, starts, {
    last: turns.lastRequester,
    take: requestTaker(state.requests),
  });
  const sends = planSends(keys.filter(isSent), state);
  const deliveryKeys = keys.filter((key) => !isRequestPartition(key));
  const deliveries = roundRobin(deliveryKeys, most, {
    last: turns.lastAccount,
    take: slotTaker(state, toHosts),
  });
  return {
    quotas: [...requests.quotas, ...sends.quotas, ...deliveries.quotas],
    toHosts,
    turns: {
      lastAccount: deliveries.last,
      lastRequester: requests.last,
      lastSender: sends.last,
    },
  };
}

function planSends(keys: string[], { sends, turns }: PollState) {
  const left = new Map(sends?.rooms);
  const take = (key: string): boolean => {
    const room = left.get(key) ?? 0;
    left.set(key, room - 1);
    return room > 0;
  };
  const capacity = maxSendsInFlight - (sends?.underWay ?? 0);
  return roundRobin(keys, capacity, { last: turns.lastSender, take });
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

/** At the limit an account still gets one request while it has none in flight. */
function requestTaker({ available, busyAccounts }: RequestQuota): RoundRobin["take"] {
  const busy = new Set(busyAccounts);
  let left = available;
  return (key) => {
    const account = accountOf(key);
    if (left === 0 && busy.has(account)) return false;
    busy.add(account);
    left = Math.max(0, left - 1);
    return true;
  };
}

/** A row that leads to no host takes a start alone. */
function slotTaker(state: PollState, toHosts: number): RoundRobin["take"] {
  const ofHosts = new Map([...state.slots, ["", state.starts]]);
  const ofSubscriptions = new Map(state.subscriptionSlots);
  const addresses = [...state.addresses.values()];
  const ofAddresses = new Map(addresses.map(({ key, available }) => [key, available]));
  let left = toHosts;
  return (key) => {
    const ofHost = ofHosts.get(hostOf(key)) ?? 0;
    if (ofHost === 0 || (hasHost(key) && left === 0)) return false;
    const address = state.addresses.get(hostOf(key))?.key;
    const ofAddress = address === undefined ? null : (ofAddresses.get(address) ?? 0);
    if (ofAddress === 0) return false;
    const subscription = limitedSubscriptionOf(key);
    if (subscription !== null) {
      const ofSubscription = ofSubscriptions.get(subscription) ?? 0;
      if (ofSubscription === 0) return false;
      ofSubscriptions.set(subscription, ofSubscription - 1);
    }
    ofHosts.set(hostOf(key), ofHost - 1);
    if (address !== undefined && ofAddress !== null) ofAddresses.set(address, ofAddress - 1);
    if (hasHost(key)) left -= 1;
    return true;
  };
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

/**
 * @returns true where the limit of starts alone may have left due deliveries: a poll claimed as many as
 * it let begin, and one had a free slot
 */
export function isAtLimit(
  partitions: readonly OutboxPartition[],
  { bursting, slots, subscriptionSlots }: PollState,
  { toHosts, claimedToHosts }: { toHosts: number; claimedToHosts: number },
): boolean {
  if (bursting || claimedToHosts < toHosts) return false;
  return partitions.some(({ key }) => {
    if (!hasHost(key) || (slots.get(hostOf(key)) ?? 0) === 0) return false;
    const subscription = limitedSubscriptionOf(key);
    return subscription === null || (subscriptionSlots.get(subscription) ?? 0) > 0;
  });
}
