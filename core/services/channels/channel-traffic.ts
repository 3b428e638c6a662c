import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Tx } from "../../../db/transaction.ts";
import { intakeKeptMs } from "../../model/channel-intake.ts";
import { dayMs } from "../../model/durations.ts";
import { placeholders } from "../sql.ts";

/** Rows that a count reads at most, so that it stays quick under any backlog. */
const mostCounted = 10_000;
/** Newest items of which the lag is measured. */
const mostMeasured = 1_000;
/** Newest conversations of a channel, and messages of each, that its failures are counted of. */
const newestConversations = 200;
const newestMessages = 20;

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
      WHERE c.account_id = ?`,
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

/** Reads the newest messages to the customers of these channels. */
export async function readTraffic(
  tx: Tx,
  channels: readonly ChannelAccount[],
): Promise<Map<number, ChannelTraffic>> {
  const traffic = new Map<number, ChannelTraffic>();
  for (const { id, channel } of channels) traffic.set(id, await readTrafficOf(tx, id, channel));
  return traffic;
}

interface SentRow {
  status: string;
  code: string | null;
  sentAt: Date | null;
  createdAt: Date;
}

/**
 * Messages have no index by channel: it would cost every send. Conversations have one. A JSON null
 * reads as the text `null`.
 */
async function readTrafficOf(tx: Tx, id: number, channel: string): Promise<ChannelTraffic> {
  const conversations = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM (SELECT id, channel_account_id
         FROM conversations FORCE INDEX (conversations_channel)
        WHERE account_id = ? AND channel = ? ORDER BY sort_at DESC, id DESC
        LIMIT ${5 * newestConversations}) AS newest
      WHERE channel_account_id = ? LIMIT ${newestConversations}`,
    [tx.actor.accountId, channel, id],
  );
  if (conversations.length === 0) return { lastSentAt: null, failures: [] };
  const rows = await tx.manager.query<SentRow[]>(
    `SELECT m.status,
            COALESCE(NULLIF(m.error->>'$.provider_code', 'null'), m.error->>'$.code') AS code,
            m.sent_at AS sentAt, m.created_at AS createdAt
       FROM conversations c, LATERAL (
         SELECT direction, status, error, sent_at, created_at
           FROM messages FORCE INDEX (messages_conversation)
          WHERE conversation_id = c.id ORDER BY id DESC LIMIT ${newestMessages}) AS m
      WHERE c.id IN (${placeholders(conversations)}) AND m.direction = 'outbound'`,
    conversations.map((one) => one.id),
  );
  const sent = rows.flatMap(({ sentAt }) => (sentAt === null ? [] : [sentAt.getTime()]));
  const since = tx.now.getTime() - dayMs;
  const failed = rows.filter((row) => row.status === "failed" && row.createdAt.getTime() >= since);
  const codes = new Map<string, number>();
  for (const { code } of failed) {
    const name = code ?? "unknown";
    codes.set(name, (codes.get(name) ?? 0) + 1);
  }
  return {
    lastSentAt: sent.length === 0 ? null : new Date(Math.max(...sent)),
    failures: [...codes]
      .map(([code, count]) => ({ code, count }))
      .toSorted((one, other) => other.count - one.count),
  };
}
