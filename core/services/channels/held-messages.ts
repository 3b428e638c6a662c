import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isSendingHeld, type ChannelState } from "../../model/channels.ts";
import { heldMs } from "../../model/workflow/sending.ts";
import { requestSend, type RequestedMessage } from "../conversations/send-requests.ts";
import { lockOwnedIfThere, placeholders } from "../sql.ts";

/** Held messages of a channel that restart at once. The loop calls twice a second. */
const batch = 20;
/**
 * The run that held a message ends within this time, also on a busy machine. Temporal starts no run
 * beside it.
 */
const graceMs = 5_000;
const maxExpired = 100;

/** A channel account that may have held messages. */
export interface HoldingChannel {
  id: number;
  accountId: number;
  state: ChannelState;
  stateReason: string | null;
}

type HeldMessage = RequestedMessage & { status: string };

/** Channels of every account that may have held messages, as a subquery of the columns. */
export const holdingChannelsSql = (columns: string) =>
  `SELECT ${columns} FROM channel_accounts FORCE INDEX (channel_accounts_held)
    WHERE held_since IS NOT NULL`;

/** Channels of every account that may have held messages. */
export async function listHoldingChannels(tx: Tx): Promise<HoldingChannel[]> {
  const rows = await tx.manager.query<HoldingChannel[]>(
    holdingChannelsSql("id, account_id AS accountId, state, state_reason AS stateReason"),
  );
  return rows.map((row) => ({ ...row, id: Number(row.id), accountId: Number(row.accountId) }));
}

/**
 * Restarts some held messages of a channel that can send again, oldest first. Each run judges pause
 * and messaging window anew.
 * @returns number of messages that restart
 */
export async function releaseHeld(tx: Tx, channelAccountId: number): Promise<number> {
  // A message that is held meanwhile waits for this lock, and notes itself again.
  const channel = await lockOwnedIfThere(tx, ChannelAccount, { id: channelAccountId });
  if (channel === null || isSendingHeld(channel)) return 0;
  const rows = await tx.manager.query<HeldMessage[]>(
    `SELECT id, account_id AS accountId, conversation_id AS conversationId, channel, status, type,
            channel_account_id AS channelAccountId, attachment_count AS attachmentCount
       FROM messages FORCE INDEX (messages_held)
      WHERE channel_account_id = ? AND held_at <= ? ORDER BY held_at, id LIMIT ?
        FOR UPDATE SKIP LOCKED`,
    [channelAccountId, new Date(tx.now.getTime() - graceMs), batch],
  );
  if (rows.length === 0) {
    await clearIfNone(tx, channelAccountId);
    return 0;
  }
  const ids = rows.map(({ id }) => id);
  await tx.manager.query(
    `UPDATE messages SET held_at = NULL, updated_at = ? WHERE id IN (${placeholders(ids)})`,
    [tx.now, ...ids],
  );
  // A pause of an earlier version has cancelled the others, and left their holds.
  const queued = rows.filter(({ status }) => status === "queued");
  for (const row of queued) await requestSend(tx, row, channel, { isRestart: true });
  return queued.length;
}

/**
 * Messages of a channel that have been held for 24 hours, at most 100. A pause of an earlier version
 * left the holds of messages that it cancelled.
 */
export async function listExpiredHeld(tx: Tx, channelAccountId: number): Promise<number[]> {
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM messages FORCE INDEX (messages_held)
      WHERE channel_account_id = ? AND held_at <= ? AND status = 'queued'
      ORDER BY held_at, id LIMIT ?`,
    [channelAccountId, new Date(tx.now.getTime() - heldMs), maxExpired],
  );
  return rows.map(({ id }) => Number(id));
}

async function clearIfNone(tx: Tx, channelAccountId: number): Promise<void> {
  const left = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM messages FORCE INDEX (messages_held)
      WHERE channel_account_id = ? AND held_at IS NOT NULL LIMIT 1`,
    [channelAccountId],
  );
  if (left.length > 0) return;
  await tx.manager.update(ChannelAccount, channelAccountId, { heldSince: null });
}
