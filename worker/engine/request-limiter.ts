import { createStartLimiter } from "../../activities/limits/start-limiter.ts";
import type { TemporalNaming } from "../../core/model/installation.ts";
import type { ClaimedRow } from "../../core/services/outbox/outbox-claims.ts";

/**
 * A message whose first activity begins in another process keeps its entry for 15 s, so that a second
 * worker costs room. A shorter time would forget runs that wait in a slow Temporal, and their wait is
 * what lowers the limit.
 *
 * Few, since whoever comes next waits behind them in Temporal, which takes tasks in the order of their
 * arrival. 48 leave room in the pace for deliveries.
 */
const bounds = { minInFlight: 2, initialInFlight: 16, maxInFlight: 48 };

/** Room for the requests of one look. */
export interface RequestQuota {
  /** Takes room for one request of an account. False: there is none. */
  tryTake: (accountId: number) => boolean;
}

/**
 * The requests that this process has told Temporal of and that it is still at. There are so many as let
 * a run begin soon, whatever the machine bears; beyond that an account gets one alone, and only while
 * it has none. So an account with 10,000 messages delays another's by a few of them.
 */
export interface RequestLimiter {
  quota(): RequestQuota;
  /** Temporal is about to be told of a request. */
  add(row: ClaimedRow): void;
  /** Temporal has answered. Where the row began a message's run, its first activity is waited for. */
  recordAnswer(row: ClaimedRow, began: boolean): void;
  /** An activity of a run has begun in this process. */
  recordBegun(workflowId: string): void;
}

/** Makes the requests of one process. */
export function createRequestLimiter(
  naming: TemporalNaming,
  now = () => Date.now(),
): RequestLimiter {
  const starting = createStartLimiter(now, bounds);
  // Those that `waiting` holds: what is lost there leaves here too.
  const accounts = new Map<string, number>();

  /** A run is known by its id; what is told to one that exists, by its row. */
  function keyOf(row: ClaimedRow): string {
    const { command } = row;
    return isMessage(row) && command !== null && "workflowId" in command
      ? naming(command.workflowId)
      : `row ${row.id}`;
  }

  function drop(key: string): void {
    starting.drop(key);
    accounts.delete(key);
  }

  return {
    quota() {
      for (const key of starting.takeExpired()) accounts.delete(key);
      const busy = new Set(accounts.values());
      let left = starting.available();
      return {
        tryTake(accountId) {
          if (left === 0 && busy.has(accountId)) return false;
          busy.add(accountId);
          left = Math.max(0, left - 1);
          return true;
        },
      };
    },
    add(row) {
      starting.add(keyOf(row));
      accounts.set(keyOf(row), row.account_id);
    },
    recordAnswer(row, began) {
      if (!began || !isMessage(row)) drop(keyOf(row));
    },
    recordBegun(workflowId) {
      starting.recordBegun(workflowId);
      accounts.delete(workflowId);
    },
  };
}

/** Such a run begins with an activity at once, so that its beginning is heard of. */
function isMessage({ command }: ClaimedRow): boolean {
  return command !== null && "workflow" in command && command.workflow === "sendMessage";
}
