import type { Tx } from "../../../db/transaction.ts";

/** Work that waits for the drain. */
export interface ChannelWork {
  /** Apps of all accounts that have a webhook to split. */
  apps: number[];
  /**
   * Time until the next item is due, in milliseconds; infinite where no item waits, and 0 or less while
   * one is due. That one may wait for an older item of its partition.
   */
  nextItemMs: number;
}

/**
 * Looks for work in one statement, since most looks find nothing. It reads one index entry of each
 * app that has webhooks, and one of each state of items.
 */
export async function findChannelWork(tx: Tx): Promise<ChannelWork> {
  const earliest = (state: string) =>
    `(SELECT NULL, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), due_at)
        FROM channel_items FORCE INDEX (channel_items_due)
       WHERE state = '${state}' ORDER BY due_at LIMIT 1)`;
  const rows = await tx.manager.query<{ app: number | null; wait_us: number | null }[]>(
    `(SELECT DISTINCT channel_app_id AS app, NULL AS wait_us
        FROM channel_webhooks FORCE INDEX (channel_webhooks_app) WHERE state = 'pending')
     UNION ALL ${earliest("pending")}
     UNION ALL ${earliest("waiting")}`,
  );
  const waits = rows.flatMap(({ wait_us: us }) => (us === null ? [] : [Number(us) / 1_000]));
  return {
    apps: rows.flatMap(({ app }) => (app === null ? [] : [Number(app)])),
    nextItemMs: Math.min(Number.POSITIVE_INFINITY, ...waits),
  };
}
