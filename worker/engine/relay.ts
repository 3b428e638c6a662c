import {
  channelOf,
  hasHost,
  hostOf,
  limitedSubscriptionOf,
} from "../../core/model/partition-key.ts";
import {
  listPartitions,
  type ClaimedRow,
  type OutboxPartition,
  type PartitionQuota,
} from "../../core/services/outbox/outbox-claims.ts";
import { oneStatement, systemOf } from "../../db/transaction.ts";
import { isReachable } from "../temporal.ts";
import { createBell, type Bell, type PauseLimits } from "./bell.ts";
import { createBurstMode, noHosts, type BurstMode, type HostAvailability } from "./burst-mode.ts";
import { createCircuitBreaker, type CircuitBreaker } from "./circuit-breaker.ts";
import { isAtLimit, isExhausted, plan, type PollState, type Turns } from "./fair-scheduling.ts";
import { claimRows, type Bursts } from "./first-attempts.ts";
import { createLookRest } from "./look-rest.ts";
import { createRowWork, type RowWork, type RowWorkDeps } from "./row-work.ts";

/** Result of one poll. */
interface PollResult {
  rows: number;
  /** More rows may be due than the poll could claim. */
  more: boolean;
  /** Due rows wait for runs that have yet to make their first attempt. */
  full: boolean;
  /**
   * Time in ms for which nothing is due, as far as the poll can tell; infinite where no row waits for
   * its time. 0: rows may be due that the poll could not claim, or the relay has to watch something.
   */
  calmMs: number;
}

/** Dependencies of the relay. */
export interface RelayDeps extends RowWorkDeps {
  /** Without one the relay polls alone. */
  bell?: Bell | undefined;
  /** A backlog this old turns burst mode on. Default: 500. */
  enterAtMs?: number;
}

/** The loop that turns outbox rows into runs. */
export interface Relay {
  /** Polls once: claims due rows and starts work on them. The work goes on after the poll. */
  relayOnce(): Promise<PollResult>;
  /** Claims no more rows. Once it resolves, no run starts any more. Rows that are left stay in the outbox. */
  stopStarting(): Promise<void>;
  /** Stops starting, and resolves after the attempts in flight. */
  stop(): Promise<void>;
}

const busyPollMs = 5;
const idlePollMs = 50;
/**
 * While rings announce new rows. The poll finds those whose ring was lost. Shorter than the wait that
 * turns burst mode on: a row that this pause kept waiting is no backlog.
 */
const calmPollMs = 400;
/**
 * Pause while Temporal is the limit. Some waiting runs reach their first attempt in this time. A poll
 * for each of these runs would cost seven statements a delivery.
 */
const fullPollMs = 100;
/** A row that is due for so long means a backlog. */
const backlogMs = 500;
const faultMs = 1_000;

/** State of one relay, from poll to poll. */
interface RelayState {
  work: RowWork;
  breaker: CircuitBreaker;
  bell: Bell;
  burstMode: BurstMode;
  /** Burst mode of messages. */
  sendBurst: BurstMode;
  turns: Turns;
  /** The last poll, and the rows that it found, are due to this. */
  reason: "ring" | "poll";
  /** The last poll may have left rows. */
  hasMore: boolean;
}

/**
 * Starts the relay, the loop that turns outbox rows into runs. Any number of relays may run, in any
 * number of processes. One relay claims a row at a time. The row is deleted only after Temporal has
 * taken it, or once its delivery needs no run. So a crash may repeat a start or an attempt, and loses none.
 */
export function startRelay(deps: RelayDeps): Relay {
  const { bell = createBell(), enterAtMs } = deps;
  const stopping = new AbortController();
  const breaker = createCircuitBreaker();
  const work = createRowWork(deps, breaker, stopping.signal);
  const state: RelayState = {
    work,
    breaker,
    bell,
    reason: "poll",
    hasMore: false,
    burstMode: createBurstMode(undefined, undefined, enterAtMs),
    sendBurst: createBurstMode(undefined, isSendPartition, enterAtMs),
    turns: { lastAccount: 0, lastRequester: 0, lastSender: 0 },
  };
  const relayOnce = () => poll(deps, state);
  const loop = runLoop(deps.log, bell, relayOnce, stopping.signal);
  const stopStarting = async (): Promise<void> => {
    stopping.abort();
    await loop;
    await work.startsDone();
  };
  return {
    relayOnce,
    stopStarting,
    async stop() {
      await stopStarting();
      await work.done();
    },
  };
}

async function runLoop(
  log: RowWorkDeps["log"],
  bell: Bell,
  relayOnce: Relay["relayOnce"],
  stopping: AbortSignal,
): Promise<void> {
  const rest = createLookRest();
  let pauseMs = busyPollMs;
  while (!stopping.aborted) {
    const beganAt = performance.now();
    let limits: PauseLimits;
    try {
      const { rows, more, full, calmMs } = await relayOnce();
      if (more && !full) continue;
      pauseMs = rows > 0 ? busyPollMs : Math.min(pauseMs * 1.1, idlePollMs);
      if (full) pauseMs = fullPollMs;
      const isCalm = calmMs > 0 && bell.isReliable();
      const mostMs = isCalm ? Math.min(calmMs + 1, calmPollMs) : pauseMs;
      const ownRestMs = rest.after(rows, performance.now() - beganAt);
      const restMs = calmMs > 0 ? ownRestMs : busyPollMs;
      limits = { mostMs, ringAfterMs: full ? null : restMs };
    } catch (error) {
      log.error({ err: error }, "relay.failed");
      limits = { mostMs: faultMs * (0.5 + Math.random() / 2), ringAfterMs: null };
    }
    await bell.pause(limits, stopping);
  }
}

