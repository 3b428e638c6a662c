import type { WorkerMetrics } from "../../activities/metrics.ts";
import { recoverDelivery } from "../../activities/reconcile.ts";
import { RetryLaterError } from "../../activities/retry-later.ts";
import { createBatcher } from "../../core/batches.ts";
import type { AttemptOutcome } from "../../core/model/workflow/delivery.ts";
import {
  deleteOutboxRows,
  freeOutboxRows,
  giveTriedToTemporal,
  isWithTemporal,
  moveToTemporalPartition,
  parkOutboxRow,
  postponeOutboxRow,
  releaseOutboxRows,
  type ClaimedRow,
} from "../../core/services/outbox/outbox-claims.ts";
import { oneStatement, systemOf, transaction, type Tx } from "../../db/transaction.ts";
import type { RequestLimiter } from "./request-limiter.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import {
  isStale,
  needsTemporal,
  takeFirstAttempt,
  type Bursts,
  type ClaimedRows,
  type FirstAttemptDeps,
} from "./first-attempts.ts";
import {
  createFirstSends,
  findFirstSend,
  type FirstSend,
  type FirstSendDeps,
} from "./first-sends.ts";
import { nameOf, startWorkflow, type StartOptions, type StartResult } from "./start-workflow.ts";
import { splitByLimits, freeRowsBeyondLimits } from "./subscription-limits.ts";

/** Dependencies of row work. */
export interface RowWorkDeps extends StartOptions, FirstAttemptDeps, FirstSendDeps {
  metrics: WorkerMetrics;
  requestLimiter: RequestLimiter;
  /**
   * `workflow`: each delivery gets its workflow at once. `adaptive`: in burst mode the relay makes
   * first attempts.
   */
  firstAttempt: "workflow" | "adaptive";
}

/** Work on claimed rows. */
export interface RowWork {
  /**
   * Makes the first attempt of deliveries, or the first hand-over of messages, where their burst mode
   * is on. Goes on with attempts that started with the claim. Sends all other rows to Temporal, and
   * stores the results. Returns at once: a slow row delays no other.
   */
  take(claimed: ClaimedRows, bursts: Bursts): void;
  attemptsUnderWay(): number;
  sendsUnderWay(): number;
  /** Resolves once no start is in flight any more. Attempts may go on. */
  startsDone(): Promise<void>;
  /** Resolves once nothing is in flight any more. */
  done(): Promise<void>;
}

/**
 * `attempted`, `handed_over`: nothing is left to do. `failed`, `tried`: the run has to begin with the
 * wait. `limited`: the limit of the subscription leaves no room. `kept_back`: Temporal is away.
 * `laterMs`: the row is claimed again after this time.
 */
type RowResult =
  | StartResult
  | "attempted"
  | "failed"
  | "handed_over"
  | "tried"
  | "limited"
  | "kept_back";

/**
 * No caller waits for the deletion of a row, and each call is a flush to disk. The delay is far
 * below a lease.
 */
const settling = { atOnce: 2, most: 200, gatherMs: () => 200 };

interface Settled {
  row: ClaimedRow;
  result: RowResult;
}

/** Creates the row work of one relay. @param stopping aborted once no further hand-over begins */
export function createRowWork(
  deps: RowWorkDeps,
  breaker: CircuitBreaker,
  stopping: AbortSignal,
): RowWork {
  // Bounded by the circuit breaker and the host limiter. Each entry leaves at its end.
  const underWay = { attempts: new Set<Promise<void>>(), starts: new Set<Promise<void>>() };
  let attempts = 0;
  const firstSends = createFirstSends(deps, stopping);
  const settle = createBatcher((settled: Settled[]) => settleRows(deps, settled), settling);

  async function end(row: ClaimedRow, result: RowResult): Promise<void> {
    count(deps, row, result);
    await settle({ row, result });
  }

  async function follow(row: ClaimedRow, attempt: Promise<AttemptOutcome>): Promise<void> {
    attempts += 1;
    const result = await resultOf(deps, row, attempt);
    attempts -= 1;
    await end(row, result);
  }

  const send = async (row: ClaimedRow, first: FirstSend) =>
    await end(row, await firstSends.send(first));
  const start = (rows: readonly ClaimedRow[]) => startRows(deps, breaker, rows, end);
  const keep = (all: Set<Promise<void>>, work: Promise<void>) => keepUntilEnd(deps, all, work);

  async function startsDone(): Promise<void> {
    while (underWay.starts.size > 0) await Promise.all(underWay.starts);
  }

  return {
    take({ rows, started }, { deliveries, messages }) {
      const starts: ClaimedRow[] = [];
      const { attemptDelivery, finishAttempt } = deps.attempts;
      for (const [row, one] of started) {
        keep(underWay.attempts, follow(row, finishAttempt(one)));
      }
      const rest = rows.filter((row) => !started.has(row));
      const { within, beyond } = splitByLimits(deps.hostLimiter, rest);
      for (const row of beyond) keep(underWay.attempts, end(row, "limited"));
      for (const row of within) {
        // In burst mode a poll claims deliveries although Temporal is away.
        if (deliveries && breaker.isOpen() && needsTemporal(deps, row)) {
          keep(underWay.attempts, end(row, "kept_back"));
          continue;
        }
        const input = deliveries ? takeFirstAttempt(deps, row) : null;
        const first = messages ? findFirstSend(row, breaker.isOpen()) : null;
        if (input !== null) keep(underWay.attempts, follow(row, attemptDelivery(input)));
        else if (first !== null) keep(underWay.attempts, send(row, first));
        else starts.push(row);
      }
      if (starts.length > 0) keep(underWay.starts, start(starts));
    },
    attemptsUnderWay: () => attempts,
    sendsUnderWay: firstSends.underWay,
    startsDone,
    async done() {
      await startsDone();
      while (underWay.attempts.size > 0) await Promise.all(underWay.attempts);
    },
  };
}

