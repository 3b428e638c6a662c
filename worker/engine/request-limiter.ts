import { createStartLimiter } from "../../activities/limits/start-limiter.ts";
import type { TemporalNaming } from "../../core/model/installation.ts";
import type { ClaimedRow } from "../../core/services/outbox/outbox-claims.ts";

/**
 * Few requests: Temporal takes tasks in the order of their arrival, so later ones wait behind them. 48
 * leave starts of the circuit breaker to deliveries.
 *
 * With two workers, half of the messages begin in the other process. They count for 1 s: with 15 s, two
 * workers sent 14 messages a second. A message that begins here later still lowers the limit.
 */
const bounds = { minInFlight: 2, initialInFlight: 16, maxInFlight: 48, countedMs: 1_000 };

/** Capacity for the requests of one poll. */
export interface RequestQuota {
  /** Further requests within the limit. */
  available: number;
  /** Accounts with a request in flight. Each other account gets one request beyond the limit. */
  busyAccounts: ReadonlySet<number>;
}

/**
 * Adaptive limit of requests that Temporal has heard of and that have yet to begin. At the limit an
 * account gets one more request, and only while it has none in flight. So an account with 10,000
 * messages delays the message of another account by a few of them.
 */
export interface RequestLimiter {
  /** Capacity of this poll. */
  quota(): RequestQuota;
  /** Counts a request that goes to Temporal. */
  add(row: ClaimedRow): void;
  /**
   * Records the answer of Temporal. A message counts until its first activity begins here, and so
   * does a retry by hand.
   * @param started true where the row started or signalled a run
   */
  recordAnswer(row: ClaimedRow, started: boolean): void;
  /** Records the first activity of a run, in this process. */
  recordBegun(workflowId: string): void;
}

/** Creates the limiter of one process. */
export function createRequestLimiter(
  naming: TemporalNaming,
  now = () => performance.now(),
): RequestLimiter {
  const starting = createStartLimiter(now, bounds);
  // The requests in `starting`: an expired request leaves both.
  const accounts = new Map<string, number>();

  /** Key of a request: the workflow id where an activity follows, else the row. */
  function keyOf(row: ClaimedRow): string {
    const workflowId = workflowWithActivity(row);
    return workflowId === null ? `row ${row.id}` : naming(workflowId);
  }

  function drop(key: string): void {
    starting.drop(key);
    accounts.delete(key);
  }

  return {
    quota() {
      for (const key of starting.takeExpired()) accounts.delete(key);
      return { available: starting.available(), busyAccounts: new Set(accounts.values()) };
    },
    add(row) {
      starting.add(keyOf(row));
      accounts.set(keyOf(row), row.account_id);
    },
    recordAnswer(row, started) {
      if (!started || workflowWithActivity(row) === null) drop(keyOf(row));
    },
    recordBegun(workflowId) {
      starting.recordBegun(workflowId);
      accounts.delete(workflowId);
    },
  };
}

/**
 * Id of a workflow whose next step is an activity, so that this process sees its beginning. Null for
 * other requests.
 */
function workflowWithActivity({ command, workflow_id: deliveryRun }: ClaimedRow): string | null {
  if (command === null) return null;
  if ("workflow" in command) return command.workflow === "sendMessage" ? command.workflowId : null;
  return command.signal === "retryNow" ? deliveryRun : null;
}
