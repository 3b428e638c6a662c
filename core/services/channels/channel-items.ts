import { In } from "typeorm";
import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ChannelItem, ChannelWebhook } from "../../../db/entities/channel-intake.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { InboundItem } from "../../channels/meta/inbound-item.ts";
import { AppError } from "../../errors.ts";
import { intakeKeptMs, maxItemTries, type ItemState } from "../../model/channel-intake.ts";
import type { RestChannel } from "../../model/channels.ts";
import type { LogBounds, LogPage } from "../../model/page.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { cutPage, findOwned, getOwned, lockOwned } from "../sql.ts";

const audit = auditOf("channel_item");

const networkOf: Readonly<Record<RestChannel, InboundItem["network"] | null>> = {
  whatsapp: "whatsapp",
  facebook: "messenger",
  instagram: "instagram",
  web: null,
};

/** Key of a number, Page or Instagram account among the routes of an app. */
export function routeKey({ network, externalId }: Pick<InboundItem, "network" | "externalId">) {
  return `${network}:${externalId}`;
}

/** Key of a WhatsApp Business Account, whose news name no number. */
export function wabaKey(wabaId: string): string {
  return `waba:${wabaId}`;
}

/**
 * Channel accounts of an app by their key, without those that are disconnected. A WhatsApp Business
 * Account leads to one of its numbers.
 */
export async function listRoutes(tx: Tx, channelAppId: number): Promise<Map<string, number>> {
  const rows = await tx.manager.query<Route[]>(
    `SELECT a.id, a.channel, a.external_id AS externalId, a.parent_id AS parentId
       FROM channel_apps p JOIN channel_accounts a ON a.account_id = p.account_id
      WHERE p.id = ? AND a.channel_app_id = p.id AND a.state <> 'disconnected'`,
    [channelAppId],
  );
  return new Map(
    rows.flatMap(({ id, channel, externalId, parentId }) => {
      const network = networkOf[channel];
      if (network === null) return [];
      const own = [routeKey({ network, externalId }), Number(id)] as const;
      const hasWaba = network === "whatsapp" && parentId !== null;
      return hasWaba ? [own, [wabaKey(parentId), Number(id)] as const] : [own];
    }),
  );
}

interface Route {
  id: number;
  channel: RestChannel;
  externalId: string;
  parentId: string | null;
}

/** Has the drains look after the commit: a webhook or an item is due now. */
export function noteChannelWork({ notes }: Tx): void {
  if (notes !== undefined) notes.hasChannelWork = true;
}

/** Replays the items that came before their number or Page was connected. */
export async function routeItems(tx: Tx, channel: ChannelAccount): Promise<void> {
  noteChannelWork(tx);
  await tx.manager.query(
    `UPDATE channel_items SET state = 'pending', channel_account_id = ?, due_at = ?, purge_at = NULL
      WHERE account_id = ? AND state = 'unrouted' AND channel_app_id = ? AND network = ?
        AND external_id = ?`,
    [
      channel.id,
      tx.now,
      channel.accountId,
      channel.channelAppId,
      networkOf[channel.channel],
      channel.externalId,
    ],
  );
}

/** Locks a claimed item. Null if it is over, because another process applied it. */
export async function lockItem(tx: Tx, id: number): Promise<ChannelItem | null> {
  return await tx.manager.findOne(ChannelItem, {
    where: { id, accountId: tx.actor.accountId, state: In(["pending", "waiting"]) },
    lock: { mode: "pessimistic_write" },
  });
}

/** Ends an item. Its content is deleted, and the row stays to recognise a repetition. */
export async function endItem(
  tx: Tx,
  id: number,
  { contactId = null, reason = null }: { contactId?: number | null; reason?: string | null },
): Promise<void> {
  const purgeAt = new Date(tx.now.getTime() + intakeKeptMs.itemDone);
  await tx.manager.query(
    `UPDATE channel_items
        SET state = 'done', payload = NULL, contact_id = ?, reason = ?, purge_at = ? WHERE id = ?`,
    [contactId, reason, purgeAt, id],
  );
}