function keepUntilEnd({ log }: RowWorkDeps, all: Set<Promise<void>>, work: Promise<void>): void {
  const one = work
    .catch((error: unknown) => log.error({ err: error }, "relay.failed"))
    .finally(() => all.delete(one));
  all.add(one);
}

/** Never throws. After an error of ours the row is released, and the same attempt is made again. */
async function resultOf(
  { log }: RowWorkDeps,
  { delivery_id: deliveryId }: ClaimedRow,
  attempt: Promise<AttemptOutcome>,
): Promise<RowResult> {
  try {
    const { state } = await attempt;
    return state === "waiting" ? "failed" : "attempted";
  } catch (error) {
    if (!(error instanceof RetryLaterError)) {
      log.error({ err: error, delivery_id: deliveryId }, "relay.attempt_failed");
    }
    return { error: nameOf(error), transient: true };
  }
}

/** Sends rows to Temporal. @param end gets the result of each as it comes */
async function startRows(
  deps: RowWorkDeps,
  breaker: CircuitBreaker,
  rows: readonly ClaimedRow[],
  end: (row: ClaimedRow, result: RowResult) => Promise<void>,
): Promise<void> {
  breaker.begin(rows.length);
  const calls = rows.map((row) => {
    // Asked once: the relay may start the run meanwhile, and that run has not ended.
    const own = isRelays(deps, row);
    return { row, own, call: startRow(deps, row, own).finally(breaker.end) };
  });
  const told = calls.map(async ({ row, call }) => {
    return { result: await call, failedBefore: row.attempts > 0 };
  });
  const judged = Promise.all(told).then(breaker.recordOutcomes);
  // A start that Temporal answers late delays neither the outcomes of the others nor their rows.
  const settled = calls.map(async ({ row, own, call }) => {
    const result = await call;
    await end(row, (await own) ? result : await replaceEndedRun(deps, row, result));
  });
  await Promise.all([judged, ...settled]);
}

/** Pause of a row of which MySQL did not tell whose it is. */
const unknownLaterMs = 1_000;

async function startRow(
  deps: RowWorkDeps,
  row: ClaimedRow,
  own: Promise<boolean | "unknown">,
): Promise<StartResult> {
  if (isStale(row)) return "known";
  const isOwn = await own;
  if (isOwn === "unknown") return { laterMs: unknownLaterMs };
  if (isOwn) return "known";
  if (row.kind === "delivery") return await startWorkflow(deps, row);
  deps.requestLimiter.add(row);
  const result = await startWorkflow(deps, row);
  deps.requestLimiter.recordAnswer(row, result === "started");
  return result;
}

/**
 * Replaces a run that was ended in Temporal before its delivery. Such a run takes no signal. A
 * retry by hand gets a new run at once, instead of waiting until `reconcile` finds the lost run. A
 * delivery that may have an attempt in flight is left alone.
 */
async function replaceEndedRun(
  deps: RowWorkDeps,
  row: ClaimedRow,
  result: StartResult,
): Promise<StartResult> {
  const { command, delivery_id: id, account_id: accountId, state } = row;
  if (result !== "known" || id === null) return result;
  if (command?.op !== "signalDelivery" || command.signal !== "retryNow") return result;
  if (state !== "waiting" && state !== "queued") return result;
  try {
    await recoverDelivery(deps, { id, accountId, run: command.run }, { atOnce: true });
    return result;
  } catch (error) {
    return { error: nameOf(error), transient: true };
  }
}

