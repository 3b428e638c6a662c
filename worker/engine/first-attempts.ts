import type { DataSource } from "typeorm";
import type { Attempts, ClaimWithAttempts } from "../../activities/attempt-delivery.ts";
import { runKey, type HostLimiter } from "../../activities/limits/host-limiter.ts";
import type { Logger } from "../../core/log.ts";
import { hasHost, hostOf } from "../../core/model/partition-key.ts";
import type { AttemptInput } from "../../core/model/workflow/delivery.ts";
import {
  claimOutboxRows,
  type ClaimedRow,
  type PartitionQuota,
} from "../../core/services/outbox/outbox-claims.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import { subscriptionOf } from "./subscription-limits.ts";

/** Dependencies of first attempts. */
export interface FirstAttemptDeps {
  dataSource: DataSource;
  log: Logger;
  hostLimiter: HostLimiter;
  attempts: Attempts;
  /** Waits after each attempt of a delivery, in milliseconds. */
  waitsMs: readonly number[];
}

/** Burst modes of a poll. */
export interface Bursts {
  deliveries: boolean;
  messages: boolean;
}

/** Rows of a claim, with the first attempts that started with it. */
export type ClaimedRows = ClaimWithAttempts<ClaimedRow>;

/**
 * Claims rows. In burst mode the same transaction writes their first attempts down, so that a POST
 * waits for one flush. Where that fails, the rows are claimed alone, and each attempt is tried by
 * itself. So one delivery cannot keep the outbox from being claimed.
 */
export async function claimRows(
  deps: FirstAttemptDeps,
  quotas: readonly PartitionQuota[],
  { deliveries, messages }: Bursts,
): Promise<ClaimedRows> {
  if (quotas.length === 0) return { rows: [], started: new Map() };
  const { dataSource, attempts, log } = deps;
  const forAttempts = deliveries || messages;
  if (deliveries) {
    try {
      return await attempts.claimAndBegin(
        (tx) => claimOutboxRows(tx, quotas, { forAttempts }),
        (row) => findFirstAttempt(deps, row),
      );
    } catch (error) {
      log.warn({ err: error }, "relay.begin_failed");
    }
  }
  const rows = await transaction(dataSource, systemOf(), (tx) =>
    claimOutboxRows(tx, quotas, { forAttempts }),
  );
  return { rows, started: new Map() };
}

/** Finds the first attempt for a row, and acquires its slot. @returns null without one of them */
export function takeFirstAttempt(deps: FirstAttemptDeps, row: ClaimedRow): AttemptInput | null {
  const input = findFirstAttempt(deps, row);
  if (input === null) return null;
  const host = hostOf(row.partition_key);
  return deps.hostLimiter.acquire(runKey(input), host, subscriptionOf(row)) ? input : null;
}

/** The first attempt for a row; null if the row goes to Temporal instead. */
function findFirstAttempt(
  { waitsMs }: Pick<FirstAttemptDeps, "waitsMs">,
  row: ClaimedRow,
): AttemptInput | null {
  const { delivery_id: deliveryId, run, first_number: number, account_id: accountId } = row;
  if (row.kind !== "delivery" || !hasHost(row.partition_key) || mayBeTold(row)) return null;
  if (deliveryId === null || run === null || number === null || isStale(row)) return null;
  // A delivery that waits, or that a workflow is sending, has a run or may get one from a signal.
  if (row.state === "waiting" || (row.state === "sending" && row.via !== "relay")) return null;
  const step = { seq: 1, number, manual: false, via: "relay" } as const;
  return { accountId, deliveryId, run, ...step, waitsMs: [...waitsMs] };
}

/** @returns true for a delivery in a host's partition that only Temporal may take */
export function needsTemporal(deps: Pick<FirstAttemptDeps, "waitsMs">, row: ClaimedRow): boolean {
  if (row.kind !== "delivery" || !hasHost(row.partition_key) || isStale(row)) return false;
  return findFirstAttempt(deps, row) === null;
}

/**
 * True if Temporal may know of a row: an earlier start had no clear answer, or its process died.
 * The row's workflow may be making the attempt, so the relay must not make it.
 */
function mayBeTold({ via, attempts, taken_over }: ClaimedRow): boolean {
  return via !== "relay" && (attempts > 0 || taken_over);
}

/** True if a newer run has replaced the run that a row asks for. */
export function isStale({ asked_run: asked, run }: ClaimedRow): boolean {
  return asked !== null && run !== null && asked !== run;
}