/** Lets an item wait for a message that may still arrive. Its partition goes on meanwhile. */
export async function holdItem(tx: Tx, id: number, waitMs: number): Promise<void> {
  await tx.manager.query("UPDATE channel_items SET state = 'waiting', due_at = ? WHERE id = ?", [
    new Date(tx.now.getTime() + waitMs),
    id,
  ]);
}

/** Parks an item for an admin. Its partition goes on. */
export async function parkItem(tx: Tx, id: number, reason: string): Promise<void> {
  const purgeAt = new Date(tx.now.getTime() + intakeKeptMs.parked);
  await tx.manager.query(
    "UPDATE channel_items SET state = 'parked', reason = ?, purge_at = ? WHERE id = ?",
    [reason, purgeAt, id],
  );
}

/** Counts a failed try: the next one follows after 0.5 to 4 s, and after the last the item is parked. */
export async function failItem(tx: Tx, id: number, reason: string): Promise<void> {
  const item = await lockItem(tx, id);
  if (item === null) return;
  const attempts = item.attempts + 1;
  const dueAt = new Date(tx.now.getTime() + 500 * 2 ** (attempts - 1));
  await tx.manager.update(ChannelItem, id, { attempts, reason, dueAt });
  if (attempts >= maxItemTries) await parkItem(tx, id, reason);
}

/** Items of the account in a state, newest first, optionally of one channel alone. */
export async function listItems(
  tx: Tx,
  {
    state,
    limit,
    before_id: before,
    channel_account_id: channelAccountId,
  }: LogBounds & { state: ItemState; channel_account_id?: number | undefined },
): Promise<LogPage<ChannelItem>> {
  const { accountId } = tx.actor;
  const items = tx.manager
    .createQueryBuilder(ChannelItem, "i")
    .where("i.account_id = :accountId AND i.state = :state", { accountId, state });
  if (channelAccountId !== undefined) {
    items.andWhere("i.channel_account_id = :channelAccountId", { channelAccountId });
  }
  const total = await items.getCount();
  if (before !== undefined) items.andWhere("i.id < :before", { before });
  const found = await items
    .orderBy("i.id", "DESC")
    .limit(limit + 1)
    .getMany();
  const { page, next } = cutPage(found, limit);
  return { rows: page, total, totalAtLeast: false, next: next?.id ?? null };
}

/**
 * Content of an item, with the text of its webhook as long as that is kept.
 * @throws AppError `channel_item_not_found`
 */
export async function readItemContent(
  tx: Tx,
  id: number,
): Promise<{ item: unknown; webhook: Buffer | null }> {
  const row = await getOwned(tx, ChannelItem, "channel_item", { id });
  const webhook = await findOwned(tx, ChannelWebhook, { id: row.webhookId });
  return { item: row.payload, webhook: webhook?.body ?? null };
}

/**
 * Applies a parked item once more, with all its tries.
 * @throws AppError `channel_item_not_found`, `channel_item_not_parked`
 */
export async function retryItem(tx: Tx, id: number): Promise<ChannelItem> {
  const row = await lockOwned(tx, ChannelItem, "channel_item", { id });
  if (row.state !== "parked") throw new AppError("channel_item_not_parked");
  // An item without a channel is in no partition, so nothing would apply it.
  if (row.channelAccountId === null) {
    await parkItem(tx, id, "no_channel");
    row.reason = "no_channel";
    return row;
  }
  const columns = {
    state: "pending",
    attempts: 0,
    reason: null,
    dueAt: tx.now,
    purgeAt: null,
  } as const;
  Object.assign(row, columns);
  await tx.manager.update(ChannelItem, id, columns);
  noteChannelWork(tx);
  await recordAudit(tx, audit("retried", id, { kind: row.kind }));
  return row;
}
