import type { Tx } from "../../../db/transaction.ts";
import { hourMs } from "../../model/durations.ts";
import { failuresUntilFailing } from "../../model/subscription.ts";
import type { SubscriptionStatsView } from "../../model/views/dashboard.ts";

const hours = 24;
/**
 * Number of newest attempts that are read for each hour, so that the read stays small under any
 * load.
 */
const attemptsAnHour = 100;

/** A moment in whole hours since 1970, by which attempts are indexed. */
export function hourOf(moment: Date): number {
  return Math.floor(moment.getTime() / hourMs);
}

interface FailureRow {
  delivery_id: number | null;
  failed_at: Date | null;
  status_code: number | null;
  error_class: string | null;
}

interface HourRow extends FailureRow {
  subscription_id: number;
  hour: number;
  seen: number;
  attempts: number;
  failed: number;
  p95_ms: number | null;
}

interface NewestRow extends FailureRow {
  subscription_id: number;
  failed: number;
}

/**
 * The stats of subscriptions of the account, in the order of the ids and in two statements.
 * Attempts under way do not count. Of each hour at most the newest 100 attempts are read.
 */
export async function listSubscriptionStats(
  tx: Tx,
  subscriptionIds: readonly number[],
): Promise<SubscriptionStatsView[]> {
  const lastHour = hourOf(tx.now);
  const wanted = Array.from({ length: hours }, (_, index) => lastHour - hours + 1 + index);
  const rows = await tx.manager.query<HourRow[]>(statement, [
    JSON.stringify(subscriptionIds),
    JSON.stringify(wanted),
    tx.actor.accountId,
    attemptsAnHour,
  ]);
  const newest = await tx.manager.query<NewestRow[]>(newestStatement, [
    JSON.stringify(subscriptionIds),
    tx.actor.accountId,
    failuresUntilFailing,
  ]);
  const isOf = (id: number) => (row: { subscription_id: number }) => row.subscription_id === id;
  return subscriptionIds.map((id) => {
    const own = new Map(rows.filter(isOf(id)).map((row) => [row.hour, row]));
    const failures = newest.filter(isOf(id)).filter(({ failed }) => failed === 1);
    return present(id, wanted, own, failures.length === failuresUntilFailing ? failures : []);
  });
}

/**
 * The newest finished attempts of each subscription, newest first. They may be older than a day: a
 * receiver that failed and was left alone since still fails.
 */
const newestStatement = `
  SELECT s.id AS subscription_id, a.delivery_id, a.started_at AS failed_at, a.status_code, a.error_class,
         a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299 AS failed
    FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS s
    JOIN LATERAL (
      SELECT t.id, t.started_hour, t.delivery_id, t.started_at, t.status_code, t.error_class
        FROM delivery_attempts t FORCE INDEX (delivery_attempts_hour)
       WHERE t.subscription_id = s.id AND t.account_id = ? AND t.duration_ms IS NOT NULL
       ORDER BY t.subscription_id DESC, t.started_hour DESC, t.id DESC LIMIT ?
    ) AS a
   ORDER BY a.started_hour DESC, a.id DESC`;

/**
 * Hours are compared by equality, because MySQL cannot use the index for a range from another
 * table. The order names all columns of the index, because MySQL reads in the order of an index
 * only then.
 */
const statement = `
  WITH looked_at AS (
    SELECT s.id AS subscription_id, h.hour, a.id, a.duration_ms, a.status_code,
           a.duration_ms IS NOT NULL AND (a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299) AS failed
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS s
      JOIN JSON_TABLE(?, '$[*]' COLUMNS (hour INT UNSIGNED PATH '$')) AS h
      JOIN LATERAL (
        SELECT t.id, t.duration_ms, t.status_code
          FROM delivery_attempts t FORCE INDEX (delivery_attempts_hour)
         WHERE t.subscription_id = s.id AND t.started_hour = h.hour AND t.account_id = ?
         ORDER BY t.subscription_id DESC, t.started_hour DESC, t.id DESC LIMIT ?
      ) AS a
  ), ranked AS (
    SELECT *, CUME_DIST() OVER (PARTITION BY subscription_id, status_code IS NULL ORDER BY duration_ms) AS share
      FROM looked_at
  ), counted AS (
    SELECT subscription_id, hour, COUNT(*) AS seen, COUNT(duration_ms) AS attempts,
           COUNT(IF(failed, 1, NULL)) AS failed, MAX(IF(failed, id, NULL)) AS last_failed_id,
           MIN(IF(status_code IS NOT NULL AND share >= 0.95, duration_ms, NULL)) AS p95_ms
      FROM ranked GROUP BY subscription_id, hour
  )
  SELECT c.subscription_id, c.hour, c.seen, c.attempts, c.failed, c.p95_ms,
         f.delivery_id, f.started_at AS failed_at, f.status_code, f.error_class
    FROM counted c LEFT JOIN delivery_attempts f ON f.id = c.last_failed_id`;

/** @param streak the newest attempts where all of them failed, newest first; else empty */
function present(
  id: number,
  wanted: number[],
  rows: Map<number, HourRow>,
  streak: FailureRow[],
): SubscriptionStatsView {
  const own = [...rows.values()];
  const p95s = own.flatMap(({ p95_ms }) => (p95_ms === null ? [] : [p95_ms]));
  return {
    subscription_id: id,
    hours: wanted.map((hour) => ({
      starts_at: new Date(hour * hourMs).toISOString(),
      attempts: rows.get(hour)?.attempts ?? 0,
      failed: rows.get(hour)?.failed ?? 0,
    })),
    attempts: own.reduce((sum, row) => sum + row.attempts, 0),
    failed: own.reduce((sum, row) => sum + row.failed, 0),
    p95_ms: p95s.length === 0 ? null : Math.min(...p95s),
    last_error: lastErrorOf([...streak, ...own.toSorted((a, b) => b.hour - a.hour)]),
    sampled: own.some(({ seen }) => seen === attemptsAnHour),
    failing: streak.length > 0,
  };
}

/** @param rows newest first */
function lastErrorOf(rows: FailureRow[]): SubscriptionStatsView["last_error"] {
  const row = rows.find(({ delivery_id }) => delivery_id !== null);
  if (row === undefined || row.delivery_id === null || row.failed_at === null) return null;
  const { delivery_id, failed_at, status_code, error_class } = row;
  return { delivery_id, at: failed_at.toISOString(), status_code, error_class };
}
