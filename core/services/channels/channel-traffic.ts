import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Tx } from "../../../db/transaction.ts";
import { intakeKeptMs } from "../../model/channel-intake.ts";
import { dayMs } from "../../model/durations.ts";

/** Rows that a count reads at most, so that it stays quick under any backlog. */
const mostCounted = 10_000;
/** Newest items of which the lag is measured, and newest messages that are asked for the last send. */
const mostMeasured = 1_000;

/** Counts by the id of a channel account; unrouted items by `seenKey`. */
export interface IntakeCounts {
  parked: Map<number, number>;
  unrouted: Map<string, number>;
  held: Map<number, number>;
  /** 95th percentile from the arrival of a message's webhook to its effect, in milliseconds. */
  lagP95Ms: Map<number, number>;
}

/** Counts what waits in the account, and measures the newest items of the last day. */
export async function readIntakeCounts(tx: Tx): Promise<IntakeCounts> {
  const parked = await countBy(
    tx,
    `SELECT channel_account_id AS name FROM channel_items FORCE INDEX (channel_items_account)
      WHERE account_id = ? AND state = 'parked' AND channel_account_id IS NOT NULL`,
  );
  const held = await countBy(
    tx,
    `SELECT m.channel_account_id AS name
       FROM channel_accounts c JOIN messages m FORCE INDEX (messages_held)
         ON m.channel_account_id = c.id AND m.held_at IS NOT NULL
      WHERE c.account_id = ? AND m.status = 'queued'`,
  );
  const unrouted = await countBy(
    tx,
    `SELECT CONCAT(channel_app_id, ' ', external_id) AS name
       FROM channel_items FORCE INDEX (channel_items_account)
      WHERE account_id = ? AND state = 'unrouted'`,
  );
  const byId = (counts: Map<string, number>) =>
    new Map([...counts].map(([name, count]) => [Number(name), count]));
  const lagP95Ms = await readLags(tx);
  return { parked: byId(parked), held: byId(held), unrouted, lagP95Ms };
}

async function countBy(tx: Tx, rows: string): Promise<Map<string, number>> {
  const counts = await tx.manager.query<{ name: string | number; n: number }[]>(
    `SELECT name, COUNT(*) AS n FROM (${rows} LIMIT ${mostCounted}) AS counted GROUP BY name`,
    [tx.actor.accountId],
  );
  return new Map(counts.map(({ name, n }) => [String(name), Number(n)]));
}

/** A done item is deleted a fixed time after its end, so the time of its end follows from that. */
async function readLags(tx: Tx): Promise<Map<number, number>> {
  const rows = await tx.manager.query<{ id: number; endedAt: Date; receivedAt: Date }[]>(
    `SELECT i.channel_account_id AS id, i.purge_at AS endedAt, w.received_at AS receivedAt
       FROM (SELECT channel_account_id, webhook_id, kind, purge_at
               FROM channel_items FORCE INDEX (channel_items_account)
              WHERE account_id = ? AND state = 'done' ORDER BY id DESC LIMIT ${mostMeasured}) AS i
       JOIN channel_webhooks w ON w.id = i.webhook_id
      WHERE i.kind = 'message' AND i.channel_account_id IS NOT NULL AND w.received_at > ?`,
    [tx.actor.accountId, new Date(tx.now.getTime() - dayMs)],
  );
  const lags = new Map<number, number[]>();
  for (const { id, endedAt, receivedAt } of rows) {
    const lag = endedAt.getTime() - intakeKeptMs.itemDone - receivedAt.getTime();
    const known = lags.get(Number(id)) ?? [];
    lags.set(Number(id), [...known, Math.max(0, lag)]);
  }
  return new Map([...lags].map(([id, all]) => [id, percentile95(all)]));
}

function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}

/** Traffic to the customers of a channel. */
export interface ChannelTraffic {
  lastSentAt: Date | null;
  /** Failures of the last 24 hours, most frequent first. */
  failures: { code: string; count: number }[];
}

/** Condition of the index `messages_failed`: the same expression, or MySQL does not take it. */
export const failedSince = "IF(status = _ascii'failed', created_at, NULL) >= ?";

/** Reads the last send and the failures of these channels, of all their messages. */
export async function readTraffic(
  tx: Tx,
  channels: readonly ChannelAccount[],
): Promise<Map<number, ChannelTraffic>> {
  const traffic = new Map<number, ChannelTraffic>();
  for (const { id } of channels) {
    const lastSentAt = await readLastSend(tx, id);
    traffic.set(id, { lastSentAt, failures: await readFailures(tx, id) });
  }
  return traffic;
}

/** Messages that wait or failed stand before the last one that was sent. A bound keeps it quick. */
async function readLastSend(tx: Tx, id: number): Promise<Date | null> {
  const rows = await tx.manager.query<{ sentAt: Date | null }[]>(
    `SELECT MAX(sent_at) AS sentAt
       FROM (SELECT sent_at FROM messages FORCE INDEX (messages_traffic)
              WHERE channel_account_id = ? AND direction = 'outbound'
              ORDER BY created_at DESC LIMIT ${mostMeasured}) AS newest`,
    [id],
  );
  return rows[0]?.sentAt ?? null;
}

/** A JSON null reads as the text `null`. */
async function readFailures(tx: Tx, id: number): Promise<ChannelTraffic["failures"]> {
  const rows = await tx.manager.query<{ code: string | null; n: number | string }[]>(
    `SELECT COALESCE(NULLIF(error->>'$.provider_code', 'null'), error->>'$.code') AS code,
            COUNT(*) AS n
       FROM (SELECT error FROM messages FORCE INDEX (messages_failed)
              WHERE channel_account_id = ? AND ${failedSince} LIMIT ${mostCounted}) AS failed
      GROUP BY code ORDER BY n DESC, code`,
    [id, new Date(tx.now.getTime() - dayMs)],
  );
  return rows.map(({ code, n }) => ({ code: code ?? "unknown", count: Number(n) }));
}