async function poll(deps: RowWorkDeps, state: RelayState): Promise<PollResult> {
  const { work, breaker, bell, burstMode, sendBurst } = state;
  const { dataSource, client, metrics, hostLimiter } = deps;
  const { connection, options } = client;
  breaker.probe(() => isReachable({ connection, namespace: options.namespace }));
  const reason = bell.beginLook();
  // A look that goes on with the rows of the one before has the same reason.
  if (reason === "ring" || !state.hasMore) state.reason = reason;
  const known = await oneStatement(dataSource, systemOf(), listPartitions);
  bell.recordFound(known);
  const partitions = known.filter(isDue);
  const bursts = evaluateBursts(deps, state, partitions);
  metrics.relayAttempting.set(bursts.deliveries ? 1 : 0);
  const pollState = readPollState(deps, state, { partitions, bursts });
  const { toHosts, quotas, turns } = plan(partitions, pollState);
  state.turns = turns;
  const claimed = await claimRows(deps, quotas, bursts);
  const { rows } = claimed;
  metrics.outboxClaimed.inc({ by: state.reason }, rows.length);
  work.take(claimed, bursts);
  const claimedToHosts = rows.filter(({ partition_key: key }) => hasHost(key)).length;
  const atLimit = isAtLimit(partitions, pollState, { toHosts, claimedToHosts });
  const full = atLimit && claimedToHosts > 0;
  const deliveries = rows.filter(({ kind }) => kind === "delivery").length;
  const isLate = !bursts.deliveries && hostLimiter.areStartsLate();
  burstMode.recordClaim({ count: deliveries, atLimit: atLimit || isLate });
  const messages = rows.filter(({ partition_key: key }) => isSendPartition(key)).length;
  sendBurst.recordClaim({ count: messages, atLimit: false });
  if (full && partitions.some(({ ageMs }) => ageMs >= backlogMs)) hostLimiter.markBacklog();
  const more = rows.length > 0 && isExhausted(quotas, rows);
  state.hasMore = more;
  // An open breaker probes with each poll.
  const isDone = !breaker.isOpen() && isEveryPartitionDone(partitions, quotas, rows);
  return { rows: rows.length, more, full, calmMs: isDone ? untilNextDue(known) : 0 };
}

function untilNextDue(known: readonly OutboxPartition[]): number {
  const waiting = known.filter((one) => !isDue(one)).map(({ ageMs }) => -ageMs);
  return Math.min(Number.POSITIVE_INFINITY, ...waiting);
}

function isDue({ ageMs }: OutboxPartition): boolean {
  return ageMs >= 0;
}

/** @returns true where a poll claimed fewer rows of each due partition than it could, and at least one */
function isEveryPartitionDone(
  partitions: readonly OutboxPartition[],
  quotas: readonly PartitionQuota[],
  rows: readonly ClaimedRow[],
): boolean {
  const claimed = new Set(rows.map(({ partition_key: key }) => key));
  return partitions.every(({ key }) => claimed.has(key)) && !isExhausted(quotas, rows);
}

/** A message is no delivery, so `FIRST_ATTEMPT` does not matter to it. */
function evaluateBursts(
  { firstAttempt, hostLimiter }: RowWorkDeps,
  { burstMode, sendBurst, breaker }: RelayState,
  partitions: readonly OutboxPartition[],
): Bursts {
  const hosts: HostAvailability = {
    isAvailable: (key) => hostLimiter.available(hostOf(key), limitedSubscriptionOf(key)) > 0,
    unsaturatedMs: (key) => hostLimiter.unsaturatedMs(hostOf(key), limitedSubscriptionOf(key)),
  };
  const isAway = breaker.isOpen();
  return {
    deliveries: firstAttempt === "adaptive" && burstMode.evaluate(partitions, hosts, isAway),
    messages: sendBurst.evaluate(partitions, noHosts, isAway),
  };
}

function isSendPartition(key: string): boolean {
  return channelOf(key) !== null;
}

/** Asks the limiters for the capacity of this poll. */
function readPollState(
  { hostLimiter, requestLimiter, sendPace }: RowWorkDeps,
  { work, breaker, turns }: RelayState,
  { partitions, bursts }: { partitions: readonly OutboxPartition[]; bursts: Bursts },
): PollState {
  const hosts = partitions.map(({ key }) => hostOf(key)).filter((host) => host !== "");
  const subscriptions = partitions.flatMap(({ key }) => {
    const id = limitedSubscriptionOf(key);
    return id === null ? [] : [[id, hostLimiter.available(hostOf(key), id)] as const];
  });
  const addresses = hosts.flatMap((host) => {
    const address = hostLimiter.addressOf(host);
    return address === null ? [] : [[host, address] as const];
  });
  const rooms = partitions.flatMap(({ key }) => {
    const channel = channelOf(key);
    return channel === null ? [] : [[key, sendPace.room(channel)] as const];
  });
  return {
    turns,
    bursting: bursts.deliveries,
    attemptsUnderWay: work.attemptsUnderWay(),
    starts: breaker.available(),
    runs: hostLimiter.startsAvailable(),
    slots: new Map(hosts.map((host) => [host, hostLimiter.available(host)])),
    addresses: new Map(addresses),
    subscriptionSlots: new Map(subscriptions),
    requests: requestLimiter.quota(),
    sends: bursts.messages ? { underWay: work.sendsUnderWay(), rooms: new Map(rooms) } : null,
  };
}
