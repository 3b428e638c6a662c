import { In } from "typeorm";
import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ChannelItem } from "../../../db/entities/channel-intake.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { InboundItem } from "../../channels/meta/inbound-item.ts";
import { intakeKeptMs } from "../../model/channel-intake.ts";
import { lockReported, recordReports, type Report } from "../conversations/reported-messages.ts";
import { findMessageIds, nameKey, type ProviderName } from "../conversations/provider-ids.ts";
import { isReadUpTo } from "./apply-status.ts";
import type { ClaimedPartition } from "./claim-partitions.ts";

/** A status of a batch, with what it says of the message that the provider names. */
interface NamedStatus extends ProviderName {
  status: Report["status"];
  at: Date;
}

/**
 * Applies claimed statuses of one account in few statements, and ends their items in the same
 * transaction. A partition is applied wholly or not at all.
 * @returns the partitions that must be applied item by item: a failure, a watermark, a status of
 *   Instagram that tells of older messages, a message that is not known or has failed.
 */
export async function applyStatuses(
  tx: Tx,
  partitions: readonly ClaimedPartition[],
): Promise<readonly ClaimedPartition[]> {
  const items = await lockItems(
    tx,
    partitions.flatMap(({ ids }) => ids),
  );
  const named = await readNamed(tx, items);
  const messageIds = await findMessageIds(tx, [...named.values()]);
  const messages = await lockReported(tx, [...new Set(messageIds.values())]);
  const open = new Set(items.map(({ id }) => id));
  const reports: Report[] = [];
  const ended: [itemId: number, contactId: number][] = [];
  const left: ClaimedPartition[] = [];
  for (const partition of partitions) {
    // An item that is over by now needs nothing more.
    const own = partition.ids.filter((id) => open.has(id));
    const found = own.flatMap((id) => {
      const one = named.get(id);
      const message = one && messages.get(messageIds.get(nameKey(one)) ?? 0);
      return one === undefined || message === undefined ? [] : [{ id, one, message }];
    });
    if (found.length < own.length) {
      left.push(partition);
      continue;
    }
    for (const { id, one, message } of found) {
      reports.push({ messageId: message.id, status: one.status, at: one.at });
      ended.push([id, message.contactId]);
    }
  }
  await recordReports(tx, messages, reports);
  await endItems(tx, ended);
  return left;
}

/** Items that are not over yet, locked in the order of their ids. */
async function lockItems(tx: Tx, ids: readonly number[]): Promise<ChannelItem[]> {
  return await tx.manager.find(ChannelItem, {
    where: { id: In([...ids]), accountId: tx.actor.accountId, state: In(["pending", "waiting"]) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
}

/** Statuses that tell of the message that they name alone, and of no failure, by item, of channels that exist. */
async function readNamed(tx: Tx, items: readonly ChannelItem[]): Promise<Map<number, NamedStatus>> {
  const channels = await tx.manager.find(ChannelAccount, {
    select: { id: true, channel: true },
    where: {
      id: In([...new Set(items.map(({ channelAccountId }) => channelAccountId ?? 0))]),
      accountId: tx.actor.accountId,
    },
  });
  const known = new Map(channels.map((channel) => [channel.id, channel]));
  const named = new Map<number, NamedStatus>();
  for (const { id, channelAccountId, payload } of items) {
    const item = payload as InboundItem;
    const channel = known.get(channelAccountId ?? 0);
    if (channelAccountId === null || channel === undefined) continue;
    if (item.kind !== "status" || item.watermark !== null || item.messageId === null) continue;
    if (item.status === "failed" || isReadUpTo(channel, item.status)) continue;
    const at = item.at === null ? tx.now : new Date(item.at);
    named.set(id, { channelAccountId, providerId: item.messageId, status: item.status, at });
  }
  return named;
}

/** Ends items as `endItem` does, each with its contact. */
async function endItems(tx: Tx, rows: readonly [itemId: number, contactId: number][]) {
  if (rows.length === 0) return;
  await tx.manager.query(
    `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$[0]',
         contact_id BIGINT UNSIGNED PATH '$[1]')) AS e
       STRAIGHT_JOIN channel_items i ON i.id = e.id
        SET i.state = 'done', i.payload = NULL, i.contact_id = e.contact_id, i.reason = NULL,
            i.purge_at = ?`,
    [JSON.stringify(rows), new Date(tx.now.getTime() + intakeKeptMs.itemDone)],
  );
}
