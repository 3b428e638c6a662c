import type { DataSource } from "typeorm";
import type { Activities } from "../../activities/index.ts";
import type { WorkerMetrics } from "../../activities/metrics.ts";
import { runKey } from "../../activities/limits/host-limiter.ts";
import { recoverDelivery } from "../../activities/reconcile.ts";
import { RetryLaterError } from "../../activities/retry-later.ts";
import { createBatcher } from "../../core/batches.ts";
import type { Logger } from "../../core/log.ts";
import { hasHost, hostOf } from "../../core/model/partition-key.ts";
import type { AttemptInput } from "../../core/model/workflow/delivery.ts";
import {
  deleteOutboxRows,
  freeOutboxRows,
  moveToTemporalPartition,
  parkOutboxRow,
  releaseOutboxRows,
  type ClaimedRow,
} from "../../core/services/outbox/outbox-claims.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";
import type { RequestLimiter } from "./request-limiter.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import { nameOf, startWorkflow, type StartOptions, type StartResult } from "./start-workflow.ts";

/** Dependencies of row work. */
export interface RowWorkDeps extends StartOptions {
  dataSource: DataSource;
  log: Logger;
  metrics: WorkerMetrics;
  attemptDelivery: Activities["attemptDelivery"];
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
   * Makes the first attempt of deliveries if `attempting`, sends all other rows to Temporal, and
   * stores the results. Returns at once: a slow row delays no other.
   */
  take(rows: readonly ClaimedRow[], attempting: boolean): void;
  attemptsUnderWay(): number;
  /** Resolves once no start is in flight any more. Attempts may go on. */
  startsDone(): Promise<void>;
  /** Resolves once nothing is in flight any more. */
  done(): Promise<void>;
}

/**
 * `attempted`: nothing is left to do. `failed`: the run of the delivery has to begin with the wait.
 */
type RowResult = StartResult | "attempted" | "failed";

/**
 * No caller waits for the deletion of a row, and each call is a flush to disk. The delay is far
 * below a lease.
 */
const settling = { atOnce: 2, most: 200, gatherMs: () => 200 };

interface Settled {
  row: ClaimedRow;
  result: RowResult;
}

/** Creates the row work of one relay. */
export function createRowWork(deps: RowWorkDeps, breaker: CircuitBreaker): RowWork {
  // Bounded by the circuit breaker and the host limiter. Each entry leaves at its end.
  const underWay = { attempts: new Set<Promise<void>>(), starts: new Set<Promise<void>>() };
  let attempts = 0;
  const settle = createBatcher((settled: Settled[]) => settleRows(deps, settled), settling);

  async function attempt(row: ClaimedRow, input: AttemptInput): Promise<void> {
    attempts += 1;
    const result = await attemptFirst(deps, input);
    attempts -= 1;
    count(deps, row, result);
    await settle({ row, result });
  }

  async function start(rows: readonly ClaimedRow[]): Promise<void> {
    breaker.begin(rows.length);
    const calls = rows.map((row) => ({ row, call: startRow(deps, row).finally(breaker.end) }));
    const told = calls.map(async ({ row, call }) => ({
      result: await call,
      failedBefore: row.attempts > 0,
    }));
    const judged = Promise.all(told).then(breaker.recordOutcomes);
    // A start that Temporal answers late delays neither the outcomes of the others nor their rows.
    const settled = calls.map(async ({ row, call }) => {
      const result = await replaceEndedRun(deps, row, await call);
      count(deps, row, result);
      await settle({ row, result });
    });
    await Promise.all([judged, ...settled]);
  }

  function keep(all: Set<Promise<void>>, work: Promise<void>): void {
    const one = work
      .catch((error: unknown) => deps.log.error({ err: error }, "relay.failed"))
      .finally(() => all.delete(one));
    all.add(one);
  }

  async function startsDone(): Promise<void> {
    while (underWay.starts.size > 0) await Promise.all(underWay.starts);
  }

  return {
    take(rows, attempting) {
      const starts: ClaimedRow[] = [];
      for (const row of rows) {
        const input = attempting ? findFirstAttempt(deps, row) : null;
        if (input === null) starts.push(row);
        else keep(underWay.attempts, attempt(row, input));
      }
      if (starts.length > 0) keep(underWay.starts, start(starts));
    },
    attemptsUnderWay: () => attempts,
    startsDone,
    async done() {
      await startsDone();
      while (underWay.attempts.size > 0) await Promise.all(underWay.attempts);
    },
  };
}

/** The first attempt for a row; null if the row goes to Temporal instead. */
function findFirstAttempt(
  { hostLimiter, waitsMs }: RowWorkDeps,
  row: ClaimedRow,
): AttemptInput | null {
  const { delivery_id: deliveryId, run, first_number: number, account_id: accountId } = row;
  if (row.kind !== "delivery" || !hasHost(row.partition_key) || mayBeTold(row)) return null;
  if (deliveryId === null || run === null || number === null || isStale(row)) return null;
  // A delivery that waits, or that a workflow is sending, has a run or may get one from a signal.
  if (row.state === "waiting" || (row.state === "sending" && row.via !== "relay")) return null;
  const step = { seq: 1, number, manual: false, via: "relay" } as const;
  const input = { accountId, deliveryId, run, ...step, waitsMs: [...waitsMs] };
  return hostLimiter.acquire(runKey(input), hostOf(row.partition_key)) ? input : null;
}

