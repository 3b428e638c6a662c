import { setTimeout as sleep } from "node:timers/promises";
import {
  claimOutboxRows,
  listDuePartitions,
  type ClaimedRow,
  type PartitionQuota,
} from "../../core/services/outbox/outbox-claims.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";
import { hostOf, isExhausted, leadsToHost, scheduleFairly, type Turns } from "./fair-scheduling.ts";
import { createRowWork, type RowWork, type RowWorkDeps } from "./row-work.ts";
import { createCircuitBreaker, type CircuitBreaker } from "./circuit-breaker.ts";
import { isReachable } from "../temporal.ts";
import { createBurstMode, type HostAvailability, type BurstMode } from "./burst-mode.ts";

/** What one look came to. */
interface PollResult {
  rows: number;
  /** There may be more rows than this look could take. */
  more: boolean;
  /** They wait for runs that have yet to make their first attempt. */
  full: boolean;
}

/** The loop that turns outbox rows into runs. */
export interface Relay {
  /** One look: claims what is due. What becomes of it goes on by itself. */
  relayOnce(): Promise<PollResult>;
  /** Takes no more rows, and starts no more runs once it resolves; those left stay in the outbox. */
  stopStarting(): Promise<void>;
  /** Does so, and ends after the attempts under way. */
  stop(): Promise<void>;
}

/** First attempts that the relay has under way at once. */
const maxAttemptsInFlight = 600;
const busyPollMs = 5;
const idlePollMs = 50;
/**
 * Where Temporal is what limits: some of what may wait for it has got to its attempt by then. A look for
 * each run that does would be seven statements for every delivery.
 */
const fullPollMs = 100;
/** What has been due for so long is no hiccup. */
const backlogMs = 500;
const faultMs = 1_000;

/** What one relay knows from one look to the next. */
interface RelayState {
  work: RowWork;
  breaker: CircuitBreaker;
  burstMode: BurstMode;
  turns: Turns;
}

/**
 * Starts the relay. Any number may run, in any number of processes: a row is claimed by one at a time
 * and deleted only after Temporal has taken it or its delivery needs no run, so a crash repeats a
 * start or an attempt and never loses one.
 */
export function startRelay(deps: RowWorkDeps): Relay {
  const stopping = new AbortController();
  const breaker = createCircuitBreaker();
  const work = createRowWork(deps, breaker);
  const state = {
    work,
    breaker,
    burstMode: createBurstMode(),
    turns: { lastAccount: 0, lastRequester: 0 },
  };
  const relayOnce = () => poll(deps, state);
  const loop = runLoop(deps, relayOnce, stopping.signal);
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
  { log }: RowWorkDeps,
  relayOnce: Relay["relayOnce"],
  stopping: AbortSignal,
): Promise<void> {
  let pauseMs = busyPollMs;
  while (!stopping.aborted) {
    try {
      const { rows, more, full } = await relayOnce();
      pauseMs = rows > 0 ? busyPollMs : Math.min(pauseMs * 1.1, idlePollMs);
      if (full) pauseMs = fullPollMs;
      else if (more) continue;
    } catch (error) {
      log.error({ err: error }, "relay.failed");
      pauseMs = faultMs * (0.5 + Math.random() / 2);
    }
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

async function poll(deps: RowWorkDeps, state: RelayState): Promise<PollResult> {
  const { work, breaker, burstMode } = state;
  const { dataSource, client, firstAttempt, metrics, hostLimiter, requestLimiter } = deps;
  const { connection, options } = client;
  breaker.probe(() => isReachable({ connection, namespace: options.namespace }));
  const partitions = await oneStatement(dataSource, systemOf(), listDuePartitions);
  const hosts: HostAvailability = {
    isAvailable: (key) => hostLimiter.available(hostOf(key)) > 0,
    unsaturatedMs: (key) => hostLimiter.unsaturatedMs(hostOf(key)),
  };
  const open =
    firstAttempt === "adaptive" && burstMode.evaluate(partitions, hosts, breaker.isOpen());
  metrics.relayAttempting.set(open ? 1 : 0);
  const starts = breaker.available();
  const room = (host: string) => (host === "" ? starts : hostLimiter.available(host));
  const deliveries = open ? maxAttemptsInFlight - work.attemptsUnderWay() : starts;
  const toHosts = open ? deliveries : Math.min(starts, hostLimiter.startsAvailable());
  const names = partitions.map(({ key }) => key);
  const { tryTake: takeRequest } = requestLimiter.quota();
  const bounds = { deliveries, toHosts, requests: starts, takeRequest, ...state.turns };
  const { quotas, ...turns } = scheduleFairly(names, room, bounds);
  state.turns = turns;
  const rows = await claim(deps, quotas, open);
  burstMode.recordClaimed(rows.filter(({ kind }) => kind === "delivery").length);
  work.take(rows, open);
  const asking = rows.filter(({ partition_key }) => leadsToHost(partition_key)).length;
  const full = !open && asking > 0 && asking === toHosts;
  if (full && partitions.some(({ ageMs }) => ageMs >= backlogMs)) hostLimiter.markBacklog();
  return { rows: rows.length, more: rows.length > 0 && isExhausted(quotas, rows), full };
}

async function claim(
  { dataSource }: RowWorkDeps,
  quotas: readonly PartitionQuota[],
  forAttempts: boolean,
): Promise<ClaimedRow[]> {
  if (quotas.length === 0) return [];
  return await transaction(dataSource, systemOf(), (tx) =>
    claimOutboxRows(tx, quotas, { forAttempts }),
  );
}
