import { ChannelWebhook } from "../../../db/entities/channel-intake.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { LogBounds, LogPage } from "../../model/page.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { cutPage, getOwned, lockOwned } from "../sql.ts";
import { noteChannelWork } from "./channel-items.ts";

const audit = auditOf("channel_webhook");

/** A webhook that nobody could read, without its bytes. */
export interface ParkedWebhook {
  id: number;
  channelAppId: number;
  reason: string | null;
  bytes: number;
  receivedAt: Date;
}

/** Parked webhooks of the account, newest first. */
export async function listParkedWebhooks(
  tx: Tx,
  { limit, before_id: before }: LogBounds,
): Promise<LogPage<ParkedWebhook>> {
  const from = `FROM channel_apps p
       JOIN channel_webhooks w FORCE INDEX (channel_webhooks_app)
         ON w.channel_app_id = p.id AND w.state = 'parked'
      WHERE p.account_id = ?`;
  const { accountId } = tx.actor;
  const [count] = await tx.manager.query<{ n: number }[]>(`SELECT COUNT(*) AS n ${from}`, [
    accountId,
  ]);
  const rows = await tx.manager.query<ParkedWebhook[]>(
    `SELECT w.id, w.channel_app_id AS channelAppId, w.reason, w.received_at AS receivedAt,
            COALESCE(LENGTH(w.body), 0) AS bytes
       ${from}${before === undefined ? "" : " AND w.id < ?"} ORDER BY w.id DESC LIMIT ?`,
    [accountId, ...(before === undefined ? [] : [before]), limit + 1],
  );
  const { page, next } = cutPage(rows.map(asNumbers), limit);
  return { rows: page, total: Number(count?.n ?? 0), totalAtLeast: false, next: next?.id ?? null };
}

/** Bytes of a webhook; null after an erasure. @throws AppError `channel_webhook_not_found` */
export async function readWebhookBody(tx: Tx, id: number): Promise<Buffer | null> {
  return (await getOwned(tx, ChannelWebhook, "channel_webhook", { id })).body;
}

/**
 * Reads a parked webhook once more, with all its tries.
 * @throws AppError `channel_webhook_not_found`, `channel_webhook_not_parked`
 */
export async function retryWebhook(tx: Tx, id: number): Promise<ParkedWebhook> {
  const row = await lockOwned(tx, ChannelWebhook, "channel_webhook", { id });
  // After an erasure there is nothing left to read.
  if (row.state !== "parked" || row.body === null) {
    throw new AppError("channel_webhook_not_parked");
  }
  const columns = { state: "pending", attempts: 0, reason: null, purgeAt: null } as const;
  await tx.manager.update(ChannelWebhook, id, columns);
  noteChannelWork(tx);
  await recordAudit(tx, audit("retried", id, { reason: row.reason }));
  const { channelAppId, receivedAt, body } = row;
  return { id, channelAppId, reason: null, bytes: body.length, receivedAt };
}

function asNumbers(row: ParkedWebhook): ParkedWebhook {
  const { id, channelAppId, bytes } = row;
  return { ...row, id: Number(id), channelAppId: Number(channelAppId), bytes: Number(bytes) };
}