/**
 * True if Temporal may know of a row: an earlier start had no clear answer, or its process died.
 * The row's workflow may be making the attempt, so the relay must not make it.
 */
function mayBeTold({ via, attempts, taken_over }: ClaimedRow): boolean {
  return via !== "relay" && (attempts > 0 || taken_over);
}

/** Never throws. After an error of ours the row is released, and the same attempt is made again. */
async function attemptFirst(
  { attemptDelivery, log }: RowWorkDeps,
  input: AttemptInput,
): Promise<RowResult> {
  try {
    const { state } = await attemptDelivery(input);
    return state === "waiting" ? "failed" : "attempted";
  } catch (error) {
    if (!(error instanceof RetryLaterError)) {
      log.error({ err: error, delivery_id: input.deliveryId }, "relay.attempt_failed");
    }
    return { error: nameOf(error), transient: true };
  }
}

async function startRow(deps: RowWorkDeps, row: ClaimedRow): Promise<StartResult> {
  if (isStale(row) || isRelays(deps, row)) return "known";
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
  if (result !== "known" || isRelays(deps, row)) return result;
  if (command?.op !== "signalDelivery" || command.signal !== "retryNow") return result;
  if (id === null || (state !== "waiting" && state !== "queued")) return result;
  try {
    await recoverDelivery(deps, { id, accountId, run: command.run }, { atOnce: true });
    return result;
  } catch (error) {
    return { error: nameOf(error), transient: true };
  }
}

/** True if a newer run has replaced the run that a row asks for. */
function isStale({ asked_run: asked, run }: ClaimedRow): boolean {
  return asked !== null && run !== null && asked !== run;
}

/**
 * True if a row asks for a signal to a delivery whose first attempt the relay makes or may make.
 * That attempt answers a retry by hand. A cancellation has taken effect in MySQL already.
 */
function isRelays({ firstAttempt }: RowWorkDeps, row: ClaimedRow): boolean {
  if (row.kind !== "request" || row.attempts_made !== 0 || row.state === "waiting") return false;
  return row.via === "relay" || (firstAttempt === "adaptive" && row.state === "queued");
}

/** Name of the workflow of a row. A row without a name of its own belongs to a delivery. */
function workflowOf({ command }: ClaimedRow): string {
  return command !== null && "workflow" in command ? command.workflow : "deliverWebhook";
}

/** @returns true if the row only has to reach Temporal, so that no host limits it */
function isForTemporal({ firstAttempt }: RowWorkDeps, row: ClaimedRow, result: RowResult): boolean {
  if (result === "failed") return true;
  if (firstAttempt === "workflow" || row.kind !== "delivery" || row.via === "relay") return false;
  return typeof result === "object" && result.transient;
}

async function settleRows(deps: RowWorkDeps, settled: readonly Settled[]): Promise<true[]> {
  const done: number[] = [];
  const failed: number[] = [];
  const released = new Map<string, number[]>();
  const forTemporal: number[] = [];
  const parked: { id: number; error: string }[] = [];
  for (const { row, result } of settled) {
    if (isForTemporal(deps, row, result)) forTemporal.push(row.id);
    if (result === "failed") failed.push(row.id);
    else if (typeof result === "string") done.push(row.id);
    else if (result.transient) {
      released.set(result.error, [...(released.get(result.error) ?? []), row.id]);
    } else parked.push({ id: row.id, error: result.error });
  }
  for (const [error, ids] of released) {
    deps.log.warn({ error, rows: ids.length }, "relay.lease_released");
  }
  const { dataSource } = deps;
  if (done.length === settled.length) {
    await oneStatement(dataSource, systemOf(), (tx) => deleteOutboxRows(tx, done));
  } else {
    await transaction(dataSource, systemOf(), async (tx) => {
      if (done.length > 0) await deleteOutboxRows(tx, done);
      if (failed.length > 0) await freeOutboxRows(tx, failed);
      for (const [error, ids] of released) await releaseOutboxRows(tx, ids, error);
      if (forTemporal.length > 0) await moveToTemporalPartition(tx, forTemporal);
      for (const { id, error } of parked) await parkOutboxRow(tx, id, error);
    });
  }
  return settled.map(() => true);
}

function count({ metrics, log }: RowWorkDeps, row: ClaimedRow, result: RowResult): void {
  if (typeof result === "string") {
    metrics.outboxRelayed.inc({ result });
    if (result === "started") metrics.workflowsStarted.inc({ workflow: workflowOf(row) });
  } else if (result.transient) metrics.outboxRelayed.inc({ result: "retried" });
  else {
    metrics.outboxRelayed.inc({ result: "parked" });
    log.error({ outbox_id: row.id, error: result.error }, "relay.parked");
  }
}
