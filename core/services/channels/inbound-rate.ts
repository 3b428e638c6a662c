import type { Tx } from "../../../db/transaction.ts";

const overSeconds = 10;

/** Messages a second that customers have written to a channel account in the last ten seconds. */
export async function readInboundRate(tx: Tx, channelAccountId: number): Promise<number> {
  const [row] = await tx.manager.query<{ n: number | string }[]>(
    `SELECT COUNT(*) AS n FROM messages FORCE INDEX (messages_traffic)
      WHERE channel_account_id = ? AND direction = 'inbound' AND created_at > ?`,
    [channelAccountId, new Date(tx.now.getTime() - overSeconds * 1_000)],
  );
  return Number(row?.n ?? 0) / overSeconds;
}
