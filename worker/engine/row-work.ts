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

/** What rows are worked on with. */
export interface RowWorkDeps extends StartOptions {
  dataSource: DataSource;
  log: Logger;
  metrics: WorkerMetrics;
  attemptDelivery: Activities["attemptDelivery"];
  requestLimiter: RequestLimiter;
  /** Whether each delivery gets its workflow at once, or the relay makes first attempts in a burst. */
  firstAttempt: "workflow" | "adaptive";
}

/** What becomes of claimed rows. */
export interface RowWork {
  /**
   * Makes the first attempt of deliveries, where `attempting`, and tells Temporal of all other rows;
   * then writes down what came of each. Returns at once: a row that takes long holds up no other.
   */
  take(rows: readonly ClaimedRow[], attempting: boolean): void;
  attemptsUnderWay(): number;
  /** Resolves once no run is being started any more; attempts may go on. */
  startsDone(): Promise<void>;
  /** Resolves once nothing is under way any more. */
  done(): Promise<void>;
}

/** `attempted`: nothing is left to do; `failed`: its run has to begin with the wait. */
type RowResult = StartResult | "attempted" | "failed";

/** Nobody waits for a row to go, and each call is a flush to disk. Far below a lease. */
const settling = { atOnce: 2, most: 200, gatherMs: () => 200 };

interface Settled {
  row: ClaimedRow;
  result: RowResult;
}

/** Makes what works on the rows of one relay. */
export function createRowWork(deps: RowWorkDeps, breaker: CircuitBreaker): RowWork {
  // No more than the breaker and the receivers' slots let begin; each leaves when it is over.
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
    // One that Temporal is slow to answer keeps neither the breaker of the others nor their rows.
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

/** The first attempt that a row asks for; null where Temporal is to be told of it instead. */
function findFirstAttempt(
  { hostLimiter, waitsMs }: RowWorkDeps,
  row: ClaimedRow,
): AttemptInput | null {
  const { delivery_id: deliveryId, run, first_number: number, account_id: accountId } = row;
  if (row.kind !== "delivery" || !hasHost(row.partition_key) || mayBeTold(row)) return null;
  if (deliveryId === null || run === null || number === null || isStale(row)) return null;
  // One that waits, or that a workflow is sending, has a run or may get one from a signal.
  if (row.state === "waiting" || (row.state === "sending" && row.via !== "relay")) return null;
  const step = { seq: 1, number, manual: false, via: "relay" } as const;
  const input = { accountId, deliveryId, run, ...step, waitsMs: [...waitsMs] };
  return hostLimiter.acquire(runKey(input), hostOf(row.partition_key)) ? input : null;
}

/**
 * Whether Temporal may know of a row: it was told and has not answered, or whoever told it has died.
 * Its workflow may be making the attempt, so nobody else does.
 */
function mayBeTold({ via, attempts, taken_over }: ClaimedRow): boolean {
  return via !== "relay" && (attempts > 0 || taken_over);
}

/** Never throws: a fault of ours gives the row back, and the same attempt is made again. */
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
 * A run that was ended in Temporal before its delivery was can be told nothing any more: who wants an
 * attempt now gets another run, and does not wait until the loss is found. One whose attempt may be under
 * way is left to that.
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

/** Whether a newer run has taken over from the one that a row asks for. */
function isStale({ asked_run: asked, run }: ClaimedRow): boolean {
  return asked !== null && run !== null && asked !== run;
}

/**
 * Whether a row asks for a signal to a delivery whose first attempt is the relay's, or may be: that is
 * the answer to who wants one now, and who cancelled it has done so in MySQL.
 */
function isRelays({ firstAttempt }: RowWorkDeps, row: ClaimedRow): boolean {
  if (row.kind !== "request" || row.attempts_made !== 0 || row.state === "waiting") return false;
  return row.via === "relay" || (firstAttempt === "adaptive" && row.state === "queued");
}

/** Name of the workflow that a row asks for; a row without one of its own is a delivery's. */
function workflowOf({ command }: ClaimedRow): string {
  return command !== null && "workflow" in command ? command.workflow : "deliverWebhook";
}

/** @returns true where only Temporal has to hear of the row, so that no host holds it back */
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