/**
 * True if a row asks for a signal to a delivery whose first attempt the relay makes or may make.
 * That attempt answers a retry by hand. A cancellation has taken effect in MySQL already. A queued
 * delivery that has left the outbox is with Temporal, where its run may have ended. `unknown`: MySQL
 * did not tell.
 */
async function isRelays(
  { firstAttempt, dataSource, log }: RowWorkDeps,
  row: ClaimedRow,
): Promise<boolean | "unknown"> {
  const { delivery_id: id, via, state } = row;
  if (row.kind !== "request" || row.attempts_made !== 0 || state === "waiting") return false;
  if (via === "relay") return true;
  if (firstAttempt !== "adaptive" || state !== "queued" || id === null) return false;
  try {
    return !(await oneStatement(dataSource, systemOf(), (tx) => isWithTemporal(tx, id)));
  } catch (error) {
    // No fault of Temporal, so no failed start.
    log.warn({ err: error, delivery_id: id }, "relay.start_unknown");
    return "unknown";
  }
}

/** Name of the workflow of a row. A row without a name of its own belongs to a delivery. */
function workflowOf({ command }: ClaimedRow): string {
  return command !== null && "workflow" in command ? command.workflow : "deliverWebhook";
}

/** @returns true if the row only has to reach Temporal, so that no host limits it */
function isForTemporal({ firstAttempt }: RowWorkDeps, row: ClaimedRow, result: RowResult): boolean {
  if (result === "failed" || result === "kept_back") return true;
  if (firstAttempt === "workflow" || row.kind !== "delivery" || row.via === "relay") return false;
  return typeof result === "object" && "error" in result && result.transient;
}

/** Results after which a row is due at once. */
const freed = new Set<RowResult>(["failed", "tried", "kept_back"]);

/** Results after which a row stays in the outbox. */
const goingOn = new Set<RowResult>([...freed, "limited"]);

async function settleRows(deps: RowWorkDeps, settled: readonly Settled[]): Promise<true[]> {
  const idsOf = (isTrue: (row: ClaimedRow, result: RowResult) => boolean) =>
    settled.filter(({ row, result }) => isTrue(row, result)).map(({ row }) => row.id);
  const done = idsOf((_, result) => typeof result === "string" && !goingOn.has(result));
  const { dataSource } = deps;
  if (done.length === settled.length) {
    await oneStatement(dataSource, systemOf(), (tx) => deleteOutboxRows(tx, done));
    return settled.map(() => true);
  }
  const free = idsOf((_, result) => freed.has(result));
  const limited = settled.filter(({ result }) => result === "limited").map(({ row }) => row);
  const forTemporal = idsOf((row, result) => isForTemporal(deps, row, result));
  const tried = idsOf((_, result) => result === "tried");
  await transaction(dataSource, systemOf(), async (tx) => {
    if (done.length > 0) await deleteOutboxRows(tx, done);
    if (free.length > 0) await freeOutboxRows(tx, free);
    await freeRowsBeyondLimits(tx, limited);
    await settleFaults(deps, tx, settled);
    if (forTemporal.length > 0) await moveToTemporalPartition(tx, forTemporal);
    if (tried.length > 0) await giveTriedToTemporal(tx, tried);
  });
  return settled.map(() => true);
}

/** Releases, postpones or parks the rows that come again. */
async function settleFaults(
  { log }: RowWorkDeps,
  tx: Tx,
  settled: readonly Settled[],
): Promise<void> {
  const released = new Map<string, number[]>();
  for (const { row, result } of settled) {
    if (typeof result === "string") continue;
    if ("laterMs" in result) await postponeOutboxRow(tx, row.id, result.laterMs);
    else if (!result.transient) await parkOutboxRow(tx, row.id, result.error);
    else released.set(result.error, [...(released.get(result.error) ?? []), row.id]);
  }
  for (const [error, ids] of released) {
    log.warn({ error, rows: ids.length }, "relay.lease_released");
    await releaseOutboxRows(tx, ids, error);
  }
}

function count({ metrics, log }: RowWorkDeps, row: ClaimedRow, result: RowResult): void {
  if (typeof result === "string") {
    metrics.outboxRelayed.inc({ result });
    if (result === "started") metrics.workflowsStarted.inc({ workflow: workflowOf(row) });
  } else if ("laterMs" in result) metrics.outboxRelayed.inc({ result: "postponed" });
  else if (result.transient) metrics.outboxRelayed.inc({ result: "retried" });
  else {
    metrics.outboxRelayed.inc({ result: "parked" });
    log.error({ outbox_id: row.id, error: result.error }, "relay.parked");
  }
}
