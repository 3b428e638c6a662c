import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ChannelTrafficView } from "../../model/channel-setup.ts";
import { hourMs, minuteMs } from "../../model/durations.ts";
import { getOwned } from "../sql.ts";
import { failedSince } from "./channel-traffic.ts";

const hours = 24;

type Count = "inbound" | "outbound";
interface HourRow {
  direction: Count;
  hour: number;
  n: number | string;
}

/**
 * Messages of a channel in each of the last 24 hours, the current one included, and in the last
 * minute. Every message counts by the time at which it was stored. Indexes hold all of it.
 * @throws AppError `channel_account_not_found`
 */
export async function readChannelHours(tx: Tx, id: number): Promise<ChannelTrafficView> {
  await getOwned(tx, ChannelAccount, "channel_account", { id });
  const current = Math.floor(tx.now.getTime() / hourMs) * hourMs;
  const start = new Date(current - (hours - 1) * hourMs);
  const counted = await tx.manager.query<HourRow[]>(
    `SELECT direction, TIMESTAMPDIFF(HOUR, ?, created_at) AS hour, COUNT(*) AS n
       FROM messages FORCE INDEX (messages_traffic)
      WHERE channel_account_id = ? AND direction IN ('inbound', 'outbound') AND created_at >= ?
      GROUP BY direction, hour`,
    [start, id, start],
  );
  const failed = await tx.manager.query<Omit<HourRow, "direction">[]>(
    `SELECT TIMESTAMPDIFF(HOUR, ?, created_at) AS hour, COUNT(*) AS n
       FROM messages FORCE INDEX (messages_failed)
      WHERE channel_account_id = ? AND ${failedSince} GROUP BY hour`,
    [start, id, start],
  );
  const find = (rows: Omit<HourRow, "direction">[], hour: number): number =>
    Number(rows.find((row) => Number(row.hour) === hour)?.n ?? 0);
  const countOf = (direction: Count) => counted.filter((row) => row.direction === direction);
  return {
    hours: Array.from({ length: hours }, (_, hour) => ({
      starts_at: new Date(start.getTime() + hour * hourMs).toISOString(),
      inbound: find(countOf("inbound"), hour),
      outbound: find(countOf("outbound"), hour),
      failed: find(failed, hour),
    })),
    last_minute: await readLastMinute(tx, id),
  };
}

async function readLastMinute(tx: Tx, id: number): Promise<Record<Count, number>> {
  const rows = await tx.manager.query<Omit<HourRow, "hour">[]>(
    `SELECT direction, COUNT(*) AS n FROM messages FORCE INDEX (messages_traffic)
      WHERE channel_account_id = ? AND direction IN ('inbound', 'outbound') AND created_at >= ?
      GROUP BY direction`,
    [id, new Date(tx.now.getTime() - minuteMs)],
  );
  const count = (direction: Count): number =>
    Number(rows.find((row) => row.direction === direction)?.n ?? 0);
  return { inbound: count("inbound"), outbound: count("outbound") };
}
